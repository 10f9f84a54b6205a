// The schedule as JSON, for programs in other languages. docs/schedule.schema.json says what it
// looks like. One step a line: lines stay comparable, and a schedule is written while it goes by.
// Only the strings, which need escaping, go through the JSON library; a document in memory would be
// many times as large as the schedule.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "format/compiled_text.hpp"
#include "format/json/reader.hpp"
#include "format/text.hpp"
#include "model/runs.hpp"
#include "schedcc/format.hpp"

namespace schedcc {

namespace {

/// [[0, 2], [5, 5]]: runs as first and last chunk.
void write_runs(std::span<const Run> runs, Text& out) {
  std::string_view comma = "[";
  for (const Run& run : runs) {
    print(out, FMT_COMPILE("{}[{}, {}]"), comma, run.first, end(run) - 1);
    comma = ", ";
  }
  out.put(runs.empty() ? "[]" : "]");
}

void write_transfer(Rank src, Rank dst, std::span<const Run> runs, bool reduce, Text& out) {
  print(out, FMT_COMPILE("{{\"src\": {}, \"dst\": {}, \"chunks\": "), src, dst);
  write_runs(runs, out);
  out.put(reduce ? ", \"reduce\": true}" : "}");
}

void write_holdings(std::string_view key, std::span<const Holding> holdings, Text& out) {
  out.print("  \"{}\": [", key);
  std::string_view comma = "\n    ";
  for (const Holding& holding : holdings) {
    out.print(R"({}{{"rank": {}, "chunks": )", comma, holding.rank);
    write_runs(holding.runs, out);
    out.put(holding.reduced ? ", \"reduced\": true}" : "}");
    comma = ",\n    ";
  }
  out.put(holdings.empty() ? "],\n" : "\n  ],\n");
}

void write_header(const Source& source, const EmitOptions& options, Text& out) {
  const Problem& problem = source.problem;
  out.print("{{\n  \"schedcc\": 1,\n  \"collective\": \"{}\",\n", info(problem.collective).name);
  out.print("  \"ranks\": {},\n", problem.ranks);
  if (problem.rooted()) out.print("  \"root\": {},\n", problem.root);
  out.print("  \"chunks\": {},\n", problem.chunks);
  out.print("  \"machine\": {},\n", quoted(options.machine.spec));
  if (!source.title.empty()) out.print("  \"name\": {},\n", quoted(source.title));
  if (problem.ordered) out.put("  \"ordered\": true,\n");
  if (source.hop_level()) out.print("  \"nodes\": {},\n", source.nodes);
  if (problem.custom) {
    write_holdings("pre", problem.custom->pre(), out);
    write_holdings("post", problem.custom->post(), out);
  }
}

class StepWriter {
 public:
  explicit StepWriter(Text& out) : out_(out) {}

  void write(const Step& step) {
    print(out_, FMT_COMPILE("{{\"step\": {}, "), step.number);
    if (step.rounds != 1) out_.print("\"rounds\": {}, ", step.rounds);
    out_.put("\"transfers\": [");
    if (singles_(step)) {
      write_singles(step.transfers);
    } else {
      write_messages(step);
    }
    out_.put("]}");
  }

 private:
  void write_singles(std::span<const Transfer> transfers) {
    for (const Transfer& t : transfers) {
      if (&t != transfers.data()) out_.put(", ");
      const Run run{t.first, t.count};
      write_transfer(t.src, t.dst, {&run, 1}, t.reduce != 0, out_);
    }
  }
  void write_messages(const Step& step) {
    std::string_view comma;
    for (const WrittenMessage& m : canonical(step)) {
      out_.put(comma);
      write_transfer(m.src, m.dst, m.runs, m.reduce, out_);
      comma = ", ";
    }
  }

  Text& out_;
  SingleTransfers singles_;
};

void write_json(const Source& source, const EmitOptions& options, Output& output) {
  Text out(output);
  write_header(source, options, out);
  out.put("  \"steps\": [");
  StepWriter writer(out);
  const auto stream = source.open();
  std::string_view comma = "\n    ";
  for (Step step; stream->next(step);) {
    if (!is_written(step)) continue;
    out.put(comma);
    writer.write(step);
    comma = ",\n    ";
  }
  out.put(comma.front() == ',' ? "\n  ]\n}\n" : "]\n}\n");
  out.flush();
}

}  // namespace

extern const Format json_format;
const Format json_format{
    .name = "json",
    .summary = "JSON, a step a line; docs/schedule.schema.json describes it",
    .extensions = {".json"},
    .write = write_json,
    .read = read_json,
    .recognises = is_json,
};

}  // namespace schedcc
