#include "calibrate/gnuplot.hpp"

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
  TemporaryFile() : file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw Failure(std::string("gnuplot: no temporary file: ") + std::strerror(errno));
  }
  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
      throw Failure(std::string("gnuplot: a temporary file cannot be written: ") + std::strerror(errno));
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
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace

std::string gnuplot_terminal(const std::string& format) {
  if (format == "svg") return "set terminal svg size 900,600 dynamic background 'white' font 'sans,13'\n";
  if (format == "png") return "set terminal pngcairo size 900,600 font 'sans,11'\n";
  if (format == "text") return "set terminal dumb 100 30 noenhanced mono\n";
  throw InputError("picture '" + format + "' is not known; expected svg, png or text");
}

std::string run_gnuplot(const std::string& commands) {
  TemporaryFile in, out, problems;
  in.write(commands);
  const pid_t process = ::fork();
  if (process < 0) throw Failure(std::string("gnuplot: no process could be started: ") + std::strerror(errno));
  constexpr int kMissing = 127;
  if (process == 0) {
    ::dup2(in.descriptor(), STDIN_FILENO);
    ::dup2(out.descriptor(), STDOUT_FILENO);
    ::dup2(problems.descriptor(), STDERR_FILENO);
    ::execlp("gnuplot", "gnuplot", static_cast<char*>(nullptr));
    std::_Exit(kMissing);
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kMissing)
    throw Failure("gnuplot is not installed; pictures need it (Debian package gnuplot-nox)");
  if (status != 0) throw Failure("gnuplot failed: " + problems.read());
  return out.read();
}

}  // namespace simtrain
