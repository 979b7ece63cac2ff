#pragma once

namespace simtrain {

// One tag for everything: messages between two ranks are received in the order in which they were sent, and SMPI keeps
// 75 bytes for ever for each source, destination and tag.
inline constexpr int kTag = 1;

}  // namespace simtrain
