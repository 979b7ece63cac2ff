#include "base/filter.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.hpp"

namespace simtrain {
namespace {

// A file that is gone when it is closed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& program) : program_(program), file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw Failure(program_ + ": no temporary file: " + std::strerror(errno));
  }
  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
      throw Failure(program_ + ": a temporary file cannot be written: " + std::strerror(errno));
    std::rewind(file_.get());
  }
  [[nodiscard]] std::string read() {
    std::rewind(file_.get());
    std::string text;
    std::array<char, 65536> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file_.get()))
      text.append(buffer.data(), count);
    return text;
  }
  [[nodiscard]] int descriptor() const { return ::fileno(file_.get()); }

 private:
  std::string program_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace

std::string run_filter(const std::string& program, const std::vector<std::string>& arguments, const std::string& input,
                       const std::string& package) {
  TemporaryFile in(program), out(program), problems(program);
  in.write(input);
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t process = ::fork();
  if (process < 0) throw Failure(program + ": no process could be started: " + std::strerror(errno));
  constexpr int kMissing = 127;
  if (process == 0) {
    ::dup2(in.descriptor(), STDIN_FILENO);
    ::dup2(out.descriptor(), STDOUT_FILENO);
    ::dup2(problems.descriptor(), STDERR_FILENO);
    ::execvp(argv[0], argv.data());
    std::_Exit(kMissing);
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kMissing)
    throw Failure(program + " is not installed; pictures need it (Debian package " + package + ")");
  if (status != 0) throw Failure(program + " failed: " + problems.read());
  return out.read();
}

}  // namespace simtrain
