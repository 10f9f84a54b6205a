// Writes the binary format (docs/binary-format.md).

#include <algorithm>

#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "analysis/written_steps.hpp"
#include "format/binary/blocks.hpp"
#include "format/binary/group_writer.hpp"
#include "format/binary/reader.hpp"
#include "format/entry.hpp"
#include "format/header.hpp"
#include "format/header_text.hpp"
#include "format/text.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

using namespace binary;

/// An Output that stores text as the payload of header blocks.
class HeaderBlocks : public Output {
 public:
  explicit HeaderBlocks(BlockWriter& blocks) : blocks_(blocks) {}
  void write(std::string_view text) override {
    while (!text.empty()) {
      const std::size_t room = longest_payload - blocks_.payload().size();
      blocks_.payload() += text.substr(0, room);
      text.remove_prefix(std::min(room, text.size()));
      if (!text.empty()) blocks_.end_block(BlockKind::header);
    }
  }

 private:
  BlockWriter& blocks_;
};

void write_header_blocks(const Source& source, BlockWriter& blocks) {
  HeaderBlocks out(blocks);
  Text text(out);
  write_problem_lines(text, source);
  text.flush();
  blocks.end_block(BlockKind::header);
}

/// The runs of `pre` or `post` lines.
void write_runs(std::span<const Holding> holdings, BlockKind kind, BlockWriter& blocks) {
  constexpr std::size_t runs_per_group = 1 << 16;
  GroupWriter groups(blocks, kind, true);
  std::uint32_t line = 0;
  std::size_t added = 0;
  for (const Holding& holding : holdings) {
    for (const Run& run : holding.runs) {
      groups.add({holding.rank, 2 * line + (holding.reduced ? 1 : 0), run.first,
                  static_cast<std::uint32_t>(end(run) - 1)});
      if (++added % runs_per_group == 0) groups.write();
    }
    ++line;
  }
  groups.write();
  blocks.end_block(kind);
}

void begin_step(const Step& step, std::uint64_t next, std::string& payload) {
  payload += static_cast<char>(step_item);
  put_varint(payload, static_cast<std::uint32_t>(step.number - next));
  put_varint(payload, step.rounds);
}

void add_transfer(const Step& step, const Transfer& t, GroupWriter& groups) {
  if (t.first + (t.count - 1) < t.first) {
    throw InputError(
        fmt::format("in step {}, rank {} sends chunk {} to rank {}; the binary format numbers "
                    "chunks up to 2^32 - 1",
                    step.number, t.src, std::uint64_t{t.first} + t.count - 1, t.dst));
  }
  groups.add({t.src, t.dst, t.first, t.count | (std::uint32_t{t.reduce} << 31)});
}

/// The transfers of a part of a step in canonical form: unchanged if no two belong to one message.
void add_transfers(const Step& step, CanonicalMessages& messages, GroupWriter& groups) {
  if (messages.all_single(step)) {
    for (const Transfer& t : step.transfers) add_transfer(step, t, groups);
    return;
  }
  messages.each_grouped(step, [&](const WrittenMessage& m) {
    for (const Run& run : m.runs) {
      split_run(m.src, m.dst, run.first, run.count, m.reduce,
                [&](const Transfer& t) { add_transfer(step, t, groups); });
    }
  });
}

void write_end(std::uint64_t steps, std::uint64_t transfers, BlockWriter& blocks) {
  put_fixed(blocks.payload(), steps);
  put_fixed(blocks.payload(), transfers);
  blocks.end_block(BlockKind::end);
  blocks.flush();
}

/// How many rows back groups may refer: some steps in which every rank sends a message, limited so
/// that they roughly fit in a processor's cache.
std::uint32_t window_for(const Source& source) {
  constexpr std::uint64_t steps = 32, min_window = 1 << 16;
  const std::uint64_t rows = steps * source.node_count();
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rows, min_window, largest_window));
}

void write_binary(const Source& source, const EmitOptions&, Output& out) {
  BlockWriter blocks(out, window_for(source));
  write_header_blocks(source, blocks);
  write_runs(source.problem.pre(), BlockKind::pre, blocks);
  write_runs(source.problem.post(), BlockKind::post, blocks);
  GroupWriter groups(blocks, BlockKind::steps, false);
  CanonicalMessages messages;
  std::uint64_t next = 0, steps = 0;
  WrittenSteps written(source);
  for (Step step; written.next(step);) {
    begin_step(step, next, blocks.payload());
    written.each_part([&](const Step& part) { add_transfers(part, messages, groups); });
    groups.write();
    next = step.number + 1;
    ++steps;
  }
  blocks.end_block(BlockKind::steps);
  write_end(steps, groups.rows(), blocks);
}

}  // namespace

extern const FormatEntry binary_format;
const FormatEntry binary_format{
    .name = "binary",
    .summary = "schedcc's own binary format, for schedules that are too large as text",
    .extensions = {".schedb"},
    .write = write_binary,
    .read = read_binary,
    .recognises = is_binary,
    .keeps_all = true,
};

}  // namespace schedcc
