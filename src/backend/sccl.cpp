// The schedule as an algorithm of SCCL, in the JSON of msccl-tools; see frontend/import/sccl.cpp
// for what its words mean. Chunks are addresses, and every contribution to one is a chunk of its
// own. Links are those of the machine `topology`; elsewhere every pair of ranks is linked, as wide
// as the largest message of a round. Idle steps are left out: SCCL's steps are numbered by their
// places.

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "backend/limits.hpp"
#include "backend/text.hpp"
#include "checker/shape.hpp"
#include "frontend/import/sccl.hpp"
#include "frontend/import/sccl_collective.hpp"
#include "frontend/import/sccl_sends.hpp"
#include "ir/canonical.hpp"
#include "ir/counted.hpp"
#include "ir/runs.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace schedcc {

namespace {

/// Throws InputError for problems and machines that SCCL has no words for.
void refuse(const Source& source, const EmitOptions& options) {
  const Problem& problem = source.problem;
  const Machine& machine = options.machine;
  if (problem.ordered) throw InputError("SCCL's operators commute; it has no ordered reductions");
  if (problem.collective == Collective::scan || problem.collective == Collective::exscan) {
    throw InputError(fmt::format("SCCL has no {}: all ranks that get a chunk get all of it",
                                 info(problem.collective).name));
  }
  most::check("SCCL, a link for each pair,", most::sccl_ranks, "ranks", problem.ranks);
  if (source.hop_level()) throw InputError("SCCL's nodes are ranks; it has no hop level");
  if (machine.topology && !machine.topology->switches.empty()) {
    throw InputError("SCCL's switches join ranks; it has none that are nodes of their own");
  }
  if (machine.logp) throw InputError("SCCL's steps are no cycles; it has no logp machine");
}

struct Totals {
  std::uint64_t steps = 0, rounds = 0, sends = 0, width = 1;
};

std::uint64_t size(const WrittenMessage& message) {
  std::uint64_t chunks = 0;
  for (const Run& run : message.runs) chunks += run.count;
  return chunks;
}

/// Throws InputError where so many chunks cannot go from `src` to `dst` in the step.
void check_way(const Step& step, const Machine& machine, Rank src, Rank dst, std::uint64_t chunks) {
  if (!machine.topology) return;
  const auto link = machine.network->link(src, dst);
  if (!link) {
    throw InputError(
        fmt::format("SCCL's sends are hops, and in step {} there is no link from {} to {}",
                    step.number, src, dst));
  }
  if (chunks > link->capacity * step.rounds) {
    throw InputError(
        fmt::format("in step {} the link from {} to {} carries {}; SCCL's has room for {}",
                    step.number, src, dst, counted(chunks, "chunk"), link->capacity * step.rounds));
  }
}

/// A message's chunks, a transfer each.
void spread(const WrittenMessage& m, Transfers& out) {
  for (const Run& run : m.runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      out.push_back(copy(m.src, m.dst, run.first + i));
      out.back().reduce = m.reduce ? 1 : 0;
    }
  }
}

/// Do several contribute to the chunk? SCCL says of no other that it is reduced.
bool gathers(const Problem& problem, Chunk chunk) {
  return !problem.custom || problem.custom->holders(chunk).size() > 1;
}

/// Throws InputError where a reader of SCCL would combine what is copied, or the other way round.
void check_modes(const Problem& problem, std::span<const Transfer> transfers, std::uint64_t step,
                 ScclSends& meaning) {
  const auto effects = meaning.step(transfers);
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    const bool combines = effects[i] == ScclSends::Effect::combines && gathers(problem, t.first);
    if (effects[i] == ScclSends::Effect::fills || combines == (t.reduce != 0)) continue;
    throw InputError(
        fmt::format("SCCL does not say whether a send combines, and in step {} that of chunk {} "
                    "from rank {} to "
                    "rank {} would be taken to {}",
                    step, t.first, t.src, t.dst, combines ? "combine" : "replace what is there"));
  }
}

