#include "program/send_receive.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "model/runs.hpp"
#include "program/limits.hpp"
#include "schedcc/error.hpp"

namespace schedcc::program {

namespace {

void refuse_sizes(const Problem& problem) {
  if (problem.ranks > limits::gpus) {
    throw InputError(fmt::format("{} ranks; a runtime of MSCCL holds at most {} GPUs",
                                 problem.ranks, limits::gpus));
  }
  const std::uint64_t longest =
      problem.reduction()
          ? problem.total_chunks()
          : std::max(input_chunks(problem, problem.root), output_chunks(problem, problem.root));
  if (longest > limits::offset + 1) {
    throw InputError(fmt::format("a buffer of {} chunks; offsets in MSCCL XML are at most {}",
                                 longest, limits::offset));
  }
}

/// The arrival time of a chunk that leaves at a time.
class Clock {
 public:
  explicit Clock(const Machine& machine) : machine_(machine) {}
  std::uint64_t arrival(std::uint64_t leaves, Rank src, Rank dst) {
    if (!machine_.routed()) return leaves + machine_.latency();
    path_.clear();
    machine_.network()->route(src, dst, path_);
    return leaves + (path_.size() < 2 ? 1 : path_.size() - 1);
  }

 private:
  const Machine& machine_;
  std::vector<Rank> path_;
};

/// When ranks first have any contribution to a chunk. The first arrival at a rank finds an empty
/// place there; it need not be the first one sent.
class Holders {
 public:
  explicit Holders(const Problem& problem) : problem_(problem) {}
  void expect(Rank rank, Chunk chunk, std::uint64_t arrives) {
    if (problem_.starts_with(rank, chunk)) return;
    First& first = first_.try_emplace(key(rank, chunk), First{arrives}).first->second;
    first.arrives = std::min(first.arrives, arrives);
  }
  bool has(Rank rank, Chunk chunk, std::uint64_t now) const {
    if (problem_.starts_with(rank, chunk)) return true;
    const auto first = first_.find(key(rank, chunk));
    return first != first_.end() && first->second.arrives <= now;
  }
  /// Does the arrival at this time find an empty place? True only for the first call.
  bool arrives_first(Rank rank, Chunk chunk, std::uint64_t arrives) {
    const auto first = first_.find(key(rank, chunk));
    if (first == first_.end() || first->second.arrives != arrives) return false;
    return !std::exchange(first->second.taken, true);
  }

 private:
  struct First {
    std::uint64_t arrives;
    bool taken = false;
  };
  static std::uint64_t key(Rank rank, Chunk chunk) { return std::uint64_t{rank} << 32 | chunk; }

  const Problem& problem_;
  std::unordered_map<std::uint64_t, First> first_;  ///< of those that do not start with it
};

Slot after(Slot slot, std::uint32_t count) {
  slot.offset += static_cast<std::int32_t>(count);
  return slot;
}

class Splitter {
 public:
  Splitter(const Source& source, const Machine& machine, const ChunkPlacement& places,
           const Waves& waves)
      : source_(source), places_(places), waves_(waves), clock_(machine), holders_(source.problem) {
    sent_.resize(source.problem.ranks);
  }

  std::vector<SendReceive> run() {
    expect_arrivals();
    const auto stream = source_.open();
    for (Step step; stream->next(step);) {
      for (const WrittenMessage& message : canonical(step)) split(step.number, message);
    }
    return std::move(send_receives_);
  }

 private:
  void expect_arrivals() {
    const auto stream = source_.open();
    for (Step step; stream->next(step);) {
      for (const Transfer& t : step.transfers) {
        const std::uint64_t arrives = clock_.arrival(step.number, t.src, t.dst);
        for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c)
          holders_.expect(t.dst, static_cast<Chunk>(c), arrives);
      }
    }
  }

  void split(std::uint64_t step, const WrittenMessage& message) {
    const auto& [src, dst, reduce, runs] = message;
    const std::uint64_t arrives = clock_.arrival(step, src, dst);
    SendReceive send_receive{src, dst, step, arrives, {}, {}, 0, false};
    for (const Run& run : runs) {
      for (std::uint64_t c = run.first; c < end(run); ++c) {
        const auto chunk = static_cast<Chunk>(c);
        if (!holders_.has(src, chunk, step)) {
          throw InputError(fmt::format("rank {} sends chunk {} in step {}, but does not hold it",
                                       src, chunk, step));
        }
        const bool combine = reduce && !holders_.arrives_first(dst, chunk, arrives);
        const Slot from = places_.home(src, chunk), to = places_.home(dst, chunk);
        const std::uint32_t wave = waves_.of(chunk);
        if (send_receive.count > 0 && send_receive.count < limits::count &&
            send_receive.combine == combine && send_receive.wave == wave &&
            from == after(send_receive.from, send_receive.count) &&
            to == after(send_receive.to, send_receive.count)) {
          ++send_receive.count;
          continue;
        }
        put(send_receive);
        send_receive = {src, dst, step, arrives, from, to, 1, combine, wave};
      }
    }
    put(send_receive);
  }

