// Writes the .sched text format in its canonical form (docs/formats.md).

#include <fmt/compile.h>
#include <fmt/format.h>

#include "backend/text.hpp"
#include "frontend/import/sched.hpp"
#include "ir/canonical.hpp"
#include "schedcc/format.hpp"

namespace schedcc {

namespace {

void runs(Text& text, std::span<const Run> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text.put(",");
    const std::uint64_t last = std::uint64_t{all[i].first} + all[i].count - 1;
    if (last == all[i].first) {
      text.print(FMT_COMPILE("{}"), last);
    } else {
      text.print(FMT_COMPILE("{}-{}"), all[i].first, last);
    }
  }
}

void holdings(Text& text, std::string_view directive, std::span<const Holding> all) {
  for (const Holding& holding : all) {
    text.print("{} {} : ", directive, holding.rank);
    runs(text, holding.runs);
    text.put(holding.reduced ? " reduced\n" : "\n");
  }
}

void header(Text& text, const Source& source) {
  const Problem& problem = source.problem;
  text.print("schedcc 1\ncollective {}\nranks {}\n", info(problem.collective).name, problem.ranks);
  if (problem.rooted()) text.print("root {}\n", problem.root);
  text.print("chunks {}\n", problem.chunks);
  if (!source.machine.empty()) text.print("machine {}\n", source.machine);
  if (!source.title.empty()) text.print("name {}\n", source.title);
  if (problem.ordered) text.put("ordered\n");
  if (source.hop_level()) text.print("nodes {}\n", source.nodes);
  if (problem.custom) {
    holdings(text, "pre", problem.custom->pre());
    holdings(text, "post", problem.custom->post());
  }
}

void message(Text& text, Rank src, Rank dst, std::span<const Run> chunks, bool reduce) {
  text.print(FMT_COMPILE("{} -> {} : "), src, dst);
  runs(text, chunks);
  text.put(reduce ? " reduce\n" : "\n");
}

void step_line(Text& text, const Step& step) {
  text.print("step {}", step.number);
  if (step.rounds != 1) text.print(" rounds {}", step.rounds);
  text.put("\n");
}

void write(const Source& source, const EmitOptions&, Output& out) {
  Text text(out);
  header(text, source);
  SingleTransfers single;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    if (step.transfers.empty()) continue;
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
    .read = read_sched_file,
};

}  // namespace schedcc
