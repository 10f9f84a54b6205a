// Every message gets the first step in which its sender has reached it, its receiver may take it,
// and the previous message on its channel has been sent. Copies within a GPU take no time. The
// content of a message follows from the values. In a schedule a rank has one value of a chunk; a
// message replaces it if it holds nothing, or only contributions that the message has, and is
// combined with it otherwise. If then every message carries the value of its sender in the
// schedule, and the ranks end with the required values, these are the program's steps.
//
// So a message must be sent (strictly) after all its contributions have reached its sender, and
// before others do; and one that replaces a value must be in a step of its own, since a copy
// arrives alone. If several messages are combined at a chunk of a GPU, in an order that does not
// matter to the operator, while that GPU's own value is still under way, the two rules together put
// them all into one step; the order of the threadblocks' steps, a loose rule, is then dropped.

#include "program/steps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include <fmt/core.h>

#include "analysis/problem_contributions.hpp"
#include "program/execution.hpp"
#include "program/program_order.hpp"
#include "program/races.hpp"
#include "program/timetable.hpp"
#include "program/values.hpp"
#include "schedcc/error.hpp"

namespace schedcc::program {

namespace {

/// A chunk that arrives at a GPU, or leaves it.
struct ChunkEvent {
  Rank gpu;
  Chunk chunk;
  std::uint64_t time;  ///< in the order of the events; the arrivals of an event before its sends
  bool leaves;
  Event receive;  ///< of the message
  Contributions::Id id;
};

/// A run of chunks under way.
struct ChunkRun {
  std::uint64_t step;
  Event receive;
  Rank src, dst;
  Chunk chunk;
  Contributions::Id id;
};

class StepBuilder {
 public:
  StepBuilder(const Program& program, const std::string& file)
      : program_(program), file_(file), wiring_(program) {}

