// Writes the .sched text format in its canonical form (docs/formats.md).

#include <fmt/compile.h>
#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "format/compiled_text.hpp"
#include "format/header_text.hpp"
#include "format/sched/reader.hpp"
#include "format/text.hpp"
#include "schedcc/format.hpp"

namespace schedcc {

namespace {

void message(Text& text, Rank src, Rank dst, std::span<const Run> chunks, bool reduce) {
  print(text, FMT_COMPILE("{} -> {} : "), src, dst);
  write_ranges(text, chunks);
  text.put(reduce ? " reduce\n" : "\n");
}

void step_line(Text& text, const Step& step) {
  text.print("step {}", step.number);
  if (step.rounds != 1) text.print(" rounds {}", step.rounds);
  text.put("\n");
}

void write(const Source& source, const EmitOptions&, Output& out) {
  Text text(out);
  write_header(text, source);
  SingleTransfers single;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    if (!is_written(step)) continue;
    step_line(text, step);
    if (single(step)) {
      for (const Transfer& t : step.transfers) {
        const Run run{t.first, t.count};
        message(text, t.src, t.dst, {&run, 1}, t.reduce != 0);
      }
      continue;
    }
    for (const WrittenMessage& m : canonical(step)) message(text, m.src, m.dst, m.runs, m.reduce);
  }
  text.flush();
}

}  // namespace

extern const Format sched_format;
const Format sched_format{
    .name = "sched",
    .summary = "schedcc's own text format, readable and diffable",
    .extensions = {".sched"},
    .write = write,
    .read = read_sched,
    .recognises = is_sched,
};

}  // namespace schedcc
