// Reads the binary format (docs/binary-format.md).
//
// Blocks are checked and expanded as the source is streamed, so that memory is that of a step and
// of the rows to which groups may refer. Nothing is allocated for a number of the file alone: the
// runs of `pre` and `post` lines take bytes of the file, and before a group's rows are made, a step
// is refused that is too large for the memory, or in which so many transfers must repeat others.
// There are no more that differ than senders, receivers and chunks can be combined; and rows of a
// group that add the same to one another differ only as long as what is added up does.

#include "format/binary/reader.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "core/memory.hpp"
#include "core/saturating.hpp"
#include "format/binary/blocks.hpp"
#include "format/binary/group_reader.hpp"
#include "format/header.hpp"
#include "model/problem_text.hpp"

namespace schedcc {

namespace {

using namespace binary;

/// In steps of no more transfers, those that repeat others are found by the check `shape`.
constexpr std::uint64_t always_read = std::uint64_t{1} << 20;

/// How many transfers of a step can differ: a sender, another receiver, and a chunk.
std::uint64_t possible_transfers(const Source& source) {
  const std::uint64_t nodes = source.node_count();
  return (Saturating(nodes) * (nodes - 1) * source.problem.total_chunks()).value();
}

class BinaryStream : public StepStream {
 public:
  /// `blocks`: at the first block after the header. `most`: the limit on the transfers of a step,
  /// of which `possible` can differ.
  BinaryStream(InputText bytes, std::string file, const BlockReader& blocks, std::uint64_t most,
               std::uint64_t possible)
      : bytes_(std::move(bytes)),
        file_(std::move(file)),
        blocks_(blocks),
        groups_(blocks.window()),
        most_(most),
        possible_(possible) {
    if (!at_item()) return;
    if (const std::uint64_t at = in_.offset(); !begins_step())
      fail_at_byte(file_, at, "a group before the first step");
    more_ = true;
  }

  bool next(Step& step) override {
    if (!more_) return false;
    groups_.begin();
    distinct_ = 0;
    step = {};
    step.number = number_;
    step.rounds = rounds_;
    more_ = false;
    while (!more_ && at_item()) {
      more_ = begins_step();
      if (more_) break;
      const std::uint64_t at = in_.offset() - 1;
      groups_.read(
          in_, false,
          [&](std::uint64_t rows, std::uint64_t distinct) { admit(rows, distinct, at); },
          [&](std::span<const Transfer> rows) {
            require_chunks(rows, at);
            total_ += rows.size();
          });
    }
    step.transfers = groups_.rows();
    return true;
  }

 private:
  /// Is there another item? Goes on to the next block where one ends.
  bool at_item() {
    while (in_.empty()) {
      Block block = blocks_.next();
      if (block.kind == BlockKind::end) {
        read_end(block.payload);
        return false;
      }
      if (block.kind != BlockKind::steps)
        fail_at_byte(file_, block.offset, "a header block after the header");
      in_ = std::move(block.payload);
    }
    return true;
  }

  /// Reads the kind of an item, and what begins a step, if it does.
  bool begins_step() {
    const std::uint64_t at = in_.offset();
    const auto item = in_.fixed<std::uint8_t>("an item");
    if (item == group_item) return false;
    if (item != step_item) fail_at_byte(file_, at, fmt::format("unknown item kind {}", item));
    const std::uint64_t number = next_number_ + in_.varint("the number of the step");
    if (number > UINT32_MAX)
      fail_at_byte(file_, at, fmt::format("step {} is above 2^32 - 1", number));
    rounds_ = in_.varint("the number of rounds");
    if (rounds_ == 0) fail_at_byte(file_, at, "a step must take at least 1 round");
    number_ = number;
    next_number_ = number + 1;
    ++steps_;
    return true;
  }

  /// Before a group's rows are made. `at`: its byte in the file.
  void admit(std::uint64_t rows, std::uint64_t distinct, std::uint64_t at) {
    const std::uint64_t all = groups_.rows().size() + rows;
    distinct_ += distinct;
    if (const std::uint64_t most = std::min(distinct_, possible_);
        all > always_read && all > most) {
      fail_at_byte(file_, at,
                   fmt::format("of the {} transfers of step {} up to here at most {} can differ; "
                               "a message has each chunk once",
                               all, number_, most));
    }
    if (all <= most_) return;
    throw LimitError({file_, 0, 0},
                     fmt::format("byte {}: step {} has more than {} transfers, the limit (an "
                                 "eighth of the memory)",
                                 at, number_, most_));
  }

  /// Each transfer must have some, below 2^32. `at`: the group's byte in the file.
  void require_chunks(std::span<const Transfer> transfers, std::uint64_t at) const {
    std::uint32_t wrong = 0;
    for (const Transfer& t : transfers) {
      wrong |= static_cast<std::uint32_t>(t.count == 0) |
               static_cast<std::uint32_t>(t.first + (t.count - 1) < t.first);
    }
    if (wrong != 0) {
      fail_at_byte(file_, at,
                   fmt::format("the group has a transfer of no chunks, or of some above 2^32 - 1, "
                               "in step {}",
                               number_));
    }
  }

  void read_end(ByteReader in) {
    const std::uint64_t at = in.offset();
    const auto steps = in.fixed<std::uint64_t>("the last block");
    const auto transfers = in.fixed<std::uint64_t>("the last block");
    if (!in.empty()) fail_at_byte(file_, in.offset(), "the last block has more than 16 bytes");
    if (steps != steps_ || transfers != total_) {
      fail_at_byte(file_, at,
                   fmt::format("the file states {} steps and {} transfers, but contains {} and {}",
                               steps, transfers, steps_, total_));
    }
    blocks_.require_end();
  }

