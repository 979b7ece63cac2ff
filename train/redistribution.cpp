#include "train/redistribution.hpp"

#include <algorithm>

namespace simtrain {

namespace {

using Side = Redistribution::Side;

constexpr int kNone = -1;

Partition samples_of(const Redistribution& array, const Side& side) { return {array.batch, side.grid.columns}; }

ArrayBlock block_of(const Redistribution& array, const Side& side, int rank, bool whole) {
  const Coordinates at = side.grid.coordinates(rank);
  const Partition samples = samples_of(array, side);
  ArrayBlock block{0, side.rows.size(), samples.offset(at.column), samples.length(at.column), {0, array.lines}};
  if (side.strips.cut()) {
    block.lines = side.strips.of(at.row);
  } else if (!whole) {
    block.row = side.rows.offset(at.row);
    block.rows = side.rows.length(at.row);
  }
  return block;
}

ArrayBlock common(const ArrayBlock& a, const ArrayBlock& b) {
  const std::int64_t row = std::max(a.row, b.row), sample = std::max(a.sample, b.sample);
  const std::int64_t line = std::max(a.lines.first, b.lines.first);
  return {row,
          std::min(a.row + a.rows, b.row + b.rows) - row,
          sample,
          std::min(a.sample + a.samples, b.sample + b.samples) - sample,
          {line, std::min(a.lines.end(), b.lines.end()) - line}};
}

ArrayBlock needed_by(const Redistribution& array, int rank) { return block_of(array, array.to, rank, array.to.whole); }
// What the rank sends to whoever lacks it.
ArrayBlock supplied_by(const Redistribution& array, int rank) { return block_of(array, array.from, rank, false); }

// The ranks at rows [row, last_row] of columns [column, last_column] of a grid, but those in [hidden, last_hidden].
class Peers {
 public:
  // Those of a side's ranks whose part overlaps a block that is not empty.
  Peers(const Redistribution& array, const Side& side, bool whole, const ArrayBlock& block, int me) {
    if (block.empty()) return;
    const Partition samples = samples_of(array, side);
    stride_ = side.grid.rows;
    column_ = static_cast<int>(samples.part_of(block.sample));
    last_column_ = static_cast<int>(samples.part_of(block.sample + block.samples - 1));
    if (side.strips.cut()) {
      row_ = side.strips.first_beyond(block.lines.first);
      last_row_ = side.strips.last_before(block.lines.end());
      if (row_ > last_row_) last_column_ = column_ - 1;  // lines that nobody looks at
    } else {
      row_ = whole ? 0 : static_cast<int>(side.rows.part_of(block.row));
      last_row_ = whole ? stride_ - 1 : static_cast<int>(side.rows.part_of(block.row + block.rows - 1));
    }
    // Who has all rows has what the others of its column could send.
    const int others = array.from.whole ? array.from.grid.rows : 1;
    hidden_ = me / others * others;
    last_hidden_ = hidden_ + others - 1;
  }

  [[nodiscard]] bool contains(int rank) const { return at_or_after(rank) == rank; }
  [[nodiscard]] int at_or_after(int rank) const {
    const int found = visible_or_hidden_after(rank);
    return hides(found) ? visible_or_hidden_after(last_hidden_ + 1) : found;
  }
  [[nodiscard]] int at_or_before(int rank) const {
    const int found = visible_or_hidden_before(rank);
    return hides(found) ? visible_or_hidden_before(hidden_ - 1) : found;
  }
  [[nodiscard]] std::int64_t count() const {
    const std::int64_t hidden = up_to(last_hidden_) - up_to(hidden_ - 1);
    return up_to(stride_ * (last_column_ + 1) - 1) - hidden;
  }

 private:
  [[nodiscard]] bool hides(int rank) const { return rank >= hidden_ && rank <= last_hidden_; }
  [[nodiscard]] int rank(int row, int column) const { return column * stride_ + row; }
  [[nodiscard]] int visible_or_hidden_after(int from) const {
    const int column = from / stride_, row = from % stride_;
    if (column < column_) return last_column_ < column_ ? kNone : rank(row_, column_);
    if (column > last_column_) return kNone;
    if (row <= last_row_) return rank(std::max(row, row_), column);
    return column < last_column_ ? rank(row_, column + 1) : kNone;
  }
  [[nodiscard]] int visible_or_hidden_before(int from) const {
    if (from < 0) return kNone;
    const int column = from / stride_, row = from % stride_;
    if (column > last_column_) return last_column_ < column_ ? kNone : rank(last_row_, last_column_);
    if (column < column_) return kNone;
    if (row >= row_) return rank(std::min(row, last_row_), column);
    return column > column_ ? rank(last_row_, column - 1) : kNone;
  }
  // How many of them, hidden ones included, have numbers up to this.
  [[nodiscard]] std::int64_t up_to(int number) const {
    if (last_column_ < column_ || number < column_ * stride_) return 0;
    const std::int64_t height = last_row_ - row_ + 1;
    const int column = std::min(number / stride_, last_column_);
    const int row = column < number / stride_ ? last_row_ : number % stride_;
    return (column - column_) * height + std::clamp<std::int64_t>(row - row_ + 1, 0, height);
  }

