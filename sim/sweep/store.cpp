#include "sim/sweep/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/files.hpp"

namespace fs = std::filesystem;

namespace simtrain {

namespace {

InputError refusal(const std::string& path, const std::string& why) {
  return InputError("--results: '" + path + "' " + why);
}

// So that the file's name outlives a power failure too.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

int open_regular(const std::string& path) {
  check_writable("--results", path);
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    throw refusal(path, "is no regular file; expected the name of one, new or of the same sweep");
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) throw refusal(path, "cannot be written: " + std::string(std::strerror(errno)));
  return descriptor;
}

}  // namespace

ResultsStore::ResultsStore(const std::string& path, const SweepInputs& inputs)
    : path_(path), descriptor_(open_regular(path)) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of write(), as a full disk is
  try {
    lock();
    const std::string text = read_file("results file", path_);
    const std::string header = inputs.line();
    // What was cut off within its own header begins anew.
    if (text.find('\n') == std::string::npos && header.starts_with(text)) {
      cut_off_bytes_ = text.size();
      begin(inputs);
    } else {
      resume(text, inputs);
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ResultsStore::~ResultsStore() { ::close(descriptor_); }

void ResultsStore::leave_to_parent() const { ::close(descriptor_); }

// Children of a sweep that was killed may hold the lock for a moment longer than it lived.
void ResultsStore::lock() const {
  using std::chrono::milliseconds;
  constexpr int kAttempts = 40;
  for (int attempt = 0; ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      throw refusal(path_, "cannot be locked: " + std::string(std::strerror(errno)));
    if (attempt == kAttempts)
      throw refusal(path_,
                    "is being written by another sweep; expected to be the only one: wait until it ends, or give "
                    "each a file of its own (--share)");
    std::this_thread::sleep_for(milliseconds(50));
  }
}

void ResultsStore::begin(const SweepInputs& inputs) {
  if (write_and_sync(inputs.line())) return sync_folder_of(path_);
  const std::string why = trouble_;
  ::unlink(path_.c_str());  // it had nothing in it
  throw Failure("results file '" + path_ + "': cannot be written: " + why);
}

void ResultsStore::resume(const std::string& text, const SweepInputs& inputs) {
  const std::size_t header_end = text.find('\n');
  check_same_sweep(path_, parse_header(path_, std::string_view(text).substr(0, header_end)), "", inputs);
  if (header_end == std::string::npos) throw refusal(path_, "has half a header that was changed");
  std::size_t begin = header_end + 1, number = 2;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    read_line(path_, number++, std::string_view(text).substr(begin, end - begin), inputs, states_);
  cut_off_bytes_ = text.size() - begin;
  size_ = static_cast<long long>(begin);
  if (cut_off_bytes_ > 0 && ::ftruncate(descriptor_, size_) != 0)
    throw refusal(path_, "ends in half a line that cannot be cut off: " + std::string(std::strerror(errno)));
}

bool ResultsStore::write_and_sync(const std::string& text) {
  if (::ftruncate(descriptor_, size_) != 0) {  // what an earlier attempt left
    trouble_ = std::strerror(errno);
    return false;
  }
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      trouble_ = std::strerror(errno);
      static_cast<void>(::ftruncate(descriptor_, size_));
      return false;
    }
    done += static_cast<std::size_t>(written);
  }
  if (::fsync(descriptor_) != 0) {
    trouble_ = std::strerror(errno);
    static_cast<void>(::ftruncate(descriptor_, size_));
    return false;
  }
  size_ += static_cast<long long>(text.size());
  trouble_.clear();
  return true;
}

void ResultsStore::append(const std::string& line) {
  pending_ += line;
  if (write_and_sync(pending_)) pending_.clear();
}

}  // namespace simtrain