  void put(const SendReceive& send_receive) {
    if (send_receive.count == 0) return;
    send_receives_.push_back(send_receive);
    for (const Rank rank : {send_receive.src, send_receive.dst}) {
      // A send and a receive may become one instruction.
      if (++sent_[rank] > 2 * limits::elements) {
        throw InputError(
            fmt::format("rank {} has more than {} instructions; a runtime of MSCCL "
                        "holds no more",
                        rank, limits::elements));
      }
    }
  }

  const Source& source_;
  const ChunkPlacement& places_;
  const Waves& waves_;
  Clock clock_;
  Holders holders_;
  std::vector<SendReceive> send_receives_;
  std::vector<std::uint32_t> sent_;  ///< by rank: moves that it takes part in
};

/// Drops channels that nothing uses.
std::uint32_t renumber_channels(std::vector<SendReceive>& send_receives) {
  std::map<std::uint32_t, std::uint32_t> number;
  for (const SendReceive& send_receive : send_receives) number.emplace(send_receive.channel, 0);
  std::uint32_t channels = 0;
  for (auto& [channel, becomes] : number) becomes = channels++;
  for (SendReceive& send_receive : send_receives)
    send_receive.channel = number.at(send_receive.channel);
  return channels;
}

}  // namespace

void refuse(const Source& source) {
  const Problem& problem = source.problem;
  if (problem.ordered) {
    throw InputError("the operators of NCCL commute; MSCCL has no ordered reductions");
  }
  if (source.has_routers()) {
    throw InputError("MSCCL has no routers; write the schedule at endpoint level");
  }
  if (problem.tokens()) throw InputError("programs for GPUs move data, and a barrier has none");
  refuse_sizes(problem);
}

std::vector<std::vector<Run>> received(const Source& source) {
  std::vector<std::vector<Run>> result(source.problem.ranks);
  std::vector<std::size_t> merge_at(source.problem.ranks, 64);
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const Transfer& t : step.transfers) {
      std::vector<Run>& runs = result[t.dst];
      runs.push_back({t.first, t.count});
      if (runs.size() < merge_at[t.dst]) continue;
      runs = united(runs);
      merge_at[t.dst] = 2 * runs.size() + 64;
    }
  }
  for (std::vector<Run>& runs : result) runs = united(runs);
  return result;
}

std::vector<SendReceive> send_receives(const Source& source, const Machine& machine,
                                       const ChunkPlacement& places, const Waves& waves) {
  return Splitter(source, machine, places, waves).run();
}

std::uint32_t assign_channels(std::vector<SendReceive>& send_receives, Rank ranks,
                              std::uint32_t lanes, const Waves& waves) {
  const std::uint32_t per_wave = std::max(1U, lanes / waves.count());
  std::map<std::pair<Rank, Rank>, std::uint32_t> groups;
  std::vector<std::vector<std::uint32_t>> out(ranks), in(ranks);  // connections by group
  for (SendReceive& send_receive : send_receives) {
    const auto [at, added] = groups.try_emplace({send_receive.src, send_receive.dst}, 0);
    if (added) {
      auto& sends = out[send_receive.src];
      auto& receives = in[send_receive.dst];
      const auto full = [](const std::vector<std::uint32_t>& used, std::uint32_t group) {
        return group < used.size() && used[group] == limits::peers;
      };
      while (full(sends, at->second) || full(receives, at->second)) ++at->second;
      for (auto* used : {&sends, &receives}) {
        if (used->size() <= at->second) used->resize(at->second + 1);
        ++(*used)[at->second];
      }
    }
    const auto place = static_cast<std::uint32_t>(send_receive.to.offset);
    const std::uint32_t lane =
        send_receive.wave + place / send_receive.count % per_wave * waves.count();
    send_receive.channel = at->second * lanes + lane % lanes;
  }
  return renumber_channels(send_receives);
}

}  // namespace schedcc::program
