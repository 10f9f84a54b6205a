// Every message gets the first step in which its sender has come so far, its receiver may take it,
// and the message before it on its channel has gone. Copies within a GPU take no time. What a
// message carries is what the values say. In a schedule a rank has one value of a chunk; a message
// replaces it where it holds nothing, or nothing that is not in what comes, and is combined with it
// otherwise. If then every message carries what its sender has in the schedule, and the ranks end
// with what they should, these are the program's steps.

#include "program/steps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "program/execution.hpp"
#include "program/races.hpp"
#include "program/values.hpp"
#include "schedcc/error.hpp"

namespace schedcc::program {

namespace {

/// The step of each event that receives.
std::vector<std::uint64_t> schedule(const Wiring& wiring, const std::vector<Event>& order) {
  std::vector<std::uint64_t> done(wiring.events()), sent(wiring.events()), step(wiring.events());
  std::vector<std::uint64_t> block_done(wiring.blocks().size());
  std::vector<std::uint64_t> next_sent(wiring.connections().size());
  std::vector<std::uint64_t> next_step(wiring.connections().size());
  for (const Event e : order) {
    const std::uint32_t b = wiring.block_of(e);
    const Block& block = wiring.blocks()[b];
    const OpEffects effect = effects(wiring[e].op);
    std::uint64_t time = block_done[b];
    if (const Event first = wiring.awaited_by(e); first != none) time = std::max(time, done[first]);
    if (effect.receives) {
      step[e] = std::max({sent[wiring.sender_of(e)], time, next_step[block.in]});
      next_step[block.in] = step[e] + 1;
      time = step[e] + 1;
    }
    if (effect.sends) {
      time = std::max(time, next_sent[block.out]);
      sent[e] = time;
      next_sent[block.out] = time + 1;
    }
    done[e] = block_done[b] = time;
  }
  return step;
}

/// A run of chunks on its way.
struct Parcel {
  std::uint64_t step;
  Event receive;
  Rank src, dst;
  Chunk chunk;
  Contributions::Id id;
};

class Importer {
 public:
  Importer(const Program& program, const std::string& file)
      : program_(program), file_(file), wiring_(program) {}

  std::shared_ptr<const Schedule> run() {
    if (program_.problem.collective == Collective::custom) {
      fail(program_.line, program_.column,
           "the file does not say what its custom collective is, so there is no schedule of it");
    }
    if (!wiring_.misfits().empty()) {
      const Misfit& m = wiring_.misfits().front();
      if (m.event != none) fail(m.event, m.message);
      const Threadblock& block = *wiring_.blocks()[m.block].block;
      fail(block.line, block.column, m.message);
    }
    const Execution run = execute(wiring_, unbounded);
    if (!run.complete()) fail(run.stuck.front(), "this waits for ever");
    const Call call = program_.out_of_place ? Call::out_of_place : Call::in_place;
    const Races races = find_races(wiring_, run.order, call);
    if (!races.found.empty()) {
      fail(races.found.front().second,
           fmt::format("this and {} race, so there are no steps that are the program's",
                       wiring_.describe(races.found.front().first)));
    }
    collect(run.order, call);
    deliver();
    return std::move(schedule_);
  }

 private:
  Contributions& contributions() { return values_->contributions(); }

  [[noreturn]] void fail(std::uint32_t line, std::uint32_t column,
                         const std::string& message) const {
    throw InputError({file_, line, column}, message);
  }
  [[noreturn]] void fail(Event e, const std::string& message) const {
    fail(wiring_[e].line, wiring_[e].column, message);
  }

  void collect(const std::vector<Event>& order, Call call) {
    const std::vector<std::uint64_t> step = schedcc::program::schedule(wiring_, order);
    values_.emplace(wiring_, call);
    values_->run(
        order,
        [&](const Misuse& misuse) {
          if (misuse.what != Misuse::What::writes_input) {
            fail(misuse.event, fmt::format("this reads {}, where there is nothing, or nothing that "
                                           "fits",
                                           text(misuse.slot)));
          }
        },
        [&](const Arrival& arrival) {
          const auto& c = wiring_.connections()[wiring_.owner(arrival.receive).in];
          for (const Value& value : arrival.values) {
            parcels_.push_back(
                {step[arrival.receive], arrival.receive, c.src, c.dst, value.chunk, value.id});
          }
        });
    std::ranges::stable_sort(
        parcels_, {}, [](const Parcel& p) { return std::tuple(p.step, p.src, p.dst, p.chunk); });
  }

