// The schedule as JSON, for programs in other languages. docs/schedule.schema.json defines the
// format. One step a line: files can be compared by line, and a schedule is written while it is
// read. Only the strings, which need escaping, go through the JSON library; a document in memory
// would be many times as large as the schedule.

#include <span>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "format/compiled_text.hpp"
#include "format/entry.hpp"
#include "format/json/reader.hpp"
#include "format/text.hpp"
#include "model/runs.hpp"

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

void write_header(const Source& source, Text& out) {
  const Problem& problem = source.problem;
  out.print("{{\n  \"schedcc\": 1,\n  \"collective\": \"{}\",\n", info(problem.collective).name);
  out.print("  \"ranks\": {},\n", problem.ranks);
  if (problem.rooted()) out.print("  \"root\": {},\n", problem.root);
  out.print("  \"chunks\": {},\n", problem.chunks);
  if (!source.machine.empty()) out.print("  \"machine\": {},\n", quoted(source.machine));
  if (!source.title.empty()) out.print("  \"name\": {},\n", quoted(source.title));
  if (problem.ordered) out.put("  \"ordered\": true,\n");
  if (source.hop_level()) out.print("  \"nodes\": {},\n", source.nodes);
  if (problem.declared()) {
    write_holdings("pre", problem.pre(), out);
    write_holdings("post", problem.post(), out);
  }
}

template <typename EachMessage>
void write_step(const Step& step, EachMessage each_message, Text& out) {
  print(out, FMT_COMPILE("{{\"step\": {}, "), step.number);
  if (step.rounds != 1) out.print("\"rounds\": {}, ", step.rounds);
  out.put("\"transfers\": [");
  const char* comma = "";
  each_message([&](const WrittenMessage& m) {
    print(out, FMT_COMPILE("{}{{\"src\": {}, \"dst\": {}, \"chunks\": "), comma, m.src, m.dst);
    write_runs(m.runs, out);
    out.put(m.reduce ? ", \"reduce\": true}" : "}");
    comma = ", ";
  });
  out.put("]}");
}

void write_json(const Source& source, const EmitOptions& /*options*/, Output& output) {
  Text out(output);
  write_header(source, out);
  out.put("  \"steps\": [");
  std::string_view comma = "\n    ";
  for_each_written(source, [&](const Step& step, auto each_message) {
    out.put(comma);
    write_step(step, each_message, out);
    comma = ",\n    ";
  });
  out.put(comma.front() == ',' ? "\n  ]\n}\n" : "]\n}\n");
  out.flush();
}

}  // namespace

extern const FormatEntry json_format;
const FormatEntry json_format{
    .name = "json",
    .summary = "JSON, a step a line; docs/schedule.schema.json describes it",
    .extensions = {".json"},
    .write = write_json,
    .read = read_json,
    .recognises = is_json,
    .keeps_all = true,
};

}  // namespace schedcc
