#include "calibrate/rotation.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/units.hpp"

namespace simtrain {
namespace {

constexpr std::int64_t kAlignment = 64;  // bytes
constexpr auto kFloatBytes = static_cast<std::int64_t>(sizeof(float));

float* allocate(std::int64_t floats) {
  const std::int64_t bytes = (floats * kFloatBytes / kAlignment + 1) * kAlignment;
  auto* memory =
      static_cast<float*>(std::aligned_alloc(static_cast<std::size_t>(kAlignment), static_cast<std::size_t>(bytes)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void OperandRotation::Release::operator()(float* memory) const { std::free(memory); }

OperandRotation::OperandRotation(std::int64_t floats, bool random, std::uint64_t seed)
    : capacity_(std::max(floats, kWarmBytes / kFloatBytes)), memory_(allocate(capacity_)) {
  for (std::int64_t i = 0; i < capacity_; ++i)
    memory_.get()[i] = random ? random_symmetric(seed, 0, static_cast<std::uint64_t>(i)) : 0.0F;
}

Buffer OperandRotation::next(std::int64_t floats) {
  SIMTRAIN_INVARIANT(floats <= capacity_, std::to_string(floats) + " of " + std::to_string(capacity_));
  if (floats * kFloatBytes <= kIm2colBytes) return take(floats, kWarmBytes / kFloatBytes, warm_cursor_);
  return take(floats, capacity_, cold_cursor_);
}

Buffer OperandRotation::hot(std::int64_t floats) {
  SIMTRAIN_INVARIANT(floats <= capacity_, std::to_string(floats) + " of " + std::to_string(capacity_));
  const std::int64_t line = kAlignment / kFloatBytes;
  return {memory_.get() + (capacity_ - floats) / line * line, floats, false};
}

Buffer OperandRotation::take(std::int64_t floats, std::int64_t window, std::int64_t& cursor) {
  if (cursor + floats > window) cursor = 0;
  const Buffer buffer{memory_.get() + cursor, floats, false};
  const std::int64_t line = kAlignment / kFloatBytes;
  cursor += (floats + line - 1) / line * line;
  return buffer;
}

std::string describe_rotation(std::int64_t capacity_floats) {
  return "what the operation before wrote stays in place; other operands up to " +
         format_bytes(static_cast<double>(kIm2colBytes)) + " rotate through " +
         format_bytes(static_cast<double>(kWarmBytes)) + " (in the last-level cache), larger ones through " +
         format_bytes(static_cast<double>(capacity_floats * kFloatBytes)) + " (in memory)";
}

}  // namespace simtrain
