// Files: read whole, written whole, and the data files that come with the programs.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

// The file's text, also of a pipe. InputError "WHAT 'PATH': cannot be read: REASON" if that fails, or for a device,
// which may never end. `what` e.g. "profile".
std::string read_file(std::string_view what, const std::filesystem::path& path);

// "-" or "/dev/stdout", where an output may be standard output: a file of the first name is "./-".
bool is_standard_output(const std::filesystem::path& path);

// A file that is written bit by bit, under a temporary name in the same folder; finish() syncs it, then renames it over
// `path`: whoever reads `path` sees the old file or the whole new one. A symbolic link stays one; a device or a pipe
// takes the text as it comes, and so does standard output. On failure all throw InputError (folder missing, not
// writable) or Failure (disk full). Without finish() there is neither a temporary file in the end nor a changed `path`.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  struct State;
  void flush();
  std::unique_ptr<State> state_;
};

// All of it at once.
void write_file(const std::filesystem::path& path, std::string_view text);

// Fails now, before hours of work, with the InputError that write_file would end in: the folder (of what symbolic links
// lead to) is missing or not writable, the name is too long, or `path` is a folder. Standard output is refused.
void check_writable(std::string_view option, const std::filesystem::path& path);
// The same of an output that may be standard output.
void check_output(std::string_view option, const std::filesystem::path& path);

// Shipped data lives in <data>/platforms, <data>/scenarios, <data>/profiles. <data> is $SIMTRAIN_DATA if set, else
// share/simtrain beside the bin folder that holds the running program; the build tree is laid out alike.
std::filesystem::path data_folder();

// The file that `name` means: the path itself if it exists, else <data>/<folder>/<name>, also with `extension`
// appended ("alexnet" -> alexnet.json). InputError with the nearest shipped name if there is none.
std::filesystem::path find_data_file(std::string_view what, std::string_view folder, std::string_view name,
                                     std::string_view extension);
// The same with the first of several extensions under which there is a file.
std::filesystem::path find_data_file(std::string_view what, std::string_view folder, std::string_view name,
                                     std::initializer_list<std::string_view> extensions);

// Names (without extension) of the shipped files of a folder, sorted.
std::vector<std::string> shipped_names(std::string_view folder, std::string_view extension);

}  // namespace simtrain
