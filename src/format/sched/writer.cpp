// Writes the .sched text format in its canonical form (docs/formats.md).

#include <span>

#include "analysis/canonical.hpp"
#include "format/entry.hpp"
#include "format/header_text.hpp"
#include "format/sched/lines.hpp"
#include "format/sched/reader.hpp"
#include "format/text.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

Place put_range(const Run& run, Place to) {
  to = to.put(run.first);
  return run.count > 1 ? to.put("-").put(end(run) - 1) : to;
}

void put_message(const WrittenMessage& m, Lines& lines) {
  lines.part([&](Place to) {
    return put_range(m.runs.front(), to.put(m.src).put(" -> ").put(m.dst).put(" : "));
  });
  for (const Run& run : std::span(m.runs).subspan(1))
    lines.part([&](Place to) { return put_range(run, to.put(",")); });
  lines.part([&](Place to) { return m.reduce ? to.put(" reduce\n") : to.put("\n"); });
}

void put_step(const Step& step, Lines& lines) {
  lines.part([&](Place to) {
    to = to.put("step ").put(step.number);
    if (step.rounds != 1) to = to.put(" rounds ").put(step.rounds);
    return to.put("\n");
  });
}

void write(const Source& source, const EmitOptions&, Output& out) {
  Lines lines(out);
  Text header(lines);
  write_header(header, source);
  header.flush();
  for_each_written(source, [&](const Step& step, auto each_message) {
    put_step(step, lines);
    each_message([&](const WrittenMessage& m) { put_message(m, lines); });
  });
  lines.flush();
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
