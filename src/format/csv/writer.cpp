// The schedule as a table, a line for each transfer of a run of chunks (docs/formats.md). The
// header is in lines before it that begin with #. A step of several rounds that has no transfers is
// a line with a step and its rounds.

#include <fmt/compile.h>
#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "format/compiled_text.hpp"
#include "format/csv/reader.hpp"
#include "format/entry.hpp"
#include "format/header_text.hpp"
#include "format/text.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

void write_rows(const Step& step, const WrittenMessage& m, Text& text) {
  for (const Run& run : m.runs) {
    print(text, FMT_COMPILE("{},{},{},{},{},{},{}\n"), step.number, m.src, m.dst, run.first,
          end(run) - 1, m.reduce ? "reduce" : "copy", step.rounds);
  }
}

void write_csv(const Source& source, const EmitOptions&, Output& out) {
  Text text(out);
  write_header(text, source, "# ");
  text.put("step,src,dst,first,last,mode,rounds\n");
  for_each_written(source, [&](const Step& step, auto each_message) {
    if (step.transfers.empty()) text.print("{},,,,,,{}\n", step.number, step.rounds);
    each_message([&](const WrittenMessage& m) { write_rows(step, m, text); });
  });
  text.flush();
}

}  // namespace

extern const FormatEntry csv_format;
const FormatEntry csv_format{
    .name = "csv",
    .summary = "a table with a line for each transfer, for statistics and spreadsheets",
    .extensions = {".csv"},
    .write = write_csv,
    .read = read_csv,
    .recognises = is_csv,
    .keeps_all = true,
};

}  // namespace schedcc
