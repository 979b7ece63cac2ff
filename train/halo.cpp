#include "train/halo.hpp"

namespace simtrain {

HaloCopy kept_of(const Halo& halo, int rank) {
  const Redistribution& array = halo.array;
  const ArrayBlock kept = kept_block(array, rank);
  HaloCopy copy{stored_block(array, halo.source(), rank, kept), stored_block(array, halo.target(), rank, kept)};
  if (!halo.gradient) return copy;
  const Coordinates at = array.from.grid.coordinates(rank);
  const ArrayBlock own{0, array.from.rows.size(), 0, Partition{array.batch, array.from.grid.columns}.length(at.column),
                       array.from.strips.of(at.row)};
  if (array.floats(own) != array.floats(kept)) copy.cleared = array.floats(own);
  return copy;
}

std::int64_t scratch_floats(const Halo& halo, int rank) {
  return for_each_leg(halo, rank, [](const HaloLeg&) {});
}

void for_each_operation(const Halo& halo, int rank, const std::function<void(const Operation&)>& visit) {
  for_each_leg(halo, rank, [&](const HaloLeg& leg) {
    if (leg.send_scratch != HaloLeg::kInPlace) visit(copy_between(leg.send, packed(leg.send)));
    if (leg.receive_scratch == HaloLeg::kInPlace) return;
    CopyBlock arrival = copy_between(packed(leg.receive), leg.receive);
    arrival.add = halo.gradient;
    visit(arrival);
  });
  const HaloCopy kept = kept_of(halo, rank);
  if (kept.cleared > 0) visit(Clear{kept.cleared});
  if (kept.from.floats() > 0) visit(copy_between(kept.from, kept.to));
}

bool trivial(const Strips& image, const Strips& seen) {
  for (int strip = 0; strip < image.count(); ++strip) {
    const Lines own = image.of(strip), looked_at = seen.of(strip);
    if (own.count != looked_at.count || (own.count > 0 && own.first != looked_at.first)) return false;
  }
  return true;
}

}  // namespace simtrain
