// GOAL, the text format of the simulators LogGOPSim and ATLAHS (Hoefler, Schneider, Lumsdaine:
// LogGOPSim, HPDC 2010): for each rank its sends and receives, and what each waits for.
//
// Sends and receives of a rank in a step are independent, so that an exchange completes under
// rendezvous too, to which LogGOPSim changes for long messages. Each requires all of the rank's
// previous step. By induction on the steps none waits forever: the operations that a step's
// operations require have ended, so that both ends of each of its messages are posted.
//
// On LogP operations are in the order in which they start, and wait for one another: for the end of
// a receive, but of a send only for its beginning (`irequires`), after which the model's sender
// continues, too. By induction on the cycles none waits forever: a message's receive starts o + L
// after its send.
//
// A message is a send with the step as its tag. The problem and the chunks of a message, which GOAL
// cannot express, are in comments, as lines of the .sched format.

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "format/compiled_text.hpp"
#include "format/entry.hpp"
#include "format/goal/reader.hpp"
#include "format/header_text.hpp"
#include "format/limits.hpp"
#include "format/table.hpp"
#include "format/text.hpp"
#include "model/step_order.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using cpp::Operation;

/// Throws InputError for problems that GOAL cannot express.
void refuse(const Source& source, const EmitOptions&) {
  if (source.has_routers()) {
    throw InputError("GOAL has no routers; write the schedule at endpoint level");
  }
  most::check("GOAL", most::goal_ranks, "ranks", source.problem.ranks);
}

/// Throws InputError for steps that GOAL cannot express.
void refuse_steps(const Source& source) {
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    if (step.number >= UINT32_MAX) {
      throw InputError(
          fmt::format("step {} is above 2^32 - 2; GOAL has no tag for its messages", step.number));
    }
    if (step.rounds != 1) {
      throw InputError(
          fmt::format("step {} takes {} rounds; GOAL has none", step.number, step.rounds));
    }
    for (const Transfer& t : step.transfers) {
      if (std::max(t.src, t.dst) >= source.problem.ranks) {
        throw InputError(fmt::format("in step {}, rank {} is not one of the {} ranks", step.number,
                                     std::max(t.src, t.dst), source.problem.ranks));
      }
      if (t.src == t.dst) {
        throw InputError(fmt::format(
            "in step {}, rank {} sends to itself, which GOAL does not allow", step.number, t.src));
      }
    }
  }
}

using Message = std::span<const Operation>;
using Messages = std::vector<Message>;

/// The end of the step that begins with message i.
std::size_t step_end(const Messages& messages, std::size_t i) {
  const std::uint64_t step = messages[i].front().step;
  while (i < messages.size() && messages[i].front().step == step) ++i;
  return i;
}

class GoalWriter {
 public:
  GoalWriter(const EmitOptions& options, Output& out)
      : bytes_(options.parameters.integer("bytes")),
        cycles_(options.machine->timing() != nullptr),
        delay_(options.machine->receive_delay()),
        text_(out) {}

  void write(const Source& source, const cpp::Table& table) {
    write_header(text_, source, "// ");
    text_.print("num_ranks {}\n", source.problem.ranks);
    for (Rank rank = 0; rank < source.problem.ranks; ++rank) {
      text_.print("rank {} {{\n", rank);
      write_rank(rank, cpp::messages_of(table.of(rank)));
      text_.put("}\n");
    }
    text_.flush();
  }

 private:
  /// Operations `o`, those of a step from `begin` to `end`, which require those starting with
  /// `before`; or a barrier `b` between them.
  void write_rank(Rank rank, const Messages& messages) {
    annotated_.reset();
    std::size_t before = 0;
    for (std::size_t begin = 0; begin < messages.size();) {
      const std::size_t end = cycles_ ? begin + 1 : step_end(messages, begin);
      const bool barrier = through_barrier(begin - before, end - begin);
      if (barrier) {
        print(text_, FMT_COMPILE("b{}: calc 0 cpu 0\n"), begin);
        for (std::size_t i = before; i < begin; ++i)
          print(text_, FMT_COMPILE("b{} requires o{}\n"), begin, i);
      }
      for (std::size_t i = begin; i < end; ++i) {
        write_message(rank, i, messages[i]);
        if (barrier) {
          print(text_, FMT_COMPILE("o{} requires b{}\n"), i, begin);
        } else {
          for (std::size_t j = before; j < begin; ++j) write_dependency(i, j, messages[j]);
        }
      }
      before = begin;
      begin = end;
    }
  }

  void write_dependency(std::size_t later, std::size_t earlier, Message message) {
    const bool started = cycles_ && message.front().kind == mpi::send;
    print(text_, FMT_COMPILE("o{} {} o{}\n"), later, started ? "irequires" : "requires", earlier);
  }

  void write_message(Rank rank, std::size_t number, Message message) {
    const Operation& first = message.front();
    const bool receives = first.kind == mpi::receive;
    if (!receives) annotate(rank, message);
    std::uint64_t chunks = 0;
    for (const Operation& o : message) chunks += o.count;
    print(text_, FMT_COMPILE("o{}: {} {}b {} {} tag {} cpu 0 nic 0\n"), number,
          receives ? "recv" : "send", chunks * bytes_, receives ? "from" : "to", first.peer,
          receives ? first.step - delay_ : first.step);
  }

  /// A line for its copies, and one for its reductions.
  void annotate(Rank rank, Message message) {
    const std::uint64_t step = message.front().step;
    if (annotated_ != step) text_.print("// step {}\n", step);
    annotated_ = step;
    const Rank peer = message.front().peer;
    while (!message.empty()) {
      std::vector<Run> runs;
      const mpi::Mode mode = message.front().mode;
      while (!message.empty() && message.front().mode == mode) {
        runs.push_back({message.front().first, message.front().count});
        message = message.subspan(1);
      }
      text_.print("// {} -> {} : ", rank, peer);
      write_ranges(text_, runs);
      text_.put(mode == mpi::reduce ? " reduce\n" : "\n");
    }
  }

  std::uint64_t bytes_;
  bool cycles_;
  std::uint64_t delay_;
  std::optional<std::uint64_t> annotated_;  ///< the step of the last comment of the current rank
  Text text_;
};

void write_goal(const Source& source, const EmitOptions& options, Output& out) {
  refuse(source, options);
  refuse_steps(source);
  GoalWriter(options, out).write(source, cpp::by_rank(source, *options.machine));
}

}  // namespace

extern const FormatEntry goal_format;
const FormatEntry goal_format{
    .name = "goal",
    .summary = "GOAL, for the simulators LogGOPSim and ATLAHS",
    .extensions = {".goal"},
    .parameters = {{.name = "bytes",
                    .summary = "bytes of a chunk",
                    .min = 1,
                    .max = max_transfer_count,
                    .default_value = "1"}},
    .refuse = refuse,
    .write = write_goal,
    .read = read_goal,
    .recognises = is_goal,
};

}  // namespace schedcc
