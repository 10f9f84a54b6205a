// Time-independent traces, which SimGrid replays (`smpirun -replay`): for each rank the MPI calls
// that it makes, without times, so that the same trace can be timed on any simulated platform.
//
// In each step a rank starts its receives and its sends and waits until all have ended; that is the
// program that the asynchronous alpha-beta clock of `cost` times. A rank with one call makes it a
// blocking one. The receives come first, so that no message waits for them, and the sends begin
// with that to the next rank, so that ranks that send to all do not all send to the same one first.
//
// On LogP, where messages overlap and do not wait for their receivers, all receives are started
// first; then, in the order of the cycles, sends are started and receives waited for; at the end
// the sends. With `overlap` ranks do not wait for the end of a step: all receives are started
// first, and each send when its chunks are there (overlap.hpp). The step is the tag.
//
// SimGrid reads a file for each rank, and a list of their names. Where only one stream can be
// written, it holds the traces of all ranks one after another; SimGrid reads that, too, when the
// list names this one file.
//
// Source: SimGrid's documentation, "SMPI replay".

#include <algorithm>
#include <climits>
#include <tuple>

#include <fmt/core.h>

#include "cost/messages.hpp"
#include "format/compiled_text.hpp"
#include "format/entry.hpp"
#include "format/limits.hpp"
#include "format/table.hpp"
#include "format/text.hpp"
#include "format/ti/overlap.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using cpp::Operation;
using ti::Message;

/// Throws InputError if both sizes are given.
void check(const Parameters& parameters) {
  if (parameters.has("message") && parameters.has("bytes")) {
    throw InputError("format 'ti': message= and bytes= cannot both be given");
  }
}

/// Throws InputError for problems that a trace cannot express.
void refuse(const Source& source, const EmitOptions& options) {
  check(options.parameters);
  if (source.has_routers()) {
    throw InputError("SimGrid traces have no routers; write the schedule at endpoint level");
  }
  most::check("a trace for SimGrid, a file for each rank,", most::trace_files, "ranks",
              source.problem.ranks);
}

/// Throws InputError for steps that a trace cannot express.
void refuse_steps(const Source& source) {
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    if (step.number > INT_MAX) {
      throw InputError(
          fmt::format("step {} is above 2^31 - 1; MPI has no tag for its messages", step.number));
    }
    if (step.rounds != 1) {
      throw InputError(
          fmt::format("step {} takes {} rounds; a trace has none", step.number, step.rounds));
    }
  }
}

/// How bytes are cut into chunks: `message` bytes, or `bytes` for each chunk.
ChunkBytes chunk_bytes(const Parameters& parameters, const Problem& problem) {
  if (problem.tokens()) return ChunkBytes(0, 1);
  if (!parameters.has("message"))
    return ChunkBytes(parameters.has("bytes") ? parameters.integer("bytes") : 1, 1);
  return ChunkBytes(parameters.size("message"), problem.chunks);
}

class TiWriter {
 public:
  TiWriter(const Machine& machine, const ChunkBytes& chunk_bytes, bool overlap, Output& out)
      : chunk_bytes_(chunk_bytes),
        timed_(machine.timing() != nullptr),
        overlap_(overlap),
        delay_(machine.receive_delay()),
        out_(out),
        text_(out) {}

  void write(const Source& source, const cpp::Table& table, std::string_view command) {
    std::string list;
    for (Rank rank = 0; rank < source.problem.ranks; ++rank) {
      const std::string name = out_.begin_part(fmt::format("{}.ti", rank));
      if (!name.empty()) list += name + '\n';
      if (rank == 0)
        text_.print("# {}\n# {}\n", comment(describe(source.problem)), comment(command));
      write_rank(rank, source.problem.ranks, table.of(rank));
      text_.flush();
    }
    if (list.empty()) return;
    out_.begin_part({});
    out_.write(list);
  }

 private:
  void write_rank(Rank rank, Rank ranks, std::span<const Operation> operations) {
    text_.print("{} init\n", rank);
    std::vector<Message> messages;
    for (const auto& message : cpp::messages_of(operations)) messages.push_back(sized(message));
    if (timed_) {
      write_cycles(rank, messages);
    } else {
      std::ranges::stable_sort(messages, {}, [&](const Message& m) {
        return std::tuple(m.step, m.receive, distance(rank, ranks, m));
      });
      overlap_ ? write_overlapping(rank, messages) : write_steps(rank, messages);
    }
    text_.print("{} finalize\n", rank);
  }

