#include "sim/placement/host_space.hpp"

#include <algorithm>
#include <set>

namespace simtrain {

namespace {

// Hosts per dimension from `stride` on whose neighbours of host 0 are exactly `neighbours`.
bool explain(int hosts, int stride, const std::set<int>& neighbours, std::vector<int>& shape) {
  if (stride == hosts) return neighbours.empty();
  for (int size = hosts / stride; size >= 2; --size) {
    if (hosts % (stride * size) != 0) continue;
    std::set<int> rest = neighbours;
    const std::size_t mine = size == 2 ? 1 : 2;
    if (rest.erase(stride) + (mine == 2 ? rest.erase(stride * (size - 1)) : 0) != mine) continue;
    shape.push_back(size);
    if (explain(hosts, stride * size, rest, shape)) return true;
    shape.pop_back();
  }
  return false;
}

bool is_torus(int hosts, const std::vector<int>& shape, const RouteLength& length) {
  int stride = 1;
  for (const int size : shape) {
    for (int host = 0; host < hosts; ++host) {
      const int at = host / stride % size;
      if (length(host, host + ((at + 1) % size - at) * stride) != 1) return false;
    }
    stride *= size;
  }
  return true;
}

}  // namespace

std::vector<int> find_torus(int hosts, const RouteLength& length) {
  std::set<int> neighbours;
  for (int host = 1; host < hosts; ++host)
    if (length(0, host) == 1) neighbours.insert(host);
  std::vector<int> shape;
  if (hosts < 2 || !explain(hosts, 1, neighbours, shape) || !is_torus(hosts, shape, length)) return {};
  return shape;
}

std::vector<int> find_groups(int hosts, const RouteLength& length) {
  std::vector<int> to_next;
  for (int host = 0; host + 1 < hosts; ++host) to_next.push_back(length(host, host + 1));
  const std::set<int> lengths(to_next.begin(), to_next.end());
  std::vector<int> groups;
  for (const int inside : lengths) {
    const auto first = std::find_if(to_next.begin(), to_next.end(), [&](int links) { return links > inside; });
    if (first == to_next.end()) break;  // the whole platform
    const int size = static_cast<int>(first - to_next.begin()) + 1;
    bool regular = hosts % size == 0;
    for (int host = 0; host + 1 < hosts; ++host)
      regular = regular && ((host + 1) % size == 0) == (to_next[static_cast<std::size_t>(host)] > inside);
    if (regular && size > 1) groups.push_back(size);
  }
  return groups;
}

}  // namespace simtrain