  std::shared_ptr<const Schedule> run() {
    if (!program_.has_problem() && !program_.mismatch.empty())
      fail(program_.line, program_.column, program_.mismatch);
    if (!program_.has_problem()) {
      fail(program_.line, program_.column,
           "the file does not state its custom collective, so there is no schedule of it; "
           "use --collective NAME or --problem FILE");
    }
    if (const ProgramFinding* m = first_error(wiring_.mismatches()))
      fail(m->location.line, m->location.column, m->message);
    const Execution run = execute(wiring_, unbounded);
    if (!run.complete())
      fail(run.stuck.front(), wiring_.describe(run.stuck.front()) + " never completes");
    const Call call = program_.out_of_place ? Call::out_of_place : Call::in_place;
    const Races races = find_races(wiring_, run.order, call);
    if (!races.found.empty()) {
      const Race& race = races.found.front();
      const std::string second = wiring_.describe(race.second);
      fail(race.second,
           fmt::format("{}, so the program has no equivalent schedule",
                       race.first == race.second
                           ? second + " reads and writes the same chunks at once"
                           : fmt::format("{} and {} race", wiring_.describe(race.first), second)));
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
    std::vector<std::uint32_t> place(wiring_.events());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    values_.emplace(wiring_, call);
    held_.emplace(program_.problem, contributions());
    values_->run(
        order,
        [&](const InvalidUse& use) {
          if (use.kind != InvalidUse::Kind::writes_input) {
            fail(use.action,
                 fmt::format("{} reads {}, which is not initialized or holds another chunk",
                             wiring_.describe(use.action), to_text(use.slot)));
          }
        },
        [&](const Arrival& arrival) {
          const auto& c = wiring_.connections()[wiring_.owner(arrival.receive).in];
          for (const SymbolicValue& value : arrival.values) {
            const std::uint64_t came = 2 * std::uint64_t{place[arrival.receive]};
            const std::uint64_t left = 2 * std::uint64_t{place[arrival.send]} + 1;
            passages_.push_back({c.dst, value.chunk, came, false, arrival.receive, value.id});
            passages_.push_back({c.src, value.chunk, left, true, arrival.receive, value.id});
            runs_.push_back({0, arrival.receive, c.src, c.dst, value.chunk, value.id});
          }
        });
    Timetable table = program_order(wiring_, order);
    if (program_.problem.reduction()) order_values(table);
    const std::vector<std::uint64_t> times = table.solve();
    for (ChunkRun& p : runs_) p.step = times[begin(p.receive)];
    std::ranges::stable_sort(
        runs_, {}, [](const ChunkRun& p) { return std::tuple(p.step, p.src, p.dst, p.chunk); });
  }

  /// A value must be sent after all its contributions have arrived, and before others do.
  void order_values(Timetable& table) {
    std::ranges::sort(passages_, {},
                      [](const ChunkEvent& p) { return std::tuple(p.gpu, p.chunk, p.time); });
    for (auto first = passages_.begin(); first != passages_.end();) {
      const auto last = std::find_if(first, passages_.end(), [&](const ChunkEvent& p) {
        return p.gpu != first->gpu || p.chunk != first->chunk;
      });
      if (program_.problem.reduced(first->chunk)) order_values(table, {first, last});
      first = last;
    }
  }

  /// Orders the values of one chunk at one GPU.
  void order_values(Timetable& table, std::span<const ChunkEvent> passages) {
    using Rule = Timetable::Rule;
    Contributions::Id has = held_->of(passages.front().gpu, passages.front().chunk);
    const Timetable::Node nothing = UINT32_MAX;
    Timetable::Node arrivals = nothing, departures = nothing;  // all arrivals, and sends, so far
    Timetable::Node replaced = nothing;  // the last time of the replaced value
    const auto extend = [&](Timetable::Node& all, Timetable::Node by, std::uint32_t delay) {
      const Timetable::Node before = all;
      all = table.add();
      if (before != nothing) table.after(all, before, 0, Rule::strict);
      table.after(all, by, delay, Rule::strict);
    };
    for (std::size_t i = 0; i < passages.size(); ++i) {
      const ChunkEvent& p = passages[i];
      if (!p.leaves) {
        if (departures != nothing) table.after(begin(p.receive), departures, 0, Rule::strict);
        if (replaced != nothing) table.after(begin(p.receive), replaced, 1, Rule::strict);
        const bool adds = combines(has, p.id);
        if (!adds && has != Contributions::empty) {
          if (arrivals != nothing) table.after(begin(p.receive), arrivals, 0, Rule::strict);
          replaced = begin(p.receive);
        }
        extend(arrivals, begin(p.receive), 1);
        has = adds ? contributions().unite(has, p.id) : p.id;
        continue;
      }
      if (p.id == has) {
        if (arrivals != nothing) table.after(begin(p.receive), arrivals, 0, Rule::strict);
      } else {
        order_apart(table, passages.first(i), p);
      }
      extend(departures, begin(p.receive), 0);
    }
  }

  /// The GPU sends a value without some earlier arrivals, which it keeps elsewhere.
  void order_apart(Timetable& table, std::span<const ChunkEvent> before, const ChunkEvent& sent) {
    for (const ChunkEvent& p : before) {
      if (p.leaves) continue;
      if (++compared_ > max_compared) return;  // the steps will not fit then
      const bool inside = contributions().within(p.id, sent.id);
      if (inside) {
        table.after(begin(sent.receive), begin(p.receive), 1, Timetable::Rule::strict);
      } else {
        table.after(begin(p.receive), begin(sent.receive), 0, Timetable::Rule::strict);
      }
    }
  }

  void deliver() {
    schedule_ = std::make_shared<Schedule>();
    for (auto begin = runs_.begin(); begin != runs_.end();) {
      const auto end = std::find_if(begin, runs_.end(),
                                    [&](const ChunkRun& p) { return p.step != begin->step; });
      schedule_->begin_step(begin->step);
      for (auto p = begin; p != end; ++p) {
        if (held_->at(p->src, p->chunk) != p->id) {
          fail(p->receive, fmt::format("GPU {} keeps several values of chunk {} here, which a "
                                       "schedule of steps cannot express",
                                       p->src, p->chunk));
        }
      }
      deliver(begin, end);
      begin = end;
    }
    check_goals();
  }

  using ChunkRuns = std::vector<ChunkRun>::const_iterator;

  void deliver(ChunkRuns begin, ChunkRuns end) {
    std::map<std::pair<Rank, Chunk>, std::uint32_t> arrivals;
    for (auto p = begin; p != end; ++p) ++arrivals[{p->dst, p->chunk}];
    Transfer transfer{};
    for (auto p = begin; p != end; ++p) {
      Contributions::Id& id = held_->at(p->dst, p->chunk);
      const bool empty = id == Contributions::empty;
      const bool alone = arrivals[{p->dst, p->chunk}] == 1;
      // Into an empty place a reduction is a copy, and others may come together with it.
      const bool reduce = empty ? !alone && p->id != Contributions::value : combines(id, p->id);
      if (!alone && !reduce) {
        fail(p->receive,
             fmt::format(
                 "GPU {} receives chunk {} twice at once, and no dependency determines which "
                 "message replaces the other",
                 p->dst, p->chunk));
      }
      id = reduce && !empty ? contributions().unite(id, p->id) : p->id;
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
    if (has == Contributions::empty || has == Contributions::value || has == comes) return false;
    return !contributions().within(has, comes);
  }

  void check_goals() {
    const Problem& problem = program_.problem;
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      values_->contents().for_each_goal(rank, [&](std::uint32_t, Chunk chunk) {
        const Contributions::Id has = held_->of(rank, chunk);
        if (has != Contributions::empty && has == held_->goal(rank, chunk)) return;
        fail(program_.gpus[rank].line, program_.gpus[rank].column,
             fmt::format(
                 "converted to a schedule, the program does not deliver chunk {1} to GPU {0}", rank,
                 chunk));
      });
      const auto end = values_->wrong_end(rank);
      if (!end) continue;
      fail(program_.gpus[rank].line, program_.gpus[rank].column, explain(*end));
    }
  }

  const Program& program_;
  const std::string& file_;
  Wiring wiring_;
  std::vector<ChunkRun> runs_;
  std::vector<ChunkEvent> passages_;
  static constexpr std::uint64_t max_compared = std::uint64_t{1} << 24;
  std::uint64_t compared_ = 0;
  std::optional<Values> values_;
  std::optional<HeldContributions> held_;  ///< by ranks in the schedule
  std::shared_ptr<Schedule> schedule_;
};

}  // namespace

std::shared_ptr<const Schedule> steps(const Program& program, const std::string& file) {
  return StepBuilder(program, file).run();
}

}  // namespace schedcc::program
