// Writes the .sched text format in its canonical form (docs/formats.md).

#include <fmt/compile.h>
#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "format/compiled_text.hpp"
#include "format/entry.hpp"
#include "format/header_text.hpp"
#include "format/sched/reader.hpp"
#include "format/text.hpp"

namespace schedcc {

namespace {

void write_message(const WrittenMessage& m, Text& text) {
  print(text, FMT_COMPILE("{} -> {} : "), m.src, m.dst);
  write_ranges(text, m.runs);
  text.put(m.reduce ? " reduce\n" : "\n");
}

void step_line(Text& text, const Step& step) {
  text.print("step {}", step.number);
  if (step.rounds != 1) text.print(" rounds {}", step.rounds);
  text.put("\n");
}

void write(const Source& source, const EmitOptions&, Output& out) {
  Text text(out);
  write_header(text, source);
  for_each_written(source, [&](const Step& step, auto each_message) {
    step_line(text, step);
    each_message([&](const WrittenMessage& m) { write_message(m, text); });
  });
  text.flush();
}

}  // namespace

extern const FormatEntry sched_format;
const FormatEntry sched_format{
    .name = "sched",
    .summary = "schedcc's own text format, readable and diffable",
    .extensions = {".sched"},
    .write = write,
    .read = read_sched,
    .recognises = is_sched,
    .keeps_all = true,
};

}  // namespace schedcc
