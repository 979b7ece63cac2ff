#include "train/strips.hpp"

namespace simtrain {

int Strips::first_beyond(std::int64_t line) const {
  int low = 0, high = count();  // the answer is in [low, high]
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (of(middle).end() > line)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

int Strips::last_before(std::int64_t end) const {
  int low = -1, high = count() - 1;
  while (low < high) {
    const int middle = high - (high - low) / 2;
    if (of(middle).first < end)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

Lines interior_of(const Strips& windows, const Strips& image, int strip) {
  const Lines own = image.of(strip);
  const std::int64_t begin = windows.outputs.offset(strip), end = begin + windows.outputs.length(strip);
  const std::int64_t stride = windows.stride;
  // Windows end at the image's borders: nothing lies beyond them.
  std::int64_t first = begin, last = end;
  if (own.first > 0) first = std::max(begin, (own.first + windows.padding + stride - 1) / stride);
  if (own.end() < windows.height) {
    const std::int64_t room = own.end() + windows.padding - windows.window;  // where the last such window may begin
    last = std::min(end, room < 0 ? 0 : room / stride + 1);
  }
  if (first >= last) return {end - begin, 0};
  return {first - begin, last - first};
}

}  // namespace simtrain
