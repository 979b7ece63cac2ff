#include "kernels/modelled.hpp"

#include <sys/mman.h>

#include <string>

#include "base/error.hpp"

namespace simtrain {

OperationCost PricedOperations::price(const Operation& operation, Noise* noise) {
  OperationCost cost;
  for_each_call(operation, [&](const Call& call, std::int64_t times) {
    auto known = known_.find(call);
    if (known == known_.end()) known = known_.emplace(call, model_.estimate(call)).first;
    double seconds = known->second.seconds * static_cast<double>(times) / compute_scale_;
    if (noise != nullptr) seconds *= noise->factor(call, times);
    cost.seconds += seconds;
    if (beyond_ || !known->second.measured_range) cost.extrapolated_s += seconds;
  });
  return cost;
}

std::size_t PricedOperations::place_of(Account account) {
  SIMTRAIN_INVARIANT(account >= 0, "account " + std::to_string(account));
  const auto at = static_cast<std::size_t>(account);
  if (at >= place_of_.size()) place_of_.resize(at + 1, -1);
  if (place_of_[at] < 0) place_of_[at] = static_cast<std::int32_t>(places_++);
  return static_cast<std::size_t>(place_of_[at]);
}

std::optional<std::size_t> PricedOperations::known_place_of(Account account) const {
  SIMTRAIN_INVARIANT(account >= 0, "account " + std::to_string(account));
  const auto at = static_cast<std::size_t>(account);
  if (at >= place_of_.size() || place_of_[at] < 0) return std::nullopt;
  return static_cast<std::size_t>(place_of_[at]);
}

namespace {

// What phantoms point to: a reserved range of addresses without memory. MPI accepts them, different buffers have
// different ones (SimGrid 4 refuses to send from where it receives), and whoever reads or writes one is caught by the
// processor. The ranks of a simulation use the same range: they could not share less than nothing.
constexpr std::size_t kPhantomBytes = std::size_t{1} << 44;

float* phantom_range() {
  static void* const range =
      ::mmap(nullptr, kPhantomBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw Failure("16 TiB of addresses cannot be reserved; is there a limit (ulimit -v)?");
  return static_cast<float*>(range);
}

}  // namespace

ModelledKernels::ModelledKernels(PricedOperations& prices, std::function<void(double)> charge,
                                 std::unique_ptr<Kernels> numbers, std::function<double()> now,
                                 std::unique_ptr<Noise> noise)
    : prices_(prices),
      charge_(std::move(charge)),
      now_(std::move(now)),
      numbers_(std::move(numbers)),
      noise_(std::move(noise)) {}

Buffer ModelledKernels::allocate(std::int64_t floats) {
  if (numbers_) return numbers_->allocate(floats);
  SIMTRAIN_INVARIANT(static_cast<std::size_t>(phantom_floats_ + floats) < kPhantomBytes / sizeof(float),
                     std::to_string(floats) + " floats");
  const Buffer buffer{phantom_range() + phantom_floats_, floats, true};
  phantom_floats_ += floats + 1;  // empty buffers have addresses of their own too
  return buffer;
}

Event ModelledKernels::enqueue(const Operation& operation, const Operands& operands, Account account) {
  pending_.push_back({account, prices_.price(operation, noise_.get())});
  if (numbers_) numbers_->enqueue(operation, operands, account);
  return {++enqueued_};
}

void ModelledKernels::wait(Event event) {
  if (event.ticket == 0) return;
  end_aside();  // what goes on was enqueued before what is pending
  if (pending_.empty()) return;
  const std::uint64_t charged = enqueued_ - pending_.size();
  if (event.ticket <= charged) return;
  if (numbers_) numbers_->wait(event);  // the same ticket or an earlier one: both queues have seen these operations
  const auto count = static_cast<std::size_t>(event.ticket - charged);
  const double start = now_ ? now_() : charged_s_;
  double priced_s = 0;
  for (std::size_t i = 0; i < count; ++i) priced_s += pending_[i].cost.seconds;
  charge_(priced_s);
  book(std::span(pending_).first(count), priced_s, start, now_ ? now_() : start + priced_s);
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
  charged_s_ += priced_s;
}

void ModelledKernels::book(std::span<const Booking> bookings, double priced_s, double start_s, double end_s) {
  // On a slow host, or one whose ranks are more than its cores, it took longer than the price.
  double slower = 1;
  if (const double took_s = now_ ? end_s - start_s : priced_s; took_s > (1 + 1e-9) * priced_s && priced_s > 0)
    slower = took_s / priced_s;
  double seconds = 0;
  for (const Booking& booking : bookings) {
    const std::size_t place = prices_.place_of(booking.account);
    if (place >= accounts_.size()) {
      constexpr std::size_t kMore = 8;  // at a time: more would be room that thousands of ranks do not use
      accounts_.reserve(place / kMore * kMore + kMore);
      accounts_.resize(place + 1);
    }
    Booked& booked = accounts_[place];
    booked.cost.seconds += slower * booking.cost.seconds;
    booked.cost.extrapolated_s += slower * booking.cost.extrapolated_s;
    const double begin_s = start_s + seconds;
    if (booked.interval.begin_s == kNever) booked.interval.begin_s = begin_s;
    seconds += slower * booking.cost.seconds;
    booked.interval.end_s = start_s + seconds;
    if (told_) told_(booking.account, {begin_s, booked.interval.end_s});
  }
}

void ModelledKernels::compute_aside(std::unique_ptr<ComputingAside> aside, std::function<void(double)> pass) {
  SIMTRAIN_INVARIANT(now_ != nullptr, "no clock");
  aside_ = std::move(aside);
  pass_ = std::move(pass);
}

void ModelledKernels::go_on() {
  if (aside_ == nullptr || pending_.empty()) return;
  end_aside();
  going_on_.swap(pending_);
  going_on_priced_s_ = 0;
  for (const Booking& booking : going_on_) going_on_priced_s_ += booking.cost.seconds;
  going_on_since_s_ = now_();
  aside_->start(going_on_priced_s_);
}

void ModelledKernels::end_aside() {
  if (going_on_.empty()) return;
  book(going_on_, going_on_priced_s_, going_on_since_s_, aside_->wait());
  going_on_.clear();
}

double ModelledKernels::idle_since() {
  if (going_on_.empty() && pending_.empty()) return Kernels::idle_since();
  return pending_.empty() && aside_->done() ? aside_->wait() : std::numeric_limits<double>::infinity();
}

void ModelledKernels::execute_beside(const Operation& operation, const Operands& operands, Account account) {
  if (pass_ == nullptr) return Kernels::execute_beside(operation, operands, account);
  if (numbers_) numbers_->execute_beside(operation, operands, account);
  const Booking booking{account, prices_.price(operation, noise_.get())};
  const double start_s = now_();
  pass_(booking.cost.seconds);
  book({&booking, 1}, booking.cost.seconds, start_s, now_());
}

const ModelledKernels::Booked* ModelledKernels::booked(Account account) const {
  const std::optional<std::size_t> place = prices_.known_place_of(account);
  return place && *place < accounts_.size() ? &accounts_[*place] : nullptr;
}

double ModelledKernels::busy_s(Account account) const {
  const Booked* its = booked(account);
  return its != nullptr ? its->cost.seconds : 0;
}

double ModelledKernels::extrapolated_s(Account account) const {
  const Booked* its = booked(account);
  return its != nullptr ? its->cost.extrapolated_s : 0;
}

Interval ModelledKernels::interval(Account account) const {
  const Booked* its = booked(account);
  return its != nullptr && its->interval.begin_s != kNever ? its->interval : Interval{};
}

void ModelledKernels::reset_accounts() {
  accounts_.assign(accounts_.size(), {});
  if (numbers_) numbers_->reset_accounts();
}

void ModelledKernels::fill(Buffer buffer, const std::function<float(std::int64_t)>& value) {
  if (numbers_) numbers_->fill(buffer, value);
}

std::span<float> ModelledKernels::write(Buffer buffer) {
  wait({enqueued_});
  if (!numbers_) return {};
  return numbers_->write(buffer);
}

std::span<const float> ModelledKernels::read(Buffer buffer) {
  wait({enqueued_});  // with and without numbers, so that both tell the same time
  if (!numbers_) return {};
  return numbers_->read(buffer);
}

}  // namespace simtrain
