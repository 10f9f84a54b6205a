#include "format/selection.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// Leaves out steps and transfers. Lines and origins stay with their transfers.
class SelectedSteps : public StepStream {
 public:
  SelectedSteps(std::unique_ptr<StepStream> steps, const Selection& selection, Ends ends)
      : steps_(std::move(steps)), selection_(selection), ends_(ends) {}

  bool next(Step& step) override {
    while (steps_->next(step)) {
      if (step.number > selection_.steps.last) return false;
      if (step.number < selection_.steps.first) continue;
      if (!selection_.all_ranks) keep_shown(step);
      return true;
    }
    return false;
  }

 private:
  bool shown(const Transfer& t) const {
    const bool src = selection_.ranks.contains(t.src), dst = selection_.ranks.contains(t.dst);
    return ends_ == Ends::both ? src && dst : src || dst;
  }

  void keep_shown(Step& step) {
    transfers_.clear();
    lines_.clear();
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      if (!shown(step.transfers[i])) continue;
      transfers_.push_back(step.transfers[i]);
      if (!step.lines.empty()) lines_.push_back(step.lines[i]);
    }
    step.transfers = transfers_;
    step.lines = lines_;
    step.origins = {};
  }

  std::unique_ptr<StepStream> steps_;
  Selection selection_;
  Ends ends_;
  Transfers transfers_;
  std::vector<std::uint32_t> lines_;
};

}  // namespace

NumberInterval number_interval(const std::string& text, std::string_view what) {
  const std::size_t dots = text.find("..");
  if (dots == 0 || (dots != std::string::npos && dots + 2 == text.size()))
    throw InputError(fmt::format("{}: '{}' is not a range A..B with both ends", what, text));
  NumberInterval result;
  result.first = parse_number(text.substr(0, dots), what);
  result.last =
      dots == std::string::npos ? result.first : parse_number(text.substr(dots + 2), what);
  if (result.first <= result.last) return result;
  throw InputError(fmt::format("{} {}: the first is above the last", what, text));
}

std::string Selection::text() const {
  std::string result;
  if (!all_ranks) result += fmt::format(", ranks {}..{}", ranks.first, ranks.last);
  if (!all_steps) result += fmt::format(", steps {}..{}", steps.first, steps.last);
  return result;
}

Parameter ranks_parameter() {
  return {.name = "ranks", .summary = "A..B: these only", .kind = Parameter::Kind::text};
}

Parameter steps_parameter() {
  return {.name = "steps", .summary = "A..B: these only", .kind = Parameter::Kind::text};
}

Selection selection_of(const Parameters& parameters, const Source& source) {
  Selection result;
  result.ranks.last = source.node_count() - 1;
  if (parameters.has("ranks")) {
    result.ranks = number_interval(parameters.text("ranks"), "ranks");
    result.all_ranks = false;
    if (result.ranks.last >= source.node_count())
      throw InputError(fmt::format("ranks {}..{}: {} are 0..{}", result.ranks.first,
                                   result.ranks.last, source.has_routers() ? "nodes" : "ranks",
                                   source.node_count() - 1));
  }
  if (parameters.has("steps")) {
    result.steps = number_interval(parameters.text("steps"), "steps");
    result.all_steps = false;
  }
  return result;
}

Source selected(const Source& source, const Selection& selection, Ends ends) {
  if (selection.all_ranks && selection.all_steps) return source;
  Source result = source;
  result.open = [open = source.open, selection, ends] {
    return std::make_unique<SelectedSteps>(open(), selection, ends);
  };
  return result;
}

}  // namespace schedcc
