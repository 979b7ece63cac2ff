#include <algorithm>

#include "train/cost.hpp"

namespace simtrain {

std::vector<double> begin_halo(const Halo& halo, AlphaBeta network, const HaloPrices& prices,
                               std::vector<double>& clocks) {
  const int ranks = halo.array.ranks();
  const auto size = static_cast<std::size_t>(ranks);
  std::vector<double> ready(clocks);
  std::vector<std::int64_t> sent(size), received(size);  // floats
  for (int rank = 0; rank < ranks; ++rank) {
    const auto me = static_cast<std::size_t>(rank);
    for_each_leg(halo, rank, [&](const HaloLeg& leg) {
      if (leg.send_scratch != HaloLeg::kInPlace) ready[me] += prices.copy_s(leg.send.floats());
      sent[me] += leg.send.floats();
      received[me] += leg.receive.floats();
    });
    clocks[me] = ready[me];
    const HaloCopy kept = kept_of(halo, rank);
    if (kept.cleared > 0) clocks[me] += prices.clear_s(kept.cleared);
    if (kept.from.floats() > 0) clocks[me] += prices.copy_s(kept.from.floats());
  }
  const double seconds_per_float = network.seconds_per_byte * sizeof(float);
  const auto message_end = [&](std::size_t sender, std::size_t receiver) {
    const std::int64_t floats = std::max(sent[sender], received[receiver]);
    return std::max(ready[sender], ready[receiver]) + network.latency_s +
           seconds_per_float * static_cast<double>(floats);
  };
  std::vector<double> through(ready);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto me = static_cast<std::size_t>(rank);
    for_each_leg(halo, rank, [&](const HaloLeg& leg) {
      if (leg.send_to >= 0) through[me] = std::max(through[me], message_end(me, static_cast<std::size_t>(leg.send_to)));
      if (leg.receive_from >= 0)
        through[me] = std::max(through[me], message_end(static_cast<std::size_t>(leg.receive_from), me));
    });
  }
  return through;
}

void end_halo(const Halo& halo, const HaloPrices& prices, const std::vector<double>& through,
              std::vector<double>& clocks) {
  for (int rank = 0; rank < halo.array.ranks(); ++rank) {
    double& clock = clocks[static_cast<std::size_t>(rank)];
    clock = std::max(clock, through[static_cast<std::size_t>(rank)]);
    for_each_leg(halo, rank, [&](const HaloLeg& leg) {
      if (leg.receive_scratch != HaloLeg::kInPlace)
        clock += (halo.gradient ? prices.add_s : prices.copy_s)(leg.receive.floats());
    });
  }
}

}  // namespace simtrain
