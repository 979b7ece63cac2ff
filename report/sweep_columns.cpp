#include "report/sweep_columns.hpp"

#include <algorithm>
#include <array>

#include "base/units.hpp"

namespace simtrain {

namespace {

// A way to lay the table out: values that are longer, and longer than their heading, are numbered, and so many figures
// are left out, the first ones of kFigures first.
struct Layout {
  std::size_t longest_value;
  std::size_t left_out;
};
constexpr std::array<Layout, 11> kLayouts{
    {{32, 0}, {32, 2}, {20, 2}, {12, 2}, {12, 3}, {8, 4}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}}};

enum class Figure { formula, alpha_beta, images, memory, communication, ranks, compute, relative };
constexpr std::array<Figure, 8> kFigures{Figure::formula,       Figure::alpha_beta, Figure::images,  Figure::memory,
                                         Figure::communication, Figure::ranks,      Figure::compute, Figure::relative};

class RankedTable {
 public:
  RankedTable(const Sweep& sweep, const Shown& shown, const TimeScale& time, Layout layout)
      : sweep_(sweep),
        order_(shown.order),
        rows_(shown.count),
        time_(time),
        layout_(layout),
        by_images_(ranked_by_images(sweep)),
        ranks_vary_(ranks_vary(sweep)) {
    for (std::size_t i = 0; i < sweep.dimensions.size(); ++i) {
      if (!sweep.dimensions[i].varies()) continue;
      dimensions_.push_back(i);
      const std::size_t longest = std::max(layout.longest_value, text_width(sweep.dimensions[i].key));
      numbered_.push_back(
          std::any_of(sweep.dimensions[i].values.begin(), sweep.dimensions[i].values.end(),
                      [&](const std::string& value) { return text_width(value) > longest || value.empty(); }));
    }
    grids_shown_ = grids_vary(sweep) || dimensions_.empty();
    // What each point chose for itself. Where placements vary, another column says so.
    chosen_ = std::any_of(order_.begin(), order_.end(),
                          [&](std::size_t i) { return !sweep.points[i].result->placement_trials.empty(); });
  }

  [[nodiscard]] Table table() const {
    Table table(columns());
    for (std::size_t place = 0; place < rows_; ++place) table.row(cells(place));
    return table;
  }

  void add_legend(Page& page) const {
    for (std::size_t k = 0; k < dimensions_.size(); ++k) {
      if (!numbered_[k]) continue;
      const SweepDimension& dimension = sweep_.dimensions[dimensions_[k]];
      for (std::size_t i = 0; i < dimension.values.size(); ++i)
        page.fact(dimension.key + " " + std::to_string(i + 1), dimension.values[i]);
    }
  }

 private:
  [[nodiscard]] bool shown(Figure figure) const {
    const auto place = std::find(kFigures.begin(), kFigures.end(), figure) - kFigures.begin();
    return static_cast<std::size_t>(place) >= layout_.left_out;
  }

  [[nodiscard]] std::vector<Table::Column> columns() const {
    const std::string communication = shown(Figure::alpha_beta) ? "communication" : "";
    std::vector<Table::Column> columns{{.heading = "#"}};
    for (const std::size_t i : dimensions_)
      columns.push_back({.heading = sweep_.dimensions[i].key,
                         .align = sweep_.dimensions[i].key == "batch" ? Table::Align::right : Table::Align::left});
    if (ranks_vary_ && shown(Figure::ranks)) columns.push_back({.heading = "ranks"});
    if (grids_shown_) columns.push_back({.heading = "grid"});
    columns.push_back({.heading = "iteration"});
    if (shown(Figure::relative)) columns.push_back({.heading = "vs best"});
    if (shown(Figure::images)) columns.push_back({.heading = "images/s"});
    if (shown(Figure::compute)) columns.push_back({.heading = "compute"});
    if (shown(Figure::communication))
      columns.push_back({.heading = communication.empty() ? "communication" : "simulated", .group = communication});
    if (shown(Figure::alpha_beta)) columns.push_back({.heading = "alpha-beta", .group = communication});
    if (shown(Figure::formula)) columns.push_back({.heading = formula_of(sweep_, order_), .group = communication});
    if (shown(Figure::memory)) columns.push_back({.heading = "memory"});
    if (chosen_) columns.push_back({.heading = "placement", .align = Table::Align::left});
    return columns;
  }

  [[nodiscard]] std::string value_cell(std::size_t k, const SweepPoint& point) const {
    const SweepDimension& dimension = sweep_.dimensions[dimensions_[k]];
    const std::string& value = point.values[dimensions_[k]];
    if (!numbered_[k]) return printable(value);
    return std::to_string(std::find(dimension.values.begin(), dimension.values.end(), value) -
                          dimension.values.begin() + 1);
  }

  [[nodiscard]] std::vector<std::string> cells(std::size_t place) const {
    const SweepPoint& point = sweep_.points[order_[place]];
    const Result& result = *point.result;
    const double best_s = cost_s(*sweep_.points[order_.front()].result, by_images_);
    std::vector<std::string> cells{std::to_string(place + 1)};
    for (std::size_t k = 0; k < dimensions_.size(); ++k) cells.push_back(value_cell(k, point));
    if (ranks_vary_ && shown(Figure::ranks))
      cells.push_back(std::to_string(std::int64_t{point.grid_rows} * point.grid_columns));
    if (grids_shown_) cells.push_back(grid_text(point));
    cells.push_back(time_(result.iteration_s));
    if (shown(Figure::relative)) cells.push_back(format_ratio(cost_s(result, by_images_), best_s));
    if (shown(Figure::images)) cells.push_back(format_count(result.images_per_s()));
    if (shown(Figure::compute)) cells.push_back(time_(result.compute_s()));
    if (shown(Figure::communication)) cells.push_back(time_(result.communication_s()));
    if (shown(Figure::alpha_beta)) cells.push_back(time_(result.alpha_beta_s()));
    if (shown(Figure::formula)) cells.push_back(time_(result.paper_s()));
    if (shown(Figure::memory)) cells.push_back(format_bytes(result.memory.total()));
    if (chosen_) cells.push_back(result.placement_trials.empty() ? "" : result.job.placement);
    return cells;
  }

  const Sweep& sweep_;
  const std::vector<std::size_t>& order_;
  std::size_t rows_;
  const TimeScale& time_;
  Layout layout_;
  bool by_images_, ranks_vary_;
  bool grids_shown_ = true;
  std::vector<std::size_t> dimensions_;  // that vary
  std::vector<char> numbered_;           // by dimension that varies
  bool chosen_ = false;
};

std::size_t width_of(const std::string& text) {
  std::size_t widest = 0, begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    widest = std::max(widest, text_width(std::string_view(text).substr(begin, end - begin)));
  return widest;
}

}  // namespace

std::string formula_of(const Sweep& sweep, const std::vector<std::size_t>& order) {
  const bool strips =
      std::any_of(order.begin(), order.end(), [&](auto i) { return sweep.points[i].result->has_strips(); });
  return strips ? "formula (9)" : "formula (8)";
}

void add_ranked_table(Page& page, const Sweep& sweep, const Shown& shown, const TimeScale& time) {
  constexpr std::size_t kAnyWidth = 100'000;
  for (const Layout& layout : kLayouts) {
    const RankedTable ranked(sweep, shown, time, layout);
    const Table table = ranked.table();
    if (width_of(table.text(kAnyWidth)) > kReportWidth && &layout != &kLayouts.back()) continue;
    page.table(table);
    return ranked.add_legend(page);
  }
}

}  // namespace simtrain
