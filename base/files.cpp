#include "base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/error.hpp"

namespace fs = std::filesystem;

namespace simtrain {

std::string read_file(std::string_view what, const fs::path& path) {
  const auto refuse = [&](const std::string& why) {
    return InputError(std::string(what) + " '" + path.string() + "': cannot be read: " + why);
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw refuse("is a folder; expected a file");
  if (fs::is_character_file(path, ignored) || fs::is_block_file(path, ignored))
    throw refuse("is a device; expected a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw refuse(std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw refuse(std::strerror(errno));
  return text.str();
}

namespace {

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Where a chain of symbolic links ends, also when nothing is there yet.
fs::path behind_links(fs::path path) {
  constexpr int kLongestChain = 40;
  std::error_code ignored;
  for (int i = 0; i < kLongestChain && fs::is_symlink(path, ignored); ++i)
    path = path.parent_path() / fs::read_symlink(path, ignored);  // an absolute target replaces the folder
  return path;
}

constexpr std::size_t kBufferedBytes = std::size_t{1} << 16, kNamedBytes = 100;

}  // namespace

struct OutputFile::State {
  fs::path path;    // as given
  fs::path target;  // what `temporary` is renamed to
  std::string
      temporary;  // empty: written into `path`, a device or a pipe, since renaming would put a file in its place
  int descriptor = -1;
  std::string buffer;

  [[noreturn]] void fail() const {
    throw Failure("output file '" + path.string() + "': writing failed: " + std::strerror(errno));
  }
  void make_temporary() {
    target = behind_links(path);
    // A beginning of the name will do: with all of it, what is added may be too much for the file system.
    const std::string beginning = target.filename().string().substr(0, kNamedBytes);
    temporary = (folder_of(target) / ("." + beginning + ".XXXXXX")).string();
    descriptor = ::mkstemp(temporary.data());
    const mode_t mask = ::umask(0);  // mkstemp makes files private; a result is as readable as any other new file
    ::umask(mask);
    if (descriptor >= 0) ::fchmod(descriptor, 0666 & ~mask);
  }
};

bool is_standard_output(const fs::path& path) { return path == "-" || path == "/dev/stdout"; }

OutputFile::OutputFile(const fs::path& path) : state_(std::make_unique<State>()) {
  check_output("output file", path);
  state_->path = path;
  if (is_standard_output(path)) {
    std::cout.flush();
    std::fflush(stdout);
    state_->descriptor = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (state_->descriptor < 0) state_->fail();
    return;
  }
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    state_->descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (state_->descriptor < 0) state_->fail();
    return;
  }
  state_->make_temporary();
  if (state_->descriptor < 0)
    throw InputError("output file '" + path.string() + "': cannot be written: " + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (state_->descriptor < 0) return;
  ::close(state_->descriptor);
  if (!state_->temporary.empty()) ::unlink(state_->temporary.c_str());
}

void OutputFile::flush() {
  std::string_view text = state_->buffer;
  while (!text.empty()) {
    const ssize_t written = ::write(state_->descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) state_->fail();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  state_->buffer.clear();
}

void OutputFile::write(std::string_view text) {
  state_->buffer += text;
  if (state_->buffer.size() >= kBufferedBytes) flush();
}

void OutputFile::finish() {
  flush();
  const bool regular = !state_->temporary.empty();
  if (regular && (::fsync(state_->descriptor) != 0 || ::rename(state_->temporary.c_str(), state_->target.c_str()) != 0))
    state_->fail();
  ::close(state_->descriptor);
  state_->descriptor = -1;
}

void write_file(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

void check_writable(std::string_view option, const fs::path& path) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(std::string(option) + " '" + path.string() + "': " + why);
  };
  std::error_code ignored;
  if (path.empty()) refuse("is empty; expected the name of a file");
  if (is_standard_output(path)) refuse("cannot be standard output; expected the name of a file (./- is one)");
  if (fs::is_directory(path, ignored)) refuse("is a folder; expected the name of a file");
  const fs::path target = behind_links(path), folder = folder_of(target);
  if (fs::is_symlink(target, ignored)) refuse("its symbolic links lead back to one another");
  if (!fs::is_directory(folder, ignored)) refuse("the folder '" + folder.string() + "' does not exist");
  if (::access(folder.c_str(), W_OK) != 0) refuse("the folder '" + folder.string() + "' is not writable");
  if (struct stat found{}; ::lstat(target.c_str(), &found) != 0 && errno == ENAMETOOLONG)
    refuse(std::string("cannot be written: ") + std::strerror(errno));
}

void check_output(std::string_view option, const fs::path& path) {
  if (!is_standard_output(path)) check_writable(option, path);
}

fs::path data_folder() {
  if (const char* chosen = std::getenv("SIMTRAIN_DATA"); chosen != nullptr && *chosen != '\0') return chosen;
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "share" / "simtrain";
}

std::vector<std::string> shipped_names(std::string_view folder, std::string_view extension) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(data_folder() / folder, none))
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_data_file(std::string_view what, std::string_view folder, std::string_view name,
                        std::string_view extension) {
  return find_data_file(what, folder, name, {extension});
}

fs::path find_data_file(std::string_view what, std::string_view folder, std::string_view name,
                        std::initializer_list<std::string_view> extensions) {
  std::error_code ignored;
  const fs::path given(name);
  if (fs::is_regular_file(given, ignored)) return given;
  const fs::path shipped = data_folder() / folder;
  std::vector<fs::path> candidates{shipped / given};
  for (const std::string_view extension : extensions)
    candidates.push_back(shipped / (given.string() + std::string(extension)));
  for (const fs::path& candidate : candidates)
    if (!name.empty() && fs::is_regular_file(candidate, ignored)) return candidate;
  if (fs::is_directory(given, ignored))
    throw InputError(std::string(what) + " '" + std::string(name) + "': is a folder; expected a file");
  if (fs::exists(given, ignored))
    throw InputError(std::string(what) + " '" + std::string(name) + "': is no regular file; expected one");
  if (given.has_parent_path()) throw InputError(std::string(what) + " '" + std::string(name) + "': no such file");
  std::vector<std::string> shipped_files;
  for (const std::string_view extension : extensions)
    for (const std::string& one : shipped_names(folder, extension)) shipped_files.push_back(one);
  if (shipped_files.empty())
    throw InputError(std::string(what) + " '" + std::string(name) + "': no such file, and no shipped ones in '" +
                     shipped.string() + "' (SIMTRAIN_DATA chooses the data folder)");
  std::sort(shipped_files.begin(), shipped_files.end());
  throw InputError(unknown_choice(what, name, shipped_files) + " (or the name of a file)");
}

}  // namespace simtrain