  InputText bytes_;
  std::string file_;
  BlockReader blocks_;
  ByteReader in_;  ///< the rest of the current block
  GroupReader groups_;
  std::uint64_t most_, possible_;
  std::uint64_t distinct_ = 0;  ///< transfers of the step that can differ, so far
  bool more_ = false;           ///< is there a step, with `number_` and `rounds_`?
  std::uint64_t number_ = 0, next_number_ = 0;
  std::uint32_t rounds_ = 1;
  std::uint64_t steps_ = 0, total_ = 0;
};

/// Reads the blocks before the steps.
class BinaryHeader {
 public:
  BinaryHeader(BlockReader& blocks, const std::string& file) : blocks_(blocks), file_(file) {}

  Source read() {
    read_text();
    Scanner in(text_, file_);
    try {
      TextHeader header = read_header(in, [&](Header& all) {
        read_holdings(BlockKind::pre, all, all.pre);
        read_holdings(BlockKind::post, all, all.post);
      });
      in.seek(header.end);
      if (in.next_directive())
        fail_at_byte(file_, byte(in.mark().at), "unexpected line in the header");
      header.source.machine_location = {file_, 0, 0};
      return std::move(header.source);
    } catch (const InputError& error) {
      if (error.location.file != file_ || error.location.line == 0) throw;
      fail_at_byte(file_, byte(place(error.location)), error.what());
    }
  }

 private:
  struct TextOffset {
    std::size_t begin;     ///< in the text
    std::uint64_t offset;  ///< in the file
  };

  /// The next block, if it is of this kind.
  std::optional<Block> next(BlockKind kind) {
    BlockReader ahead = blocks_;
    Block block = ahead.next();
    if (block.kind != kind) return std::nullopt;
    blocks_ = std::move(ahead);
    return block;
  }

  void read_text() {
    while (auto block = next(BlockKind::header)) {
      offsets_.push_back({text_.size(), block->payload.offset()});
      text_ += block->payload.rest();
    }
    if (offsets_.empty())
      fail_at_byte(file_, file_header_size, "the first block is not a header block");
  }

  /// The place in the text of a line and column.
  std::size_t place(const SourceLocation& location) const {
    std::size_t begin = 0;
    for (std::uint32_t line = 1; line < location.line && begin < text_.size(); ++line)
      begin = std::min(text_.find('\n', begin), text_.size() - 1) + 1;
    return std::min(begin + location.column - 1, text_.size());
  }
  /// The byte in the file of a place in the text.
  std::uint64_t byte(std::size_t place) const {
    const auto after = std::ranges::upper_bound(offsets_, place, {}, &TextOffset::begin);
    const TextOffset& part = *std::prev(after);
    return part.offset + (place - part.begin);
  }

  void read_holdings(BlockKind kind, const Header& header,
                     std::vector<Header::PlacedHolding>& out) {
    GroupReader groups(blocks_.window());
    while (auto block = next(kind)) {
      if (!header.source.problem.declared())
        fail_at_byte(file_, block->offset, "only a custom collective has 'pre' and 'post' lines");
      ByteReader& in = block->payload;
      groups.begin();
      while (!in.empty()) {
        const std::uint64_t offset = in.offset();
        if (in.fixed<std::uint8_t>("an item") != group_item)
          fail_at_byte(file_, offset, "a 'pre' or 'post' block has only groups");
        groups.read(
            in, true, [](std::uint64_t, std::uint64_t) {},
            [&](std::span<const Transfer> rows) {
              for (const Transfer& t : rows)
                add_run(row_of(t), kind, header.source.problem, out, offset);
            });
      }
    }
  }

  /// Adds a run of a line, which must fit the problem. `offset`: of its group.
  void add_run(const Row& row, BlockKind kind, const Problem& problem,
               std::vector<Header::PlacedHolding>& out, std::uint64_t offset) {
    const auto [rank, numbered, first, last] = row;
    const std::uint64_t line = numbered >> 1;
    const bool reduced = (numbered & 1) != 0;
    const auto fail = [&](const std::string& message) { fail_at_byte(file_, offset, message); };
    if (rank >= problem.ranks) fail(no_such_rank("rank", rank, problem.ranks));
    if (last < first) fail(fmt::format("the run of chunks {} to {} is empty", first, last));
    if (last >= problem.chunks) fail(no_such_chunk(last, problem.chunks));
    if (reduced && kind == BlockKind::pre) fail("only 'post' lines are reduced");
    if (line == out.size()) {
      out.push_back({{file_, 0, 0}, {rank, {}, reduced}});
    } else if (line + 1 != out.size() || out.back().holding.rank != rank ||
               out.back().holding.reduced != reduced) {
      fail(fmt::format("the run is not one of line {} of this kind, nor of the next", out.size()));
    }
    out.back().holding.runs.push_back({first, last - first + 1});
  }

  BlockReader& blocks_;
  const std::string& file_;
  std::string text_;
  std::vector<TextOffset> offsets_;
};

}  // namespace

Source read_binary(const InputText& bytes, const std::string& file) {
  // What is done with a step takes some of the rest of the memory.
  return read_binary(bytes, file, usable_memory() / (8 * sizeof(Transfer)));
}

Source read_binary(const InputText& bytes, const std::string& file, std::uint64_t most_transfers) {
  BlockReader blocks(bytes.view(), file);
  Source source = BinaryHeader(blocks, file).read();
  set_file(source, file);
  source.open = [bytes, file, blocks, most_transfers, possible = possible_transfers(source)] {
    return std::make_unique<BinaryStream>(bytes, file, blocks, most_transfers, possible);
  };
  return source;
}

bool is_binary(std::string_view bytes) { return bytes.starts_with(magic); }

}  // namespace schedcc
