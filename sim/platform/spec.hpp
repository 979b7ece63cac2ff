// Platforms written in one word. Pure text: no SimGrid here.
//
//   FAMILY:SHAPE[,KEY=VALUE]...
//
//   torus:16x16x16      hosts per dimension, any number of dimensions; host number = x + 16 (y + 16 z). Neighbours are
//                       joined by full-duplex links; routes go dimension by dimension, the shorter way round. In a
//                       dimension of 2 hosts, two cables join them.
//   fat-tree:16x8x4     downlinks of the switches of each level, from the leaves: 16 hosts on a leaf switch, 8 leaf
//                       switches in a group, 4 groups = 512 hosts. 16x16 has two levels: 16 leaf switches of 16 hosts.
//     up=16x8           switches of the next level that each switch is joined to, for all levels but the top one;
//                       default: as many as its downlinks, so that any half of the hosts can talk to the other half at
//                       full speed. fat-tree:16x16,up=4 has 16 hosts on 4 uplinks: 4:1 over-subscribed.
//     cables=2x1        parallel cables to each of them; default: 1. fat-tree:18x16,up=9,cables=2 has 18 uplinks.
//   leaf-spine:16x32    leaf switches x hosts on each; every leaf is joined to every spine switch.
//     spines=8          default: the fewest with which a leaf is not over-subscribed. Each spine can be anywhere: a
//                       flow's is chosen by its destination, so flows to one host meet on one uplink, and flows to the
//                       hosts of a leaf are spread evenly. (Real ECMP hashes: at times two flows meet and a spine
//                       idles.)
//     cables=2          parallel cables from each leaf to each spine; default: 1
//   dragonfly:9x4x2     groups x routers in a group x hosts on a router (J. Kim et al., ISCA 2008). The routers of a
//                       group are joined all to all; every two groups by equally many global cables, which are spread
//                       over their routers. Routes are the shortest: at most router, global cable, router.
//     global=2          global ports of a router; default: as many as it has hosts, or, where that joins too few
//     groups,
//                       the fewest that join all. With G groups of A routers, every two groups have
//                       A x global / (G - 1) cables, rounded down; ports beyond that stay empty.
//   ethernet:48         one switch; each host has a full-duplex link to it.
//     backbone=40GBps   what the switch carries in all, both ways together; default: unlimited (non-blocking switch).
//   crossbar:64         as ethernet, but `latency` is that of a whole route: n bytes alone on their two links take
//                       latency + n / bandwidth exactly, the alpha-beta model.
//   node:4              one node of four cores, each a host here and room for one rank; every two are joined through
//   the
//                       node's memory, as in a crossbar. `memory` is the node's, of which each core has its share. With
//                       --network-model calibrated their messages are local ones.
//
// Keys of links (a unit is always required, base/units.hpp). Bandwidths are of one direction of one cable, latencies of
// one cable, of a whole route with crossbar and node:
//                             torus    fat-tree    leaf-spine  dragonfly  ethernet   crossbar  node
//   bandwidth (bw)            6 GB/s   6 GB/s      25 Gbit/s   25 GB/s    10 Gbit/s  6 GB/s    20 GB/s
//   latency (lat)             400 ns   500 ns      5 us        400 ns     10 us      2 us      100 ns
//   uplink-bandwidth                   =bandwidth  100 Gbit/s                                            of switches
//   uplink-latency                     =latency    1 us
//   local-bandwidth                                            =bandwidth                                in a group
//   local-latency                                              =latency
//   global-bandwidth                                           =bandwidth                                between groups
//   global-latency                                             500 ns
// 6 GB/s and 2 us are the alpha and beta of the published evaluation (arXiv 1712.04432); the link latencies of torus,
// fat tree and dragonfly give about 2 us for a route of five hops and through two levels of switches. 25 GB/s is a
// 200 Gbit/s link; a global cable is 20 m longer, at 5 ns/m. The latencies of Ethernet are a kernel's, not a switch's.
// A node has the figures of the inside of a host.
//
// Keys of what is inside a host, for all families but node, which is one:
//   memory=64GiB              of the host, shared by its ranks; default: unknown
//   cores=8                   cores or accelerators: so many ranks of a host compute without slowing each other down;
//                             more ranks share them equally. Default: no limit
//   inside=20GBps             bandwidth of each message between two ranks of the host
//   inside-latency=100ns      its latency
//   inside-total=100GBps      what all messages that are under way inside the host get together, in equal parts (of a
//                             memory bus); default: no limit, so that each has `inside` (of links between any two
//                             accelerators)
// Messages to other hosts do not use it, and messages inside a host do not use the network. All ranks of a host share
// its own cables (its NIC): k messages that leave it over one cable at once get 1/k of that cable each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

enum class PlatformFamily { torus, fat_tree, leaf_spine, dragonfly, ethernet, crossbar, node };

inline constexpr std::int64_t kMostHosts = std::int64_t{1} << 20;
inline constexpr std::int64_t kMostCables = std::int64_t{1} << 23;

// Between ranks of one host, when nobody says otherwise; also for hosts of XML zones that have none of their own.
inline constexpr double kLoopbackBandwidth_Bps = 20e9;
inline constexpr double kLoopbackLatency_s = 100e-9;

struct LinkFigures {
  double bandwidth_Bps = 0, latency_s = 0;
};

// What is inside a host.
struct HostInside {
  std::optional<int> cores;                                      // none: any number of ranks compute at full speed
  LinkFigures link{kLoopbackBandwidth_Bps, kLoopbackLatency_s};  // of each message
  std::optional<double> total_Bps;                               // of all messages together; none: unlimited
};

struct PlatformSpec {
  PlatformFamily family = PlatformFamily::crossbar;
  std::vector<int> shape;    // as written; see above
  std::vector<int> uplinks;  // fat tree, leaf-spine: switches above a switch, from the leaves, all levels but the top
  std::vector<int> cables;   // to each of them; as many numbers
  int global_ports = 0;      // dragonfly: of a router
  double bandwidth_Bps = 0;  // of a host's links
  double latency_s = 0;
  LinkFigures between_switches;        // fat tree and leaf-spine: of all cables between switches; dragonfly: in a group
  LinkFigures between_groups;          // dragonfly
  std::optional<double> backbone_Bps;  // ethernet only
  double backbone_latency_s = 0;       // from XML only
  std::optional<std::int64_t> memory_bytes;  // of a host; node: its share
  HostInside inside;                         // unused in node

  [[nodiscard]] std::int64_t hosts() const;
  // Fat tree and leaf-spine: downlinks of the switches of each level, from the leaves; {32, 16} of leaf-spine:16x32.
  [[nodiscard]] std::vector<int> downlinks() const;
  // Dragonfly: between every two groups.
  [[nodiscard]] std::int64_t global_cables() const;
  // "3-D torus 16x16x16, links of 6.00 GB/s and 400 ns"
  [[nodiscard]] std::string description() const;
};

// Whether `name` is meant as a specification: letters and dashes, then a colon. A file is meant otherwise.
bool is_platform_spec(std::string_view name);

// InputError "platform 'TEXT'…" that names the key, the value and what was expected, for an unknown family or key (with
// the nearest one), a key given twice, a number or unit that is missing or wrong, a shape that cannot be built, more
// than kMostHosts hosts, kMostHosts switches in a level or kMostCables cables.
PlatformSpec parse_platform_spec(std::string_view text);

}  // namespace simtrain
