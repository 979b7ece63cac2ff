// A results file that this process writes: locked, every line on the disk before the next thing happens, and whole or
// not there at all, whenever the process, its children or the machine die.
#pragma once

#include <string>

#include "sim/sweep/results.hpp"

namespace simtrain {

class ResultsStore {
 public:
  // Opens `path` and reads what is in it, or begins it. Nobody else writes it while this object lives: another process
  // that tries gets an InputError, after waiting for two seconds for one that has just died.
  // InputError, and the file stays as it is: it cannot be written, is no regular file, is of another sweep or another
  // version, or has lines that are not ours. Failure when the header cannot be written (a full disk).
  ResultsStore(const std::string& path, const SweepInputs& inputs);
  ~ResultsStore();
  ResultsStore(const ResultsStore&) = delete;
  ResultsStore& operator=(const ResultsStore&) = delete;

  [[nodiscard]] const PointStates& states() const { return states_; }  // when it was opened
  // Bytes of a half-written last line that was cut off then; 0: none.
  [[nodiscard]] std::size_t cut_off_bytes() const { return cut_off_bytes_; }

  // Appends a line and waits until it is on the disk. When that fails (a full disk), the line is kept and the next call
  // tries again; the file ends with a whole line all the same.
  void append(const std::string& line);
  // What went wrong at the last attempt; empty: all lines are on the disk.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

  // For a child process: the lock is the parent's alone, and ends with it.
  void leave_to_parent() const;

 private:
  void lock() const;
  void begin(const SweepInputs& inputs);
  void resume(const std::string& text, const SweepInputs& inputs);
  [[nodiscard]] bool write_and_sync(const std::string& text);

  std::string path_;
  int descriptor_ = -1;
  PointStates states_;
  std::size_t cut_off_bytes_ = 0;
  long long size_ = 0;   // of the whole lines
  std::string pending_;  // lines that are not on the disk yet
  std::string trouble_;
};

}  // namespace simtrain
