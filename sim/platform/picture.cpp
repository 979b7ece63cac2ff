#include "sim/platform/picture.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "base/error.hpp"
#include "base/filter.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"

namespace simtrain {

namespace {

constexpr double kInchesPerUnit = 0.42;
// Distinguishable for the colour-blind (M. Okabe and K. Ito, "Color Universal Design", 2002).
constexpr std::array<const char*, 7> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#000000"};

// "x+" and "x-", "leaf up" and "leaf down" are the two directions of one kind of cable.
std::string cable_name(const LinkClass& its) {
  std::string name = its.name;
  for (const char* direction : {"+", "-", " up", " down"})
    if (name.ends_with(direction)) name.resize(name.size() - std::string_view(direction).size());
  return name;
}

// For Graphviz's labels in the manner of HTML, which it reads as XML.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

struct Cables {
  std::int32_t directions = 0;  // two for each cable
  std::int32_t any_link = 0;
};

class Drawing {
 public:
  explicit Drawing(const Topology& topology) : topology_(topology) {
    for (const LinkClass& its : topology.classes()) colours_.emplace(cable_name(its), "");
    std::size_t next = 0;
    for (const LinkClass& its : topology.classes())  // in the order of the classes
      if (std::string& colour = colours_[cable_name(its)]; colour.empty()) {
        colour = kColours[next++ % kColours.size()];
        kinds_.push_back(&its);
      }
    for (std::int32_t link = 0; link < topology.links(); ++link) {
      const auto [from, to] = topology.ends(link);
      Cables& cables = cables_[{std::min(from, to), std::max(from, to)}];
      cables.directions += from == to ? 2 : 1;
      cables.any_link = link;
    }
  }

  [[nodiscard]] std::string text(const std::string& title) const {
    const std::string points = std::to_string(title_points());
    std::string dot =
        "graph platform {\n  graph [layout=neato, outputorder=edgesfirst, bgcolor=white, labelloc=t, "
        "fontname=\"sans-serif\", fontsize=" +
        points + ", label=<" + escaped(title) + key() +
        ">];\n  node [fontname=\"sans-serif\", fontsize=9, style=filled, penwidth=0.5];\n"
        "  edge [fontname=\"sans-serif\", fontsize=9];\n";
    for (std::int32_t vertex = 0; vertex < topology_.vertices(); ++vertex) dot += vertex_text(vertex);
    for (const auto& [ends, cables] : cables_) dot += cable_text(ends, cables);
    return dot + "}\n";
  }

 private:
  // Legible when the whole picture is in sight.
  [[nodiscard]] int title_points() const {
    double left = 0, right = 0;
    for (std::int32_t vertex = 0; vertex < topology_.vertices(); ++vertex) {
      left = std::min(left, topology_.position_of(vertex).x);
      right = std::max(right, topology_.position_of(vertex).x);
    }
    return std::max(12, static_cast<int>((right - left) * kInchesPerUnit));
  }

  [[nodiscard]] std::string key() const {
    std::string text;
    for (const LinkClass* its : kinds_)
      text += "<br/><font color=\"" + colours_.at(cable_name(*its)) + "\">" + cable_name(*its) + ": " +
              format_bandwidth(its->bandwidth_Bps) + ", " + format_seconds(its->latency_s) + "</font>";
    return text;
  }

  [[nodiscard]] std::string vertex_text(std::int32_t vertex) const {
    const std::string place = topology_.place_of(vertex);
    const bool host = vertex < topology_.hosts();
    std::string label = host ? std::to_string(vertex) : place;
    if (const std::size_t of = label.find(" of "); of != std::string::npos) label.replace(of, 4, "\\n");
    const Point at = topology_.position_of(vertex);
    std::array<char, 64> position{};
    std::snprintf(position.data(), position.size(), "%.3f,%.3f!", at.x * kInchesPerUnit, at.y * kInchesPerUnit);
    return "  v" + std::to_string(vertex) + " [label=\"" + label + "\", tooltip=\"" + place + "\", pos=\"" +
           position.data() + "\", " +
           (host ? "shape=circle, fixedsize=true, width=0.32, fillcolor=\"#eeeeee\""
                 : "shape=box, margin=\"0.05,0.03\", height=0.3, width=0.3, fillcolor=\"#fff2cc\"") +
           "];\n";
  }

  [[nodiscard]] std::string cable_text(const std::pair<std::int32_t, std::int32_t>& ends, const Cables& cables) const {
    const LinkClass& its = topology_.class_of(cables.any_link);
    const std::int32_t count = cables.directions / 2;
    std::string text = "  v" + std::to_string(ends.first) + " -- v" + std::to_string(ends.second) + " [color=\"" +
                       colours_.at(cable_name(its)) + "\", tooltip=\"" + cable_name(its) + ", " +
                       format_bandwidth(its.bandwidth_Bps) + " each way\"";
    if (count > 1) text += ", label=\"" + std::to_string(count) + "\", penwidth=2";
    return text + "];\n";
  }

  const Topology& topology_;
  std::map<std::string, std::string> colours_;  // by the name of the kind of cable
  std::vector<const LinkClass*> kinds_;
  std::map<std::pair<std::int32_t, std::int32_t>, Cables> cables_;
};

}  // namespace

std::string to_dot(const Topology& topology, const std::string& title) { return Drawing(topology).text(title); }

std::string to_svg(const Topology& topology, const std::string& title) {
  if (topology.vertices() > kMostDrawn)
    throw InputError("picture: the platform has " + std::to_string(topology.vertices()) +
                     " hosts and switches; expected at most " + std::to_string(kMostDrawn) + " to draw");
  return run_filter("dot", {"-Tsvg"}, to_dot(topology, title), "graphviz");
}

}  // namespace simtrain