Totals count(const Source& source, const Machine& machine) {
  Totals totals;
  ScclSends meaning(source.problem);
  Transfers transfers;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    if (step.transfers.empty()) continue;
    ++totals.steps;
    totals.rounds += step.rounds;
    std::vector<std::tuple<Rank, Rank, std::uint64_t>> messages;
    transfers.clear();
    for (const WrittenMessage& m : canonical(step)) {
      messages.emplace_back(m.src, m.dst, size(m));
      totals.sends += size(m);
      most::check("SCCL, whose steps list every chunk that is sent,", most::sccl_chunks, "sends",
                  totals.sends);
      if (source.problem.reduction()) spread(m, transfers);
    }
    std::ranges::sort(messages);
    for (std::size_t i = 0; i < messages.size();) {
      std::uint64_t chunks = 0;
      const auto [src, dst, ignored] = messages[i];
      for (; i < messages.size() && std::get<0>(messages[i]) == src &&
             std::get<1>(messages[i]) == dst;
           ++i) {
        chunks += std::get<2>(messages[i]);
      }
      check_way(step, machine, src, dst, chunks);
      totals.width = std::max(totals.width, (chunks + step.rounds - 1) / step.rounds);
    }
    check_modes(source.problem, transfers, step.number, meaning);
  }
  return totals;
}

/// For each rank the chunks that it holds at the start, or wants.
using Rows = std::vector<std::vector<Run>>;

Rows rows(const Problem& problem, bool wanted) {
  Rows result(problem.ranks);
  if (problem.custom) {
    for (const Holding& h : wanted ? problem.custom->goals() : problem.custom->starts()) {
      result[h.rank] = merged(h.runs, true);
    }
    return result;
  }
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    if (!wanted) {
      if (const Run run = problem.start().of(rank); run.count > 0) result[rank] = {run};
      continue;
    }
    const Problem::Goal goal = problem.goal(rank);
    for (std::uint32_t i = 0; i < goal.repeat && goal.run.count > 0; ++i) {
      result[rank].push_back(goal.part(i));
    }
  }
  return result;
}

/// Throws InputError for chunks that are too many to be listed.
void check_listed(const Rows& pre, const Rows& post) {
  std::uint64_t listed = 0;
  for (const Rows* rows : {&pre, &post}) {
    for (const auto& row : *rows) {
      for (const Run& run : row) listed += run.count;
    }
  }
  most::check("SCCL, whose maps list what every rank has,", most::sccl_chunks, "chunks", listed);
}

class ScclWriter {
 public:
  ScclWriter(const Source& source, const Machine& machine, Output& out)
      : source_(source),
        machine_(machine),
        problem_(source.problem),
        totals_(count(source, machine)),
        pre_(rows(problem_, false)),
        post_(rows(problem_, true)),
        text_(out) {
    check_listed(pre_, post_);
  }

  void write() {
    text_.print("{{\"msccl_type\": \"algorithm\", \"name\": {},\n",
                quoted(source_.title.empty() ? source_.name : source_.title));
    text_.print(R"("instance": {{"msccl_type": "instance", "steps": {}, "extra_rounds": {}, )"
                R"("chunks": {}, "pipeline": null, "extra_memory": null, "allow_exchange": )"
                "false}},\n",
                totals_.steps, totals_.rounds - totals_.steps, parts());
    write_map("input_map", pre_);
    write_map("output_map", post_);
    write_steps();
    write_collective();
    write_topology();
    text_.put("}\n");
    text_.flush();
  }

