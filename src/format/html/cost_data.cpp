#include "format/html/cost_data.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "format/html/script_text.hpp"
#include "schedcc/units.hpp"

namespace schedcc::html {

namespace {

class CostWriter {
 public:
  CostWriter(const CostReport& cost, Text& out) : cost_(cost), out_(out) {}

  void write() {
    out_.print(R"({{"timed": {}, "rows": [)",
               script_string(fmt::format("{}, {}", format_bytes(cost_.bytes), cost_.model)));
    add("synchronous", cost_.synchronous);
    add("asynchronous", cost_.asynchronous);
    for (const TimeFormula& f : cost_.formulas) add("formula", f.seconds, f.text);
    for (const TimeBound& b : cost_.bounds)
      add("lower bound", b.seconds, fmt::format("{}, for {}", b.text, name(b.holds_for)));
    out_.put("], \"path\": ");
    write_path();
    out_.put("}");
  }

 private:
  void add(std::string_view what, std::optional<double> seconds, std::string_view formula = {}) {
    if (!seconds) return;
    const std::string text =
        format_time(*seconds) + (formula.empty() ? "" : ": ") + std::string(formula);
    out_.print("{}[{}, {}]", comma_, script_string(what), script_string(text));
    comma_ = ",\n";
  }

  void write_path() {
    if (!cost_.critical_path) return out_.put("null");
    std::string_view comma = "";
    out_.put("[");
    for (const TimedMessage& m : *cost_.critical_path) {
      out_.print("{}[{},{},{},{},{}]", comma, m.step, m.src, m.dst,
                 script_string(format_time(m.start)), script_string(format_time(m.end)));
      comma = ",\n";
    }
    out_.put("]");
  }

  const CostReport& cost_;
  Text& out_;
  std::string_view comma_;
};

}  // namespace

void write_cost(const CostReport& cost, Text& out) { CostWriter(cost, out).write(); }

}  // namespace schedcc::html