  int stride_ = 1;
  int row_ = 0, last_row_ = -1, column_ = 0, last_column_ = -1;  // none
  int hidden_ = kNone, last_hidden_ = kNone - 1;
};

Peers receivers_from(const Redistribution& array, int me) {
  return {array, array.to, array.to.whole, supplied_by(array, me), me};
}
Peers senders_to(const Redistribution& array, int me) { return {array, array.from, false, needed_by(array, me), me}; }

// The least k above `round` for which rank me + k (modulo ranks) is among the peers.
int next_up(const Peers& peers, int me, int round, int ranks) {
  const int from = me + round + 1;
  if (from < ranks)
    if (const int found = peers.at_or_after(from); found != kNone) return found - me;
  const int found = peers.at_or_after(std::max(0, from - ranks));
  return found != kNone && found < me ? found + ranks - me : ranks;
}

// The same for rank me - k.
int next_down(const Peers& peers, int me, int round, int ranks) {
  const int from = me - round - 1;
  if (from >= 0)
    if (const int found = peers.at_or_before(from); found != kNone) return me - found;
  const int found = peers.at_or_before(std::min(ranks - 1, from + ranks));
  return found != kNone && found > me ? me + ranks - found : ranks;
}

}  // namespace

int next_round(const Redistribution& array, int rank, int round) {
  const int ranks = array.ranks();
  return std::min(next_up(receivers_from(array, rank), rank, round, ranks),
                  next_down(senders_to(array, rank), rank, round, ranks));
}

Transfer transfer_of(const Redistribution& array, int rank, int round) {
  const int ranks = array.ranks();
  const int ahead = (rank + round) % ranks, behind = (rank - round + ranks) % ranks;
  Transfer transfer;
  if (receivers_from(array, rank).contains(ahead)) {
    transfer.send_to = ahead;
    transfer.send = common(supplied_by(array, rank), needed_by(array, ahead));
  }
  if (senders_to(array, rank).contains(behind)) {
    transfer.receive_from = behind;
    transfer.receive = common(supplied_by(array, behind), needed_by(array, rank));
  }
  return transfer;
}

ArrayBlock kept_block(const Redistribution& array, int rank) {
  return common(block_of(array, array.from, rank, array.from.whole), needed_by(array, rank));
}

bool StoredBlock::contiguous() const {
  return (samples <= 1 || sample_stride == run) && (rows <= 1 || row_stride == samples * run);
}

StoredBlock stored_block(const Redistribution& array, const Side& side, int rank, const ArrayBlock& block) {
  if (block.empty()) return {};
  const ArrayBlock all = block_of(array, side, rank, side.stored);
  const std::int64_t sample_stride = all.lines.count * array.line_floats, row_stride = all.samples * sample_stride;
  return {.offset = (block.row - all.row) * row_stride + (block.sample - all.sample) * sample_stride +
                    (block.lines.first - all.lines.first) * array.line_floats,
          .rows = block.rows,
          .row_stride = row_stride,
          .samples = block.samples,
          .sample_stride = sample_stride,
          .run = block.lines.count * array.line_floats};
}

StoredBlock packed(const StoredBlock& block) {
  return {0, block.rows, block.samples * block.run, block.samples, block.run, block.run};
}

// As few and long runs as both places have.
CopyBlock copy_between(const StoredBlock& from, const StoredBlock& to) {
  CopyBlock copy{.rows = from.samples,
                 .run = from.run,
                 .from_stride = from.sample_stride,
                 .to_stride = to.sample_stride,
                 .planes = from.rows,
                 .from_plane = from.row_stride,
                 .to_plane = to.row_stride};
  if (copy.rows == 1 || (copy.from_stride == copy.run && copy.to_stride == copy.run)) {
    copy.run *= copy.rows;
    copy.rows = 1;
  }
  const auto follow = [&](std::int64_t plane, std::int64_t stride) {
    return copy.planes == 1 || copy.rows == 1 || plane == copy.rows * stride;
  };
  if (follow(copy.from_plane, copy.from_stride) && follow(copy.to_plane, copy.to_stride)) {
    if (copy.rows == 1) {
      copy.from_stride = copy.from_plane;
      copy.to_stride = copy.to_plane;
    }
    copy.rows *= copy.planes;
    copy.planes = 1;
  }
  return copy;
}

std::int64_t scratch_floats(const Redistribution& array, int rank) {
  const auto packed = [&](const Side& side, const ArrayBlock& block) {
    return stored_block(array, side, rank, block).contiguous() ? 0 : array.floats(block);
  };
  std::int64_t most = 0;
  for (int round = next_round(array, rank, 0); round < array.ranks(); round = next_round(array, rank, round)) {
    const Transfer transfer = transfer_of(array, rank, round);
    most = std::max(most, packed(array.from, transfer.send) + packed(array.to, transfer.receive));
  }
  return most;
}

std::int64_t count_messages(const Redistribution& array) {
  std::int64_t messages = 0;
  for (int rank = 0; rank < array.ranks(); ++rank) messages += receivers_from(array, rank).count();
  return messages;
}

}  // namespace simtrain
