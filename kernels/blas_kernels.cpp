#include "kernels/blas_kernels.hpp"

#include <cblas.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <new>
#include <string_view>

#include "base/error.hpp"
#include "kernels/execute.hpp"

namespace simtrain {

void require(const Operands& operands, std::size_t i, std::int64_t floats) {
  const Buffer& buffer = operands[i];
  SIMTRAIN_INVARIANT(!buffer.phantom, "operand " + std::to_string(i) + " is a phantom");
  SIMTRAIN_INVARIANT(buffer.count >= floats, "operand " + std::to_string(i) + " has " + std::to_string(buffer.count) +
                                                 " floats, the operation needs " + std::to_string(floats));
}

void execute(const Operation& operation, const Operands& operands) {
  std::visit([&](const auto& op) { execute_operation(op, operands); }, operation);
}

BlasKernels::BlasKernels(std::function<double()> now) : now_(std::move(now)) {}

BlasKernels::~BlasKernels() {
  for (float* memory : owned_) std::free(memory);
}

Buffer BlasKernels::allocate(std::int64_t floats) {
  constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector
  SIMTRAIN_INVARIANT(floats >= 0, std::to_string(floats) + " floats");
  const std::size_t bytes = (static_cast<std::size_t>(floats) * sizeof(float) / kAlignment + 1) * kAlignment;
  auto* memory = static_cast<float*>(std::aligned_alloc(kAlignment, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  owned_.push_back(memory);
  std::fill_n(memory, floats, 0.0F);  // touches the pages as well: no page faults inside the timed iterations
  return {memory, floats, false};
}

Event BlasKernels::enqueue(const Operation& operation, const Operands& operands, Account account) {
  SIMTRAIN_INVARIANT(account >= 0, "account " + std::to_string(account));
  const auto i = static_cast<std::size_t>(account);
  if (i >= accounts_.size()) accounts_.resize(i + 1);
  const double start = now_();
  execute(operation, operands);
  const double end = now_();
  Booked& booked = accounts_[i];
  booked.busy_s += end - start;
  booked.interval = {booked.used ? booked.interval.begin_s : start, end};
  booked.used = true;
  if (told_) told_(account, {start, end});
  return {++done_};
}

void BlasKernels::wait(Event event) {
  SIMTRAIN_INVARIANT(event.ticket <= done_, "event " + std::to_string(event.ticket) + " of another queue");
}

double BlasKernels::busy_s(Account account) const {
  const auto i = static_cast<std::size_t>(account);
  return i < accounts_.size() ? accounts_[i].busy_s : 0;
}

Interval BlasKernels::interval(Account account) const {
  const auto i = static_cast<std::size_t>(account);
  return i < accounts_.size() ? accounts_[i].interval : Interval{};
}

void BlasKernels::reset_accounts() { accounts_.assign(accounts_.size(), {}); }

void BlasKernels::fill(Buffer buffer, const std::function<float(std::int64_t)>& value) {
  if (buffer.phantom) return;
  for (std::int64_t i = 0; i < buffer.count; ++i) buffer.data[i] = value(i);
}

std::span<float> BlasKernels::write(Buffer buffer) {
  if (buffer.phantom) return {};
  return {buffer.data, static_cast<std::size_t>(buffer.count)};
}

std::span<const float> BlasKernels::read(Buffer buffer) {
  if (buffer.phantom) return {};
  return {buffer.data, static_cast<std::size_t>(buffer.count)};
}

BlasIdentity blas_identity() {
  std::string library = openblas_get_config();
  library.resize(std::min(
      library.size(), library.find(" ", library.find(" ") + 1)));  // "OpenBLAS 0.3.21"; what follows are build options
  return {library, openblas_get_corename(), openblas_get_num_threads()};
}

std::string blas_warning(const BlasIdentity& blas) {
#if defined(__x86_64__)
  static constexpr std::array<std::string_view, 6> kWithAvx2{"Haswell",  "Zen",        "Excavator",
                                                             "SkylakeX", "Cooperlake", "SapphireRapids"};
  const auto same = [&](std::string_view name) {
    return std::equal(name.begin(), name.end(), blas.core_type.begin(), blas.core_type.end(),
                      [](char a, char b) { return std::tolower(a) == std::tolower(b); });
  };
  if (__builtin_cpu_supports("avx2") == 0 || std::any_of(kWithAvx2.begin(), kWithAvx2.end(), same)) return "";
  const char* better = __builtin_cpu_supports("avx512f") != 0 ? "SkylakeX" : "Haswell";
  return blas.library + " does not know this processor and uses its " + blas.core_type +
         " kernels, without the processor's vector units; set OPENBLAS_CORETYPE=" + better +
         " in the environment for several times the speed";
#else
  return "";
#endif
}

void use_blas_threads(int threads) { openblas_set_num_threads(threads); }

}  // namespace simtrain
