// The animation has one part per step, and one more for the result. In each part the keys rest for
// a while, with the step's title and cuts, then they move.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tool/trace/model.hpp"

namespace sortlab::trace {
namespace {

constexpr double kSecondsPerStep = 1.6;
constexpr double kRest = 0.5;  // of a part's time
constexpr std::size_t kCell = 34, kBar = 26, kHigh = 120;
constexpr std::size_t kTop = 44, kMargin = 12, kBelow = 34;

constexpr const char* kStyle = R"(<style>
svg { background: #ffffff }
text { font: 13px sans-serif; fill: #1b1f24; text-anchor: middle }
.title { font-size: 15px; text-anchor: start }
.key rect { fill: #4a7fb5 }
.cut { stroke: #8a5a00; stroke-width: 2; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
  svg { background: #14181d }
  text { fill: #e6e9ec }
  .key rect { fill: #6fa3d8 }
  .cut { stroke: #e0b060 }
}
</style>
)";

class Picture {
 public:
  explicit Picture(const Trace& trace)
      : trace_(trace), parts_(trace.steps.size() + 1), places_(trace.input.size()) {
    std::iota(places_.begin(), places_.end(), std::size_t{0});
    for (auto& place : places_) routes_.push_back({place});
    for (const auto& step : trace.steps) follow(step);
  }

  std::string text() const {
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\">\n<title>{2} sort of {3} keys, step by step</title>\n{4}",
        2 * kMargin + kCell * places_.size(), kTop + kHigh + kBelow, trace_.algorithm,
        places_.size(), kStyle);
    for (std::size_t part = 0; part < parts_; ++part) svg += scene(part);
    for (std::size_t key = 0; key < routes_.size(); ++key) svg += moving_key(key);
    return svg + "</svg>\n";
  }

 private:
  void follow(const Step& step) {
    std::vector<std::size_t> after(places_.size());  // by place: its key
    for (std::size_t i = 0; i < after.size(); ++i) after[i] = places_[step.from[i]];
    places_ = std::move(after);
    for (std::size_t i = 0; i < places_.size(); ++i) routes_[places_[i]].push_back(i);
  }

  std::string duration() const {
    return fmt::format("dur=\"{:g}s\" repeatCount=\"indefinite\"",
                       kSecondsPerStep * static_cast<double>(parts_));
  }

  double time(double part) const { return part / static_cast<double>(parts_); }

  /// The static content of one part: the title of the step that follows, and its cuts.
  std::string scene(std::size_t part) const {
    const bool is_last = part + 1 == parts_;
    std::string svg = fmt::format("<g opacity=\"{}\">", part == 0 ? 1 : 0);
    if (parts_ > 1) {
      const double begin = time(static_cast<double>(part));
      const double end = time(static_cast<double>(part) + 1);
      std::string values = part == 0 ? "1;0" : is_last ? "0;1" : "0;1;0";
      std::string times = part == 0 ? fmt::format("0;{:.4f}", end)
                          : is_last ? fmt::format("0;{:.4f}", begin)
                                    : fmt::format("0;{:.4f};{:.4f}", begin, end);
      svg += fmt::format(
          "<animate attributeName=\"opacity\" calcMode=\"discrete\" values=\"{}\" keyTimes=\"{}\" "
          "{}/>",
          values, times, duration());
    }
    const std::string title = is_last ? "sorted" : trace_.steps[part].title;
    svg += fmt::format("<text class=\"title\" x=\"{}\" y=\"26\">{}</text>", kMargin, title);
    if (!is_last) {
      for (const auto cut : trace_.steps[part].cuts) {
        svg += fmt::format("<line class=\"cut\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/>",
                           kMargin + kCell * cut, kTop - 6, kTop + kHigh + kBelow - 6);
      }
    }
    return svg + "</g>\n";
  }

  std::string moving_key(std::size_t key) const {
    const unsigned greatest = *std::max_element(trace_.input.begin(), trace_.input.end());
    const unsigned value = trace_.input[key];
    const std::size_t height = 4 + (greatest == 0 ? 0 : (kHigh - 4) * value / greatest);
    std::string values;
    std::string times;
    for (std::size_t part = 0; part < parts_; ++part) {
      const std::string at = fmt::format("{} 0", kMargin + kCell * routes_[key][part]);
      const double begin = static_cast<double>(part);
      const double rests_until = part + 1 == parts_ ? begin + 1 : begin + kRest;
      values += fmt::format("{}{};{}", part == 0 ? "" : ";", at, at);
      times += fmt::format("{}{:.4f};{:.4f}", part == 0 ? "" : ";", time(begin), time(rests_until));
    }
    return fmt::format(
        "<g class=\"key\" transform=\"translate({} 0)\"><animateTransform "
        "attributeName=\"transform\" "
        "type=\"translate\" values=\"{}\" keyTimes=\"{}\" {}/><rect x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\" rx=\"2\"/><text x=\"{}\" y=\"{}\">{}</text></g>\n",
        kMargin + kCell * key, values, times, duration(), (kCell - kBar) / 2, kTop + kHigh - height,
        kBar, height, kCell / 2, kTop + kHigh + 18, value);
  }

  const Trace& trace_;
  std::size_t parts_;
  std::vector<std::size_t> places_;               // by place: the number of its key
  std::vector<std::vector<std::size_t>> routes_;  // by key: its place in each part
};

}  // namespace

std::string svg_of(const Trace& trace) { return Picture(trace).text(); }

}  // namespace sortlab::trace
