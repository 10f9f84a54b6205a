// SCCL's file lists the chunks that are sent and held one by one; it has only chunks that a rank
// holds at the start; and a send is a hop that does not say whether it combines.

#include "format/sccl/limits.hpp"

#include <algorithm>
#include <span>

#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "analysis/digest.hpp"
#include "core/counted.hpp"
#include "format/limits.hpp"
#include "format/sccl/sends.hpp"
#include "model/runs.hpp"
#include "schedcc/error.hpp"

namespace schedcc::sccl {

namespace {

std::uint64_t size(const WrittenMessage& message) {
  std::uint64_t chunks = 0;
  for (const Run& run : message.runs) chunks += run.count;
  return chunks;
}

/// Throws InputError if that many chunks cannot go from `src` to `dst` in the step.
void check_link(const Step& step, const Machine& machine, Rank src, Rank dst,
                std::uint64_t chunks) {
  if (!machine.has_rounds()) return;
  const auto link = machine.network()->link(src, dst);
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

/// Do several ranks contribute to the chunk? In SCCL only such chunks are reduced.
bool gathers(const Problem& problem, Chunk chunk) {
  const Intervals ranks = problem.holders(chunk);
  return !ranks.empty() && ranks.front().first < ranks.back().last;
}

/// Throws InputError if a reader of SCCL would combine what is copied, or vice versa.
void check_modes(const Problem& problem, std::span<const Transfer> transfers, std::uint64_t step,
                 ScclSends& meaning) {
  const auto effects = meaning.step(transfers);
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    const bool combines = effects[i] == ScclSends::Effect::combines && gathers(problem, t.first);
    if (effects[i] == ScclSends::Effect::fills || combines == (t.reduce != 0)) continue;
    throw InputError(
        fmt::format("SCCL does not state whether a send reduces; in step {}, its readers would "
                    "take the send of chunk {} from rank {} to rank {} to {}",
                    step, t.first, t.src, t.dst, combines ? "reduce" : "replace the chunk there"));
  }
}

/// Throws InputError for chunks that no rank has at the start.
void check_addresses(const WrittenMessage& message, std::uint64_t step, std::span<const Run> held) {
  for (const Run& run : message.runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      if (contains(held, run.first + i)) continue;
      throw InputError(
          fmt::format("in step {}, rank {} sends chunk {}, which no rank has at the "
                      "start; SCCL has no address for it",
                      step, message.src, run.first + i));
    }
  }
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

/// Throws InputError for chunks that are wanted, and that no rank has.
void check_held(std::span<const Run> held, const Rows& post) {
  if (held.empty())
    throw InputError("no rank has a chunk at the start; SCCL has no such collective");
  for (Rank rank = 0; rank < post.size(); ++rank) {
    for (const Run& run : post[rank]) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        if (contains(held, run.first + i)) continue;
        throw InputError(
            fmt::format("rank {} must end with chunk {}, which no rank has at the start; SCCL "
                        "has no address for it",
                        rank, run.first + i));
      }
    }
  }
}

}  // namespace

Rows starts(const Problem& problem) {
  Rows rows(problem.ranks);
  problem.for_each_start([&](Rank rank, const Runs& runs) {
    rows[rank] = {runs.begin(), runs.end()};
  });
  return rows;
}

Rows goals(const Problem& problem) {
  Rows rows(problem.ranks);
  problem.for_each_goal([&](Rank rank, const Runs& runs) {
    rows[rank] = {runs.begin(), runs.end()};
  });
  return rows;
}

std::vector<Run> all(const Rows& rows) {
  std::vector<Run> result;
  for (const auto& row : rows) result.insert(result.end(), row.begin(), row.end());
  return united(result);
}

void refuse(const Source& source, const EmitOptions& options) {
  const Problem& problem = source.problem;
  const Machine& machine = *options.machine;
  if (problem.ordered) throw InputError("SCCL's operators commute; it has no ordered reductions");
  if (problem.collective == Collective::exscan) {
    throw InputError("SCCL has no exscan; it has scan");
  }
  if (problem.tokens()) throw InputError("SCCL cannot express a barrier: its chunks are not empty");
  most::check("SCCL, a link for each pair,", most::sccl_ranks, "ranks", problem.ranks);
  if (source.has_routers()) throw InputError("SCCL's nodes are ranks; it has no hop level");
  if (machine.has_rounds() && machine.network()->nodes() > problem.ranks) {
    throw InputError("SCCL's switches connect ranks directly; they are not nodes");
  }
  if (machine.timing())
    throw InputError("SCCL cannot express schedules for machine 'logp': its steps are not cycles");
  const Rows pre = starts(problem), post = goals(problem);
  check_listed(pre, post);
  check_held(all(pre), post);
}

Totals count(const Source& source, const Machine& machine) {
  Totals totals;
  ScclSends meaning(source.problem);
  Transfers transfers;
  Digest digest;
  const std::vector<Run> held = all(starts(source.problem));
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    if (step.transfers.empty()) continue;
    ++totals.steps;
    totals.rounds += step.rounds;
    transfers.clear();
    for (const WrittenMessage& m : canonical(step)) {
      totals.sends += size(m);
      most::check("SCCL, whose steps list every chunk that is sent,", most::sccl_chunks, "sends",
                  totals.sends);
      check_addresses(m, step.number, held);
      if (source.problem.reduction()) spread(m, transfers);
    }
    digest.read(step);
    for (const Message& m : digest.messages()) {
      check_link(step, machine, m.src, m.dst, m.chunks);
      totals.width = std::max(totals.width, (m.chunks + step.rounds - 1) / step.rounds);
    }
    check_modes(source.problem, transfers, step.number, meaning);
  }
  return totals;
}

}  // namespace schedcc::sccl
