// Overlap of communication with computing: what of it is asked for, and how real the background is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simtrain {

// none: a rank computes or communicates. gradients: all-reduces of weight gradients run behind the rest of the backward
// pass, in buckets. all: also, what else is independent of the computing that follows it: the all-reduce of a layer's
// data gradient behind the product for its weight gradient, an all-gather behind layers that do not read it.
enum class Overlap { none, gradients, all };
std::string_view name_of(Overlap overlap);
Overlap parse_overlap(std::string_view option, std::string_view text);

// How a collective in the background gets on.
//   ideal    at any time: there is a core, or a network card, that does nothing else, additions included
//   polling  between the operations that the rank computes: messages of a round move by themselves, but somebody has
//            to notice their arrival, add, and send the next ones
//   none     the messages of its first round move by themselves, the rest takes place when the rank waits for it
enum class Progress { ideal, polling, none };
std::string_view name_of(Progress progress);
Progress parse_progress(std::string_view option, std::string_view text);

struct OverlapOptions {
  Overlap overlap = Overlap::none;
  Progress progress = Progress::ideal;
  std::int64_t bucket_bytes = std::int64_t{25} << 20;  // as in PyTorch's DistributedDataParallel

  [[nodiscard]] bool any() const { return overlap != Overlap::none; }
};

}  // namespace simtrain
