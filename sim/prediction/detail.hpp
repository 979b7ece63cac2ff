// How closely collectives are simulated: every message, or rounds merged (train/merged.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simtrain {

enum class Detail { automatic, messages, merged };
std::string_view name_of(Detail detail);  // "auto", "messages", "merged"
Detail parse_detail(std::string_view option, std::string_view text);

// Why a job needs every message.
struct MessagesNeeded {
  bool real_payloads = false;
  bool library_collectives = false;  // whose messages are not ours to merge
  bool by_size = false;              // a network model that prices a message by its own size
  bool overlap = false;              // messages of several collectives, in each other's way as they come
};

// What `automatic` stands for, as far as can be told without the platform: it is `messages` too where merging is not
// known to be near them (sim/engine/merged.hpp). Any other comes back unchanged. InputError when `merged` is asked for
// and every message is needed.
Detail resolve(Detail detail, double messages, const MessagesNeeded& needed);

}  // namespace simtrain
