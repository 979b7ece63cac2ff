#include "train/short_rules.hpp"

#include <algorithm>

#include "base/name_pattern.hpp"

namespace simtrain {

namespace {

class RuleWriter {
 public:
  RuleWriter(const std::vector<std::string>& names, const std::vector<LayerStrategy>& splits)
      : names_(names), splits_(splits), matched_(names.size(), 0) {}

  // Empty when a name is one that rules cannot tell from another.
  std::vector<StrategyRule> rules() {
    const auto alike = [&](const LayerStrategy& split) { return split == splits_.front(); };
    if (std::all_of(splits_.begin(), splits_.end(), alike)) return {rule("*", splits_.front())};
    for (std::size_t first = 0; first < names_.size(); ++first)
      if (matched_[first] == 0) add_family(family_of(names_[first]));
    return rules_;
  }

 private:
  static std::string family_of(const std::string& name) {
    return name.substr(0, std::min(name.find_first_of("0123456789"), name.size()));
  }
  static StrategyRule rule(const std::string& pattern, const LayerStrategy& split) {
    return {pattern, split.grid, split.kind};
  }

  void add(const std::string& pattern, const LayerStrategy& split) {
    rules_.push_back(rule(pattern, split));
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (matches(pattern, names_[i])) matched_[i] = 1;
  }

  // Whether all layers that no rule matches yet and this one would have the same split.
  [[nodiscard]] bool pure(const std::string& pattern, const LayerStrategy& split) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (matched_[i] == 0 && matches(pattern, names_[i]) && splits_[i] != split) return false;
    return true;
  }

  void add_family(const std::string& family) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (matched_[i] == 0 && family_of(names_[i]) == family) members.push_back(i);
    const auto with = [&](const LayerStrategy& split) {
      return std::count_if(members.begin(), members.end(), [&](std::size_t i) { return splits_[i] == split; });
    };
    LayerStrategy most = splits_[members.front()];
    for (const std::size_t i : members)
      if (with(splits_[i]) > with(most)) most = splits_[i];
    std::vector<std::size_t> run;  // neighbours that differ from most alike
    for (const std::size_t i : members) {
      if (splits_[i] == most) continue;
      if (!run.empty() && (run.back() + 1 != i || splits_[run.back()] != splits_[i])) {
        add_run(run);
        run.clear();
      }
      run.push_back(i);
    }
    if (!run.empty()) add_run(run);
    std::erase_if(members, [&](std::size_t i) { return matched_[i] != 0; });
    if (pure(family + "*", most) && members.size() > 1)
      add(family + "*", most);
    else
      for (const std::size_t i : members) add(names_[i], most);
  }

  void add_run(const std::vector<std::size_t>& run) {
    const std::string& first = names_[run.front()];
    if (run.size() == 1) return add(first, splits_[run.front()]);
    std::size_t common = first.size();
    for (const std::size_t i : run)
      common = std::min(
          common,
          static_cast<std::size_t>(std::mismatch(first.begin(), first.end(), names_[i].begin(), names_[i].end()).first -
                                   first.begin()));
    if (const std::string pattern = first.substr(0, common) + "*"; pure(pattern, splits_[run.front()]))
      return add(pattern, splits_[run.front()]);
    std::vector<std::size_t> part;  // whose names agree in one character more
    const auto next = [&](std::size_t i) { return common < names_[i].size() ? names_[i][common] : '\0'; };
    for (const std::size_t i : run) {
      if (!part.empty() && next(part.back()) != next(i)) {
        add_run(part);
        part.clear();
      }
      part.push_back(i);
    }
    add_run(part);
  }

  const std::vector<std::string>& names_;
  const std::vector<LayerStrategy>& splits_;
  std::vector<char> matched_;
  std::vector<StrategyRule> rules_;
};

}  // namespace

Strategy short_rules(const std::vector<std::string>& names, const std::vector<LayerStrategy>& splits) {
  return {.kind = Strategy::Kind::rules, .rules = RuleWriter(names, splits).rules()};
}

}  // namespace simtrain
