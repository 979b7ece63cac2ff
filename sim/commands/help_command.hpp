// Help by topic, with examples that run.
#pragma once

#include <string>
#include <vector>

namespace simtrain {

// simtrain help [TOPIC]: a shipped text (docs/help), or the list of topics.
int help_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
