#include "sim/placement/blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace simtrain {

namespace {

std::int64_t product(const std::vector<int>& factors) {
  return std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, std::multiplies<>());
}

// Coordinates of step `step` of a boustrophedon: those of every second pass through a dimension run backwards.
std::vector<int> coordinates_of(std::int64_t step, const std::vector<int>& shape) {
  std::vector<int> at;
  for (const int size : shape) {
    const auto forward = static_cast<int>(step % size);
    step /= size;
    at.push_back(step % 2 == 0 ? forward : size - 1 - forward);
  }
  return at;
}

bool usable(const HostSpace& space, int host) {
  return space.left_out.empty() || space.left_out[static_cast<std::size_t>(host)] == 0;
}

using Blocks = std::vector<std::vector<int>>;

Blocks boxes_of(const HostSpace& space, const std::vector<int>& box, int size) {
  std::vector<int> boxes;
  for (std::size_t d = 0; d < box.size(); ++d) boxes.push_back(space.torus[d] / box[d]);
  Blocks blocks;
  for (std::int64_t b = 0; b < product(boxes); ++b) {
    const std::vector<int> corner = coordinates_of(b, boxes);
    std::vector<int> block;
    for (std::int64_t i = 0; i < product(box); ++i) {
      const std::vector<int> inside = coordinates_of(i, box);
      int host = 0;
      for (std::size_t d = box.size(); d-- > 0;) host = host * space.torus[d] + corner[d] * box[d] + inside[d];
      if (usable(space, host)) block.push_back(host);
    }
    if (static_cast<int>(block.size()) >= size) blocks.push_back(std::move(block));
  }
  return blocks;
}

// Links between opposite corners; a dimension that is there as a whole is a ring.
int diameter(const std::vector<int>& torus, const std::vector<int>& box) {
  int links = 0;
  for (std::size_t d = 0; d < box.size(); ++d) links += box[d] == torus[d] ? box[d] / 2 : box[d] - 1;
  return links;
}

Blocks find_boxes(const HostSpace& space, int size, int count) {
  struct Candidate {
    std::int64_t hosts;
    int links;
    std::vector<int> box;
  };
  std::vector<Candidate> candidates;
  std::vector<int> box(space.torus.size(), 1);
  for (bool more = true; more;) {
    std::int64_t boxes = 1;
    for (std::size_t d = 0; d < box.size(); ++d) boxes *= space.torus[d] / box[d];
    if (product(box) >= size && boxes >= count) candidates.push_back({product(box), diameter(space.torus, box), box});
    std::size_t d = 0;
    while (d < box.size() && box[d] == space.torus[d]) box[d++] = 1;
    more = d < box.size();
    if (more) ++box[d];
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.hosts, a.links, b.box) < std::tie(b.hosts, b.links, a.box);  // longer in x first
  });
  for (const Candidate& one : candidates)
    if (Blocks blocks = boxes_of(space, one.box, size); static_cast<int>(blocks.size()) >= count) return blocks;
  return {};
}

// Blocks of `span` consecutive hosts, as many as fit into each group of `group`.
Blocks cut(const HostSpace& space, int group, int span, int size) {
  Blocks blocks;
  const int hosts = static_cast<int>(space.names.size());
  for (int first = 0; first < hosts; first += group)
    for (int begin = first; begin + span <= std::min(first + group, hosts); begin += span) {
      std::vector<int> block;
      for (int host = begin; host < begin + span; ++host)
        if (usable(space, host)) block.push_back(host);
      if (static_cast<int>(block.size()) >= size) blocks.push_back(std::move(block));
    }
  return blocks;
}

Blocks find_groups_for(const HostSpace& space, int size, int count) {
  const int hosts = static_cast<int>(space.names.size());
  std::vector<int> spans;  // to try: whole groups, then no more than needed, then room for hosts that are left out
  int whole = 1;
  for (const int group : space.groups)
    if (group <= size) whole = group;
  spans.push_back((size + whole - 1) / whole * whole);
  const auto out = static_cast<int>(std::count(space.left_out.begin(), space.left_out.end(), 1));
  for (int span = size; span <= std::min(hosts, size + out); ++span) spans.push_back(span);
  for (const int span : spans) {
    const auto fits = std::find_if(space.groups.begin(), space.groups.end(), [&](int g) { return g >= span; });
    Blocks blocks = cut(space, fits == space.groups.end() ? hosts : *fits, span, size);
    if (static_cast<int>(blocks.size()) >= count) return blocks;
  }
  return {};
}

}  // namespace

std::vector<int> snake_through(const std::vector<int>& torus) {
  std::vector<int> hosts;
  for (std::int64_t step = 0; step < product(torus); ++step) {
    const std::vector<int> at = coordinates_of(step, torus);
    int host = 0;
    for (std::size_t d = torus.size(); d-- > 0;) host = host * torus[d] + at[d];
    hosts.push_back(host);
  }
  return hosts;
}

std::vector<std::vector<int>> find_blocks(const HostSpace& space, int size, int count) {
  Blocks blocks = space.torus.empty() ? find_groups_for(space, size, count) : find_boxes(space, size, count);
  if (!blocks.empty()) blocks.resize(static_cast<std::size_t>(count));
  return blocks;
}

}  // namespace simtrain
