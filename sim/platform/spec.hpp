// Platforms written in one word. Pure text: no SimGrid here.
//
//   FAMILY:SHAPE[,KEY=VALUE]...
//
//   torus:16x16x16      hosts per dimension, any number of dimensions; host number = x + 16 (y + 16 z). Neighbours are
//                       joined by full-duplex links; routes go dimension by dimension, the shorter way round.
//   fat-tree:16x8x4     downlinks of the switches of each level, from the leaves: 16 hosts on a leaf switch, 8 leaf
//                       switches in a group, 4 groups = 512 hosts. 16x16 has two levels: 16 leaf switches of 16 hosts.
//     up=16x8           uplinks of each switch of all levels but the top one; default: as many as its downlinks, so
//                       that any half of the hosts can talk to the other half at full speed. fat-tree:16x16,up=4 has
//                       16 hosts on 4 uplinks: 4:1 over-subscribed. SimGrid builds fat trees in time that grows with
//                       hosts x leaf switches: 3 s for 32x32x16 = 16 384 hosts, 45 s for 65 536.
//   ethernet:48         one switch; each host has a full-duplex link to it.
//     backbone=40GBps   what the switch carries in all, both ways together; default: unlimited (non-blocking switch).
//   crossbar:64         as ethernet, but `latency` is that of a whole route: n bytes alone on their two links take
//                       latency + n / bandwidth exactly, the alpha-beta model.
//   node:4              one node of four cores, each a host here and room for one rank; every two are joined through
//   the
//                       node's memory, as in a crossbar. `memory` is the node's, of which each core has its share. With
//                       --network-model calibrated their messages are local ones.
//
// Keys of every family (a unit is always required, base/units.hpp):
//                       torus     fat-tree   ethernet   crossbar  node
//   bandwidth (bw)      6 GB/s    6 GB/s     1.25 GB/s  6 GB/s    20 GB/s  of one direction of one link
//   latency (lat)       400 ns    500 ns     10 us      2 us      100 ns   of one link; crossbar, node: of a route
//   memory              unknown                                            of a host; node: of all of them
// 6 GB/s and 2 us are the alpha and beta of the published evaluation (arXiv 1712.04432); the link latencies of torus
// and fat tree give about 2 us for a route of five hops and through two levels of switches. Ethernet is 10 Gbit/s. A
// node has the figures of the loopback below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

enum class PlatformFamily { torus, fat_tree, ethernet, crossbar, node };

inline constexpr std::int64_t kMostHosts = std::int64_t{1} << 20;

// Ranks on one host talk through a loopback link, never through the network card. A flow gets all of it: copies between
// cores do not slow each other down as flows on a cable do.
inline constexpr double kLoopbackBandwidth_Bps = 20e9;
inline constexpr double kLoopbackLatency_s = 100e-9;

struct PlatformSpec {
  PlatformFamily family = PlatformFamily::crossbar;
  std::vector<int> shape;    // torus: hosts per dimension; fat tree: downlinks per level; else one number, the hosts
  std::vector<int> uplinks;  // fat tree: uplinks per switch, level by level, shape.size() - 1 of them; else empty
  double bandwidth_Bps = 0;
  double latency_s = 0;
  std::optional<double> backbone_Bps;        // ethernet only
  std::optional<std::int64_t> memory_bytes;  // of a host; node: its share

  [[nodiscard]] std::int64_t hosts() const;
  // "3-D torus 16x16x16, links of 6.00 GB/s and 400 ns"
  [[nodiscard]] std::string description() const;
};

// Whether `name` is meant as a specification: letters and dashes, then a colon. A file is meant otherwise.
bool is_platform_spec(std::string_view name);

// InputError "platform 'TEXT'…" that names the key, the value and what was expected, for an unknown family or key (with
// the nearest one), a key given twice, a number or unit that is missing or wrong, more than kMostHosts hosts.
PlatformSpec parse_platform_spec(std::string_view text);

}  // namespace simtrain
