// Time-independent traces, which SimGrid replays (`smpirun -replay`): for each rank the MPI calls
// that it makes, without times, so that the same trace can be timed on any simulated platform.
//
// In each step a rank starts its sends and its receives and waits until all have ended; that is the
// program that the asynchronous alpha-beta clock of `cost` times. A rank with one call makes it a
// blocking one. On LogP, where messages overlap and do not wait for their receivers, all receives
// are started first; then, in the order of the cycles, sends are started and receives waited for;
// at the end the sends. The step is the tag.
//
// SimGrid reads a file for each rank, and a list of their names. Where only one stream can be
// written, it holds the traces of all ranks one after another; SimGrid reads that, too, when the
// list names this one file.
//
// Source: SimGrid's documentation, "SMPI replay".

#include <algorithm>
#include <climits>

#include <fmt/core.h>

#include "cost/messages.hpp"
#include "format/compiled_text.hpp"
#include "format/entry.hpp"
#include "format/limits.hpp"
#include "format/table.hpp"
#include "format/text.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using cpp::Operation;

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
  TiWriter(const Machine& machine, const ChunkBytes& chunk_bytes, Output& out)
      : chunk_bytes_(chunk_bytes),
        overlap_(machine.timing() != nullptr),
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
      write_rank(rank, table.of(rank));
      text_.flush();
    }
    if (list.empty()) return;
    out_.begin_part({});
    out_.write(list);
  }

 private:
  struct Message {
    std::uint64_t step;
    Rank peer;
    bool receive;
    std::uint64_t bytes;
  };

  void write_rank(Rank rank, std::span<const Operation> operations) {
    text_.print("{} init\n", rank);
    std::vector<Message> messages;
    for (const auto& message : cpp::messages_of(operations)) messages.push_back(sized(message));
    if (overlap_) {
      write_overlapping(rank, messages);
    } else {
      write_steps(rank, messages);
    }
    text_.print("{} finalize\n", rank);
  }

  void write_overlapping(Rank rank, std::span<const Message> messages) {
    bool sends = false;
    for (const Message& m : messages) {
      if (m.receive) call(rank, m, "irecv");
    }
    for (const Message& m : messages) {
      if (m.receive) {
        print(text_, FMT_COMPILE("{0} wait {1} {0} {2}\n"), rank, m.peer, tag(m));
      } else {
        call(rank, m, "isend");
        sends = true;
      }
    }
    if (sends) text_.print("{} waitall\n", rank);
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
      for (const Message& m : step) call(rank, m, m.receive ? "irecv" : "isend");
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
    Message message{first.step, first.peer, first.kind == mpi::receive, 0};
    for (const Operation& o : operations) message.bytes += chunk_bytes_.bytes(o.first, o.count);
    if (message.bytes > INT_MAX) {
      throw InputError(fmt::format("a message of step {} has {} bytes; MPI counts to 2^31 - 1",
                                   message.step, message.bytes));
    }
    return message;
  }

  ChunkBytes chunk_bytes_;
  bool overlap_;
  std::uint64_t delay_;
  Output& out_;
  Text text_;
};

void write_ti(const Source& source, const EmitOptions& options, Output& out) {
  refuse(source, options);
  refuse_steps(source);
  TiWriter(*options.machine, chunk_bytes(options.parameters, source.problem), out)
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
                    .kind = Parameter::Kind::size}},
    .check = check,
    .refuse = refuse,
    .write = write_ti,
};

}  // namespace schedcc
