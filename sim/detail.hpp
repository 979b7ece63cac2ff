// How closely collectives are simulated: every message, or rounds merged (train/merged.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "train/plan.hpp"

namespace simtrain {

enum class Detail { automatic, messages, merged };
std::string_view name_of(Detail detail);  // "auto", "messages", "merged"
Detail parse_detail(std::string_view option, std::string_view text);

// Messages of an iteration of all ranks, empty ones counted: an upper bound, exact where no block is empty.
double messages_of(const Plan& plan);

// What `automatic` stands for, as far as can be told without the platform: it is `messages` too where flows share links
// unequally (sim/merged.hpp, regular()). Any other comes back unchanged. InputError when `merged` is asked for and
// cannot be: with real payloads, or with the library's collectives, whose messages are not ours to merge.
Detail resolve(Detail detail, double messages, bool real_payloads, bool library_collectives);

}  // namespace simtrain
