#include <array>

#include "sim/platform/families.hpp"

namespace simtrain {

namespace {

constexpr std::array<char, 6> kAxes{'x', 'y', 'z', 'a', 'b', 'c'};

std::string axis_name(std::size_t dimension) {
  return dimension < kAxes.size() ? std::string(1, kAxes[dimension]) : "d" + std::to_string(dimension);
}

// A class per dimension and direction, in which a host's number is its link's.
class Torus final : public Topology {
 public:
  explicit Torus(const PlatformSpec& spec)
      : Topology(static_cast<std::int32_t>(spec.hosts()), 0), shape_(spec.shape.begin(), spec.shape.end()) {
    std::int32_t stride = 1;
    for (std::size_t dimension = 0; dimension < shape_.size(); ++dimension) {
      strides_.push_back(stride);
      stride *= shape_[dimension];
      for (const char* direction : {"+", "-"})
        add_class(axis_name(dimension) + direction, hosts(), spec.bandwidth_Bps, spec.latency_s);
    }
  }

  void route(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& links) const override {
    std::int32_t at = from;
    for (std::size_t dimension = 0; dimension < shape_.size(); ++dimension) {
      const std::int32_t size = shape_[dimension], mine = coordinate(at, dimension);
      const std::int32_t ahead = (coordinate(to, dimension) - mine + size) % size;
      const bool right = 2 * ahead != size ? 2 * ahead < size : mine % 2 == 0;
      const std::int32_t first = (2 * static_cast<std::int32_t>(dimension) + (right ? 0 : 1)) * hosts();
      for (std::int32_t hops = right ? ahead : size - ahead; hops > 0 && ahead > 0; --hops) {
        links.push_back(first + at);
        at = neighbour(at, dimension, right ? 1 : -1);
      }
    }
  }

  [[nodiscard]] std::pair<std::int32_t, std::int32_t> ends(std::int32_t link) const override {
    const std::int32_t from = link % hosts(), direction = link / hosts();
    return {from, neighbour(from, static_cast<std::size_t>(direction / 2), direction % 2 == 0 ? 1 : -1)};
  }

  [[nodiscard]] std::string place_of(std::int32_t vertex) const override {
    std::string text;
    for (std::size_t dimension = 0; dimension < shape_.size(); ++dimension)
      text += (dimension == 0 ? "(" : ",") + std::to_string(coordinate(vertex, dimension));
    return text + ")";
  }

  // A grid of grids of …: even dimensions go to the right, odd ones up. Rows are bowed, so that the cable around them
  // is seen beside them.
  [[nodiscard]] Point position_of(std::int32_t vertex) const override {
    constexpr double gap = 1.5;
    Point point;
    std::array<double, 2> steps{1.7, 1.7};
    for (std::size_t dimension = 0; dimension < shape_.size(); ++dimension) {
      double& step = steps[dimension % 2];
      const double along = coordinate(vertex, dimension), last = shape_[dimension] - 1;
      const double aside = (dimension < 2 ? 0.7 : 2.5) * 4 * along / last * (1 - along / last);
      point.x += dimension % 2 == 0 ? along * step : aside;
      point.y += dimension % 2 == 0 ? aside : along * step;
      step *= shape_[dimension] + gap;
    }
    return point;
  }

  [[nodiscard]] std::vector<std::vector<bool>> halves() const override {
    std::vector<std::vector<bool>> all;
    for (std::size_t dimension = 0; dimension < shape_.size(); ++dimension) {
      std::vector<bool>& second = all.emplace_back(static_cast<std::size_t>(hosts()));
      for (std::int32_t host = 0; host < hosts(); ++host)
        second[static_cast<std::size_t>(host)] = coordinate(host, dimension) >= (shape_[dimension] + 1) / 2;
    }
    return all;
  }

 private:
  [[nodiscard]] std::int32_t coordinate(std::int32_t host, std::size_t dimension) const {
    return host / strides_[dimension] % shape_[dimension];
  }
  [[nodiscard]] std::int32_t neighbour(std::int32_t host, std::size_t dimension, std::int32_t step) const {
    const std::int32_t mine = coordinate(host, dimension), size = shape_[dimension];
    return host + ((mine + step + size) % size - mine) * strides_[dimension];
  }

  std::vector<std::int32_t> shape_, strides_;
};

}  // namespace

std::unique_ptr<Topology> make_torus(const PlatformSpec& spec) { return std::make_unique<Torus>(spec); }

}  // namespace simtrain
