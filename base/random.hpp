// A counter-based random generator: the value depends on (seed, stream, index) alone, so that every rank of every grid
// computes the same initial weights and data without communicating.
//
// The mixer is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
// OOPSLA 2014), applied to each counter in turn.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace simtrain {

constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return mix64(mix64(mix64(seed) ^ stream) ^ index);
}

// Uniform in [0, 1), a multiple of 2^-24, hence exact in float.
constexpr float random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return static_cast<float>(random_bits(seed, stream, index) >> 40) * 0x1.0p-24F;
}

// Uniform in [-1, 1).
constexpr float random_symmetric(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return 2.0F * random_unit(seed, stream, index) - 1.0F;
}

// The same with all the digits of a double, from bits of the generator: in [0, 1), a multiple of 2^-53.
constexpr double unit_of(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

// Of the standard normal distribution (Box, Muller, Ann. Math. Stat. 29(2), 1958).
inline double random_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const std::uint64_t bits = random_bits(seed, stream, index);
  return std::sqrt(-2 * std::log1p(-unit_of(bits))) * std::cos(2 * std::numbers::pi * unit_of(mix64(bits)));
}

}  // namespace simtrain
