#include "sim/engine/child.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"

namespace simtrain {

namespace {

// A file in memory that parent and child share. A pipe would do too, but fills up while nobody reads.
class SharedText {
 public:
  SharedText() : descriptor_(::memfd_create("child", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw Failure(std::string("no memory for a child process: ") + std::strerror(errno));
  }
  ~SharedText() { ::close(descriptor_); }
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool write(const std::string& text) const {
    return ::write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  [[nodiscard]] std::string read() const {
    std::string text;
    std::array<char, 4096> piece{};
    ::lseek(descriptor_, 0, SEEK_SET);
    for (ssize_t n = 0; (n = ::read(descriptor_, piece.data(), piece.size())) > 0;)
      text.append(piece.data(), static_cast<std::size_t>(n));
    return text;
  }

 private:
  int descriptor_;
};

constexpr int kFinished = 0, kNotFinished = 1;

[[noreturn]] void be_the_child(const std::function<std::string()>& body, const SharedText& answer,
                               const SharedText& errors) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::dup2(errors.descriptor(), STDOUT_FILENO);
  ::dup2(errors.descriptor(), STDERR_FILENO);
  int status = kNotFinished;
  try {
    if (answer.write(body())) status = kFinished;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::fflush(nullptr);
  ::_exit(status);  // no destructors: what the parent set up is the parent's
}

}  // namespace

ChildOutcome run_in_child(const std::function<std::string()>& body) {
  const SharedText answer, errors;
  std::fflush(nullptr);  // or the child would print the parent's buffers again
  const pid_t child = ::fork();
  if (child < 0) throw Failure(std::string("no child process: ") + std::strerror(errno));
  if (child == 0) be_the_child(body, answer, errors);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw Failure(std::string("the child process is lost: ") + std::strerror(errno));
  ChildOutcome outcome;
  outcome.finished = WIFEXITED(status) && WEXITSTATUS(status) == kFinished;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.answer = answer.read();
  outcome.errors = errors.read();
  return outcome;
}

}  // namespace simtrain
