#include "sim/platform/bisection.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <cmath>
#include <limits>
#include <map>

namespace simtrain {

namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>;
struct VertexData {
  Traits::edge_descriptor predecessor;
  boost::default_color_type colour;
  long distance;
};
struct EdgeData {
  std::int64_t capacity = 0, residual = 0;  // whole bytes per second: exact, and the algorithm surely ends
  Traits::edge_descriptor reverse{};
};
// Bidirectional, though one direction would do: GCC 12 warns wrongly of uninitialised iterators over the edges of
// directedS.
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, VertexData, EdgeData>;

constexpr std::size_t kSource = 0, kSink = 1;

// All hosts of a part are one vertex, since a cable between two of them limits nothing. A switch with a backbone is
// two, joined by it.
class FlowNetwork {
 public:
  FlowNetwork(const Topology& topology, const std::vector<bool>& second)
      : topology_(topology), second_(second), switches_(topology.vertices() - topology.hosts()) {
    for (std::int32_t link = 0; link < topology.links(); ++link) {
      const auto [from, to] = topology.ends(link);
      const auto capacity = static_cast<std::int64_t>(std::llround(topology.class_of(link).bandwidth_Bps));
      const bool backbone = from == to;
      add(backbone ? entry(from) : exit(from), backbone ? exit(to) : entry(to), capacity);
      backbones_[from] = backbones_[from] || backbone;
    }
    for (const auto& [vertex, has_backbone] : backbones_)
      if (vertex >= topology.hosts() && !has_backbone)
        add(entry(vertex), exit(vertex), std::numeric_limits<std::int64_t>::max() / 4);
  }

  [[nodiscard]] std::int64_t maximum_flow() const {
    Graph graph(2 + 2 * static_cast<std::size_t>(switches_));
    for (const auto& [ends, capacity] : capacities_) {
      const auto there = boost::add_edge(ends.first, ends.second, graph).first;
      const auto back = boost::add_edge(ends.second, ends.first, graph).first;
      graph[there] = {capacity, 0, back};
      graph[back] = {0, 0, there};
    }
    return boost::boykov_kolmogorov_max_flow(
        graph, boost::get(&EdgeData::capacity, graph), boost::get(&EdgeData::residual, graph),
        boost::get(&EdgeData::reverse, graph), boost::get(&VertexData::predecessor, graph),
        boost::get(&VertexData::colour, graph), boost::get(&VertexData::distance, graph),
        boost::get(boost::vertex_index, graph), kSource, kSink);
  }

 private:
  [[nodiscard]] std::size_t entry(std::int32_t vertex) const {
    if (vertex < topology_.hosts()) return second_[static_cast<std::size_t>(vertex)] ? kSink : kSource;
    return 2 + static_cast<std::size_t>(vertex - topology_.hosts());
  }
  [[nodiscard]] std::size_t exit(std::int32_t vertex) const {
    return vertex < topology_.hosts() ? entry(vertex) : entry(vertex) + static_cast<std::size_t>(switches_);
  }
  void add(std::size_t from, std::size_t to, std::int64_t capacity) {
    if (from != to) capacities_[{from, to}] += capacity;
  }

  const Topology& topology_;
  const std::vector<bool>& second_;
  std::int32_t switches_;
  std::map<std::int32_t, bool> backbones_;  // by the vertex
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> capacities_;
};

// What all traffic has to cross, in both directions together; infinite without one.
double backbone_Bps(const Topology& topology) {
  double narrowest = std::numeric_limits<double>::infinity();
  for (const LinkClass& its : topology.classes())
    if (const auto [from, to] = topology.ends(its.first); from == to)
      narrowest = std::min(narrowest, its.bandwidth_Bps);
  return narrowest;
}

}  // namespace

double flow_Bps(const Topology& topology, const std::vector<bool>& second) {
  return static_cast<double>(FlowNetwork(topology, second).maximum_flow());
}

Bisection bisection(const Topology& topology) {
  double narrowest = std::numeric_limits<double>::infinity();
  for (const std::vector<bool>& second : topology.halves()) narrowest = std::min(narrowest, flow_Bps(topology, second));
  return {narrowest, std::min(2 * narrowest, backbone_Bps(topology))};
}

}  // namespace simtrain