 private:
  /// a, b, c: `item(i)` writes each.
  template <typename F>
  void list(std::uint64_t count, std::string_view comma, F item) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) text_.put(comma);
      item(i);
    }
  }

  void write_map(std::string_view name, const Rows& rows) {
    text_.print(R"("{}": {{)", name);
    const char* comma = "";
    for (Rank rank = 0; rank < rows.size(); ++rank) {
      if (rows[rank].empty()) continue;
      text_.print(R"({}"{}": [)", comma, rank);
      const char* inner = "";
      for (const Run& run : rows[rank]) {
        for (std::uint32_t i = 0; i < run.count; ++i) {
          text_.print(FMT_COMPILE("{}{}"), inner, run.first + i);
          inner = ", ";
        }
      }
      text_.put("]");
      comma = ", ";
    }
    text_.put("},\n");
  }

  void write_steps() {
    text_.put(R"("steps": [)");
    const auto stream = source_.open();
    std::string_view comma = "\n";
    for (Step step; stream->next(step);) {
      if (step.transfers.empty()) continue;
      text_.print(R"({}  {{"msccl_type": "step", "rounds": {}, "sends": [)", comma, step.rounds);
      comma = ",\n";
      const char* inner = "";
      for (const WrittenMessage& m : canonical(step)) {
        for (const Run& run : m.runs) {
          for (std::uint32_t i = 0; i < run.count; ++i) {
            text_.print(FMT_COMPILE("{}[{}, {}, {}]"), inner, run.first + i, m.src, m.dst);
            inner = ", ";
          }
        }
      }
      text_.put("]}");
    }
    text_.put("],\n");
  }

  void write_collective() {
    text_.print(R"json("collective": {{"msccl_type": "collective", "name": "{}(n={}{})", )json",
                sccl_name(problem_.collective), problem_.ranks,
                problem_.rooted() ? fmt::format(",root={}", problem_.root) : "");
    text_.print(R"("nodes": {}, "chunks": [)", problem_.ranks);
    std::string_view comma = "\n";
    for (const Run& run : held()) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        if ((run.first + i) % parts() == 0) write_chunks(run.first + i, comma);
      }
    }
    text_.print("], \"triggers\": {{}}, \"runtime_name\": \"{}\"}},\n",
                sccl_runtime_name(problem_.collective));
  }

  /// SCCL's collectives have one chunk a block; an instance cuts it into as many parts.
  std::uint32_t parts() const { return problem_.custom ? 1 : problem_.chunks; }

  /// The chunks that somebody has at the start.
  std::vector<Run> held() const {
    std::vector<Run> all;
    for (const auto& row : pre_) all.insert(all.end(), row.begin(), row.end());
    return merged(all, true);
  }

  /// The block that begins with `chunk`: one, or where it is reduced one for each contribution.
  void write_chunks(Chunk chunk, std::string_view& comma) {
    std::vector<Rank> holders, goals;
    for (Rank rank = 0; rank < problem_.ranks; ++rank) {
      if (contains(pre_[rank], chunk)) holders.push_back(rank);
      if (contains(post_[rank], chunk)) goals.push_back(rank);
    }
    const auto write = [&](std::span<const Rank> pre) {
      text_.print(R"({}  {{"msccl_type": "chunk", "pre": [{}], "post": [{}], "addr": {}}})", comma,
                  fmt::join(pre, ", "), fmt::join(goals, ", "), chunk / parts());
      comma = ",\n";
    };
    if (!problem_.reduced(chunk)) return write(holders);
    for (const Rank& rank : holders) write({&rank, 1});
  }

  std::uint64_t bandwidth(std::uint64_t src, std::uint64_t dst) const {
    if (!machine_.topology) return src == dst ? 0 : totals_.width;
    const auto link = machine_.network->link(static_cast<Rank>(src), static_cast<Rank>(dst));
    return link ? link->capacity : 0;
  }

  void write_topology() {
    text_.print(R"("topology": {{"msccl_type": "topology", "name": "{}{}", "switches": )"
                "[], \"links\": [\n",
                machine_.topology ? "Network" : "Full", problem_.ranks);
    list(problem_.ranks, ",\n", [&](std::uint64_t dst) {
      text_.put("  [");
      list(problem_.ranks, ", ",
           [&](std::uint64_t src) { text_.print(FMT_COMPILE("{}"), bandwidth(src, dst)); });
      text_.put("]");
    });
    text_.put("]}");
  }

  const Source& source_;
  const Machine& machine_;
  const Problem& problem_;
  Totals totals_;
  Rows pre_, post_;
  Text text_;
};

void write_sccl(const Source& source, const EmitOptions& options, Output& out) {
  refuse(source, options);
  refuse_misshapen(source, "SCCL");
  ScclWriter(source, options.machine, out).write();
}

}  // namespace

extern const Format sccl_format;
const Format sccl_format{
    .name = "sccl",
    .summary = "algorithms of SCCL, in the JSON of msccl-tools",
    .extensions = {".sccl.json", ".json"},
    .refuse = refuse,
    .write = write_sccl,
    .read = read_sccl,
    .recognises = is_sccl,
};

}  // namespace schedcc
