// simtrain cost: the communication of every grid by formula, without simulating anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/passport.hpp"
#include "train/cost_table.hpp"

namespace simtrain {

struct CostJob {
  Network network;
  PlanOptions plan;
  int processes = 1;
  double latency_s = 0, bandwidth_Bps = 1;  // alpha, 1/beta
  double most_messages = kMostMessages;
  std::string profile;  // file; empty: computing takes no time
  CostTable table;
  std::optional<Passport> passport = {};
};

std::string to_text(const CostJob& job);
std::string to_json(const CostJob& job);  // schema: docs/cost.schema.json

// simtrain cost ...
int cost_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