  /// What a rank has of a chunk in the schedule.
  Contributions::Id& held(Rank rank, Chunk chunk) {
    const auto [at, added] =
        held_.try_emplace(std::uint64_t{rank} << 32 | chunk, Contributions::unset);
    if (added && program_.problem.starts_with(rank, chunk)) {
      at->second = program_.problem.reduction() ? contributions().only(rank) : Contributions::value;
    }
    return at->second;
  }

  void deliver() {
    schedule_ = std::make_shared<Schedule>();
    for (auto begin = parcels_.begin(); begin != parcels_.end();) {
      const auto end = std::find_if(begin, parcels_.end(),
                                    [&](const Parcel& p) { return p.step != begin->step; });
      schedule_->begin_step(begin->step);
      for (auto p = begin; p != end; ++p) {
        if (held(p->src, p->chunk) != p->id) {
          fail(p->receive,
               fmt::format("GPU {} keeps several values of chunk {} apart here, which the steps of "
                           "a schedule cannot",
                           p->src, p->chunk));
        }
      }
      deliver(begin, end);
      begin = end;
    }
    check_goals();
  }

  using Parcels = std::vector<Parcel>::const_iterator;

  void deliver(Parcels begin, Parcels end) {
    std::map<std::pair<Rank, Chunk>, bool> arrived;  ///< and was it combined?
    Transfer transfer{};
    for (auto p = begin; p != end; ++p) {
      Contributions::Id& id = held(p->dst, p->chunk);
      const bool reduce = combines(id, p->id);
      const auto [other, first] = arrived.try_emplace({p->dst, p->chunk}, reduce);
      if (!first && (!reduce || !other->second)) {
        fail(p->receive, fmt::format("GPU {} receives chunk {} twice at once", p->dst, p->chunk));
      }
      id = reduce ? contributions().unite(id, p->id) : p->id;
      if (transfer.count > 0 && transfer.src == p->src && transfer.dst == p->dst &&
          transfer.first + transfer.count == p->chunk && (transfer.reduce != 0) == reduce) {
        ++transfer.count;
        continue;
      }
      if (transfer.count > 0) schedule_->add(transfer);
      transfer = copy(p->src, p->dst, p->chunk);
      transfer.reduce = reduce ? 1 : 0;
    }
    schedule_->add(transfer);
  }

  bool combines(Contributions::Id has, Contributions::Id comes) {
    if (has == Contributions::unset || has == Contributions::value || has == comes) return false;
    return !subtract(contributions()[has].ranks, contributions()[comes].ranks).empty();
  }

  void check_goals() {
    const Problem& problem = program_.problem;
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      for (std::uint32_t i = 0; i < output_chunks(problem, rank); ++i) {
        const Chunk chunk = output_chunk(problem, rank, i);
        const Contributions::Id id = held(rank, chunk);
        const bool complete = problem.reduction()
                                  ? id == contributions().of({{{0, problem.ranks - 1}}, {}})
                                  : id == Contributions::value;
        if (complete) continue;
        fail(program_.gpus[rank].line, program_.gpus[rank].column,
             fmt::format("GPU {} does not end with chunk {}, taken as the steps of a schedule",
                         rank, chunk));
      }
      const auto end = values_->wrong_end(rank);
      if (!end) continue;
      fail(program_.gpus[rank].line, program_.gpus[rank].column,
           fmt::format("GPU {} ends with a wrong chunk {} in {}: {}", rank, end->chunk,
                       text(end->slot), end->why));
    }
  }

  const Program& program_;
  const std::string& file_;
  Wiring wiring_;
  std::vector<Parcel> parcels_;
  std::optional<Values> values_;
  std::unordered_map<std::uint64_t, Contributions::Id> held_;
  std::shared_ptr<Schedule> schedule_;
};

}  // namespace

std::shared_ptr<const Schedule> steps(const Program& program, const std::string& file) {
  return Importer(program, file).run();
}

std::uint64_t length(const Wiring& wiring, const std::vector<Event>& order) {
  const std::vector<std::uint64_t> step = schedule(wiring, order);
  std::uint64_t result = 0;
  for (const Event e : order) {
    if (effects(wiring[e].op).receives) result = std::max(result, step[e] + 1);
  }
  return result;
}

}  // namespace schedcc::program