  /// From the sender to the receiver, in the order of the ranks.
  static std::uint64_t distance(Rank rank, Rank ranks, const Message& m) {
    const std::uint64_t from = m.receive ? m.peer : rank, to = m.receive ? rank : m.peer;
    return (to + ranks - from) % ranks;
  }

  void write_cycles(Rank rank, std::span<const Message> messages) {
    bool sends = false;
    start_receives(rank, messages);
    for (const Message& m : messages) {
      if (m.receive) {
        wait(rank, m);
      } else {
        call(rank, m, "isend");
        sends = true;
      }
    }
    if (sends) text_.print("{} waitall\n", rank);
  }

  void write_overlapping(Rank rank, std::span<const Message> messages) {
    start_receives(rank, messages);
    const ti::OverlappingCalls calls = ti::overlapping_calls(messages);
    for (std::size_t received = 0; received < calls.sends.size(); ++received) {
      if (received > 0) wait(rank, *calls.receives[received - 1]);
      for (const Message* send : calls.sends[received]) call(rank, *send, "isend");
    }
    if (calls.receives.size() < messages.size()) text_.print("{} waitall\n", rank);
  }

  void start_receives(Rank rank, std::span<const Message> messages) {
    for (const Message& m : messages) {
      if (m.receive) call(rank, m, "irecv");
    }
  }
  void wait(Rank rank, const Message& m) {
    print(text_, FMT_COMPILE("{0} wait {1} {0} {2}\n"), rank, m.peer, tag(m));
  }

  void write_steps(Rank rank, std::span<const Message> messages) {
    while (!messages.empty()) {
      const auto end = std::ranges::find_if(
          messages, [&](const Message& m) { return m.step != messages.front().step; });
      const auto step = messages.first(static_cast<std::size_t>(end - messages.begin()));
      messages = messages.subspan(step.size());
      write_step(rank, step);
    }
  }

  void write_step(Rank rank, std::span<const Message> step) {
    if (step.size() == 1) {
      call(rank, step.front(), step.front().receive ? "recv" : "send");
    } else {
      start_receives(rank, step);
      for (const Message& m : step) {
        if (!m.receive) call(rank, m, "isend");
      }
      print(text_, FMT_COMPILE("{} waitall\n"), rank);
    }
  }

  void call(Rank rank, const Message& m, std::string_view name) {
    print(text_, FMT_COMPILE("{} {} {} {} {}\n"), rank, name, m.peer, tag(m), m.bytes);
  }

  /// The step of its send.
  std::uint64_t tag(const Message& m) const { return m.receive ? m.step - delay_ : m.step; }

  Message sized(std::span<const Operation> operations) const {
    const Operation& first = operations.front();
    Message message{first.step, first.peer, first.kind == mpi::receive, 0, operations};
    for (const Operation& o : operations) message.bytes += chunk_bytes_.bytes(o.first, o.count);
    if (message.bytes > INT_MAX) {
      throw InputError(fmt::format("a message of step {} has {} bytes; MPI counts to 2^31 - 1",
                                   message.step, message.bytes));
    }
    return message;
  }

  ChunkBytes chunk_bytes_;
  bool timed_, overlap_;
  std::uint64_t delay_;
  Output& out_;
  Text text_;
};

void write_ti(const Source& source, const EmitOptions& options, Output& out) {
  refuse(source, options);
  refuse_steps(source);
  TiWriter(*options.machine, chunk_bytes(options.parameters, source.problem),
           options.parameters.has("overlap"), out)
      .write(source, cpp::by_rank(source, *options.machine), options.command);
}

}  // namespace

extern const FormatEntry ti_format;
const FormatEntry ti_format{
    .name = "ti",
    .summary = "time-independent traces for SimGrid's smpirun -replay, and their list",
    .extensions = {".lst"},
    .parameters = {{.name = "bytes",
                    .summary = "bytes of a chunk (default without message=: 1)",
                    .min = 1,
                    .max = max_transfer_count},
                   {.name = "message",
                    .summary = "bytes of the message, or of a block, which its chunks divide",
                    .kind = Parameter::Kind::size},
                   {.name = "overlap",
                    .summary =
                        "a rank sends as soon as it has the chunks, and does not wait at the "
                        "end of a step",
                    .kind = Parameter::Kind::flag}},
    .check = check,
    .refuse = refuse,
    .write = write_ti,
};

}  // namespace schedcc
