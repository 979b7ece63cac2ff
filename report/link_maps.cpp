// How much links are used, as tables whose cells are the darker the more.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>

#include "base/units.hpp"
#include "report/figures.hpp"
#include "report/html.hpp"
#include "report/page.hpp"

namespace simtrain {

namespace {

std::string print(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// Half transparent at most, so that the text on it can be read on a light and on a dark page.
std::string heat_cell(double use, double most, const std::string& text) {
  const double share = most > 0 ? use / most : 0;
  return "<td class=\"number\" style=\"background:rgba(222,84,30," + print("%.2f", 0.55 * share) + ")\">" +
         escaped(text) + "</td>";
}

double busiest_of(const LinksResult& links) {
  double most = 0;
  for (const LinkClassResult& one : links.classes) most = std::max(most, one.max_utilisation);
  return most;
}

std::string classes_table(const LinksResult& links) {
  const double most = busiest_of(links);
  std::string rows;
  for (const LinkClassResult& one : links.classes)
    rows += "<tr><th scope=\"row\">" + escaped(one.name) + "</th><td class=\"number\">" +
            format_count(static_cast<double>(one.count)) + "</td><td class=\"number\">" + format_bytes(one.bytes) +
            "</td>" + heat_cell(one.mean_utilisation, most, format_percent(one.mean_utilisation)) +
            heat_cell(one.max_utilisation, most, format_percent(one.max_utilisation)) + "</tr>\n";
  return "<h3>Use by class</h3>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Use by class of "
         "links\">\n<table>\n<caption class=\"hidden\">Use by class of links</caption>\n<thead><tr><th "
         "scope=\"col\">class</th><th scope=\"col\" class=\"number\">links</th><th scope=\"col\" "
         "class=\"number\">carry</th><th scope=\"col\" class=\"number\">mean use</th><th scope=\"col\" "
         "class=\"number\">busiest</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody>\n</table>\n</div>\n";
}

struct Place {
  int x = 0, y = 0, z = 0;
  bool operator<(const Place& other) const { return std::array{z, y, x} < std::array{other.z, other.y, other.x}; }
};
// Of a link "x+ of (3,0,1)" or "x+ of (3,0)"; none for any other name.
std::optional<std::pair<std::string, Place>> place_of(const std::string& name) {
  const std::size_t of = name.find(" of (");
  if (of == std::string::npos || name.back() != ')') return std::nullopt;
  std::array<int, 3> numbers{};
  const char* at = name.data() + of + 5;
  const char* end = name.data() + name.size() - 1;
  std::size_t count = 0;
  for (; count < numbers.size() && at < end; ++count) {
    const auto [next, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc() || (next != end && *next != ',')) return std::nullopt;
    at = next == end ? end : next + 1;
  }
  if (at != end || count < 2) return std::nullopt;
  return std::pair{name.substr(0, of), Place{numbers[0], numbers[1], numbers[2]}};
}

using Uses = std::map<Place, double>;

// One plane: a row for each y, a column for each x.
std::string plane_table(const Uses& uses, Place size, int z, double most) {
  std::string rows, head;
  for (int x = 0; x < size.x; ++x) head += "<th scope=\"col\" class=\"number\">" + std::to_string(x) + "</th>";
  for (int y = 0; y < size.y; ++y) {
    std::string cells;
    for (int x = 0; x < size.x; ++x) {
      const auto use = uses.find({x, y, z});
      const double value = use == uses.end() ? 0 : use->second;
      cells += heat_cell(value, most, value > 0 ? print("%.1f", 100 * value) : "-");
    }
    rows += "<tr><th scope=\"row\" class=\"number\">" + std::to_string(y) + "</th>" + cells + "</tr>\n";
  }
  return "<table>\n<caption>" + std::string(size.z > 1 ? "z = " + std::to_string(z) + ": " : "") +
         "x across, y down</caption>\n<thead><tr><td></td>" + head + "</tr></thead>\n<tbody>\n" + rows +
         "</tbody>\n</table>\n";
}

// Of each class, where every link that carries something is known by its place.
std::string place_maps(const LinksResult& links) {
  constexpr int kMostHosts = 512;
  if (!std::cmp_equal(links.busiest.size(), links.used)) return "";  // only the busiest are listed
  std::map<std::string, Uses> by_class;
  Place size;
  for (const LinkResult& link : links.busiest) {
    const auto place = place_of(link.name);
    if (!place) return "";
    const Place at = place->second;
    by_class[place->first][at] = link.utilisation;
    size = {std::max(size.x, at.x + 1), std::max(size.y, at.y + 1), std::max(size.z, at.z + 1)};
  }
  if (size.x * size.y * size.z > kMostHosts) return "";
  const double most = busiest_of(links);
  std::string html = "<h3>Use by place</h3>\n<p>Percent; a link leads from the host at its place.</p>\n";
  for (const LinkClassResult& one : links.classes) {
    const auto uses = by_class.find(one.name);
    if (uses == by_class.end()) continue;
    html += "<details>\n<summary>" + escaped(one.name) + ", busiest " + format_percent(one.max_utilisation) +
            "</summary>\n<div class=\"scroll planes\" role=\"region\" tabindex=\"0\" aria-label=\"Use of links " +
            escaped(one.name) + " by place\">\n";
    for (int z = 0; z < size.z; ++z) html += plane_table(uses->second, size, z, most);
    html += "</div>\n</details>\n";
  }
  return html;
}

}  // namespace

std::string links_figure(const Result& result) {
  if (!result.links || result.links->used == 0) return "";
  return classes_table(*result.links) + place_maps(*result.links);
}

}  // namespace simtrain
