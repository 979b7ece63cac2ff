#include "base/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace simtrain {

namespace {

struct Stream {
  int descriptor;
  int access;  // such that using it fails, but for standard error: nobody could be told
};
constexpr std::array kStreams{Stream{STDIN_FILENO, O_WRONLY}, Stream{STDOUT_FILENO, O_RDONLY},
                              Stream{STDERR_FILENO, O_WRONLY}};

}  // namespace

void hold_standard_streams() {
  for (const Stream& one : kStreams)
    if (::fcntl(one.descriptor, F_GETFD) < 0 && errno == EBADF)
      // The least number that is free is this one's, since those before it are open by now. Inherited by children.
      static_cast<void>(::open("/dev/null", one.access));  // NOLINT(android-cloexec-open)
}

}  // namespace simtrain
