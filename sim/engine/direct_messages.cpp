#include "sim/engine/direct_messages.hpp"

#include <algorithm>
#include <simgrid/s4u.hpp>
#include <tuple>
#include <unordered_map>

#include "sim/engine/compat.hpp"
#include "sim/engine/simulation.hpp"
#include "train/pieces.hpp"

namespace simtrain {

namespace {

namespace s4u = simgrid::s4u;

constexpr int kNobody = -1;

// What a rank waits for.
struct Call {
  s4u::Actor* actor = nullptr;
  int to = kNobody, from = kNobody;  // with whom it has yet to meet
  std::int64_t open = 0;             // meetings and flows to come
  Segments sent{};
  std::int64_t longest_floats = 0;
};

struct Ends {
  int from, to;  // ranks
};

struct Flow {
  Ends ends;
  s4u::CommPtr kept;
};

}  // namespace

struct DirectMessages::State {
  std::vector<s4u::Host*> hosts;                // by rank
  std::vector<Call> calls;                      // by rank
  std::vector<Ends> met;                        // whose flows are to be started
  std::unordered_map<const void*, Flow> flows;  // under way
  std::vector<s4u::CommPtr> ended;              // of which the simulator may not be through with the last ones
  s4u::ActorPtr starter;
  bool starter_is_called = false;

  Call& call_of(int rank) { return calls[static_cast<std::size_t>(rank)]; }
  void meet(int from, int to);
  void be_the_starter();
  void start_met();  // in the simulator, as is the next one
  void end_flow(const void* flow);
};

void DirectMessages::State::meet(int from, int to) {
  call_of(from).to = call_of(to).from = kNobody;
  met.push_back({from, to});
}

// A call to the starter while it is not suspended is lost, and not missed: it looks at `met` before it suspends itself.
void DirectMessages::State::be_the_starter() {
  for (;;) {
    if (met.empty())
      s4u::this_actor::suspend();
    else
      simgrid::kernel::actor::simcall_answered([this] { start_met(); });
  }
}

void DirectMessages::State::start_met() {
  starter_is_called = false;
  ended.clear();
  // How SimGrid shares links depends a little on the order in which flows come. This one is the same whoever called
  // first.
  std::sort(met.begin(), met.end(), [](Ends a, Ends b) { return std::tie(a.to, a.from) < std::tie(b.to, b.from); });
  for (const Ends ends : met) {
    Call &sender = call_of(ends.from), &receiver = call_of(ends.to);
    for (const Segment& segment : sender.sent.part)
      for_each_piece(segment, sender.longest_floats, [&](Segment piece) {
        const std::int64_t bytes = piece.count * std::int64_t{sizeof(float)} + kEnvelopeBytes;
        s4u::CommPtr flow =
            compat::start_flow(hosts[static_cast<std::size_t>(ends.from)], hosts[static_cast<std::size_t>(ends.to)],
                               static_cast<std::uint64_t>(bytes));
        const void* key = flow->get_impl();
        flows.emplace(key, Flow{ends, std::move(flow)});
        ++sender.open;
        ++receiver.open;
      });
    --sender.open;  // the meeting
    --receiver.open;
  }
  met.clear();
}

void DirectMessages::State::end_flow(const void* flow) {
  const auto found = flows.find(flow);
  if (found == flows.end()) return;  // a message of SMPI
  auto& [ends, kept] = found->second;
  for (const int rank : {ends.from, ends.to})
    if (--call_of(rank).open == 0) call_of(rank).actor->resume();
  ended.push_back(std::move(kept));
  flows.erase(found);
}

DirectMessages::DirectMessages(std::unique_ptr<State> state) : state_(std::move(state)) {}

DirectMessages::~DirectMessages() = default;

std::unique_ptr<DirectMessages> DirectMessages::make(const Simulation& simulation,
                                                     const std::vector<int>& host_of_rank) {
  if (!compat::kHasFlows || simulation.platform().topology == nullptr) return nullptr;
  simulation.check_hosts(host_of_rank);
  auto state = std::make_unique<State>();
  for (const int host : host_of_rank)
    state->hosts.push_back(simulation.platform().hosts[static_cast<std::size_t>(host)]);
  state->calls.resize(host_of_rank.size());
  compat::on_end_of_flows([at = state.get()](const void* flow) { at->end_flow(flow); });
  state->starter = compat::add_actor(state->hosts.front(), "starter", [at = state.get()] { at->be_the_starter(); });
  state->starter->daemonize();
  return std::unique_ptr<DirectMessages>(new DirectMessages(std::move(state)));
}

void DirectMessages::exchange(int me, int to, const Segments& sent, int from, std::int64_t longest_floats) {
  if (to == kNobody && from == kNobody) return;
  State& state = *state_;
  Call& mine = state.call_of(me);
  if (mine.actor == nullptr) mine.actor = s4u::Actor::self();
  mine.to = to;
  mine.from = from;
  mine.open = (to != kNobody ? 1 : 0) + (from != kNobody ? 1 : 0);
  mine.sent = sent;
  mine.longest_floats = longest_floats;
  if (to != kNobody && state.call_of(to).from == me) state.meet(me, to);
  if (from != kNobody && state.call_of(from).to == me) state.meet(from, me);
  if (!state.met.empty() && !state.starter_is_called) {
    state.starter_is_called = true;
    state.starter->resume();
  }
  s4u::this_actor::suspend();
}

}  // namespace simtrain
