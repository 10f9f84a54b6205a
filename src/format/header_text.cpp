#include "format/header_text.hpp"

#include "format/compiled_text.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

void write_holdings(Text& text, std::string_view directive, std::span<const Holding> all) {
  for (const Holding& holding : all) {
    text.print("{} {} : ", directive, holding.rank);
    write_ranges(text, holding.runs);
    text.put(holding.reduced ? " reduced\n" : "\n");
  }
}

}  // namespace

void write_ranges(Text& text, std::span<const Run> runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) text.put(",");
    const std::uint64_t last = end(runs[i]) - 1;
    if (last == runs[i].first) {
      print(text, FMT_COMPILE("{}"), last);
    } else {
      print(text, FMT_COMPILE("{}-{}"), runs[i].first, last);
    }
  }
}

void write_problem_lines(Text& text, const Source& source, std::string_view prefix) {
  const Problem& problem = source.problem;
  text.print("{0}schedcc 1\n{0}collective {1}\n{0}ranks {2}\n", prefix,
             info(problem.collective).name, problem.ranks);
  if (problem.rooted()) text.print("{}root {}\n", prefix, problem.root);
  text.print("{}chunks {}\n", prefix, problem.chunks);
  if (!source.machine.empty()) text.print("{}machine {}\n", prefix, source.machine);
  if (!source.title.empty()) text.print("{}name {}\n", prefix, source.title);
  if (problem.ordered) text.print("{}ordered\n", prefix);
  if (source.hop_level()) text.print("{}nodes {}\n", prefix, source.nodes);
}

void write_header(Text& text, const Source& source, std::string_view prefix) {
  write_problem_lines(text, source, prefix);
  const Problem& problem = source.problem;
  write_holdings(text, fmt::format("{}pre", prefix), problem.pre());
  write_holdings(text, fmt::format("{}post", prefix), problem.post());
}

}  // namespace schedcc
