#pragma once

namespace simtrain {

// One tag for everything: messages between two ranks are received in the order in which they were sent, and SMPI keeps
// 75 bytes for ever for each source, destination and tag.
inline constexpr int kTag = 1;
// Of collectives in the background, whose messages are under way together with others.
inline constexpr int kBackgroundTag = 2;

}  // namespace simtrain
