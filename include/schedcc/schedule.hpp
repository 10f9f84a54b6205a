#pragma once

// The intermediate representation: a schedule is a sequence of steps, a step holds transfers.
//
// A schedule need not be in memory as a whole. An algorithm is a function from a step number to the
// transfers of that step (`Steps`), a file is a stream of steps, and a `Schedule` in memory is one
// consumer of such a stream among others.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace schedcc {

/// A rank 0..P-1; at hop level also a router P..nodes-1. Below 2^32 - 1.
using Rank = std::uint32_t;
/// A chunk number, as the table in problem.hpp defines it. Below 2^32.
using Chunk = std::uint32_t;

/// The largest number of chunks that one transfer can carry.
inline constexpr std::uint32_t max_transfer_count = (std::uint32_t{1} << 31) - 1;

/// `src` sends the chunks first..first+count-1 to `dst`, which replaces its values of them (copy)
/// or adds to them (reduce).
struct Transfer {
  Rank src;
  Rank dst;
  Chunk first;
  std::uint32_t count : 31;
  std::uint32_t reduce : 1;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};
static_assert(sizeof(Transfer) == 16, "schedules of 10^9 transfers are held and streamed");

/// The transfers of a step.
using Transfers = std::vector<Transfer>;

/// A transfer that copies `count` chunks.
constexpr Transfer copy(Rank src, Rank dst, Chunk first, std::uint32_t count = 1) {
  return {src, dst, first, count & max_transfer_count, 0};
}

/// Where a transfer was written: its step, its ends, and its line in a file (0: none). Hops of a
/// lowered schedule carry the origin that they came from.
struct Origin {
  std::uint64_t step = 0;
  Rank src = 0, dst = 0;
  std::uint32_t line = 0;
  std::uint32_t hops : 31 =
      1;  ///< the links of its route: the steps until its destination holds it
  std::uint32_t reduce : 1 = 0;  ///< whether it reduces there
};

/// One step as a stream returns it. The spans stay valid until the stream's next step.
struct Step {
  std::uint64_t number = 0;                ///< steps are numbered from 0; idle steps are left out
  std::span<const Transfer> transfers;     ///< all at once: they read the state before the step
  std::uint32_t rounds = 1;                ///< rounds that the step takes (topologies only)
  std::span<const std::uint32_t> lines{};  ///< the line of each transfer in its file; empty if none
  std::span<const Origin> origins{};       ///< lowered steps: where each hop comes from
};

class Steps;

/// Steps in rising order of their numbers, each returned once.
class StepStream {
 public:
  virtual ~StepStream() = default;
  /// Fills `step` with the next step; false at the end.
  virtual bool next(Step& step) = 0;
  /// All steps as a function, where they can be read in any order, and by several threads.
  virtual std::optional<Steps> rows() const;
  /// Lets so many other threads prepare the steps that are left, where that is worth it (a large
  /// text); 0: one per processor. The steps are the same.
  virtual void read_ahead(std::size_t /*threads*/) {}
};

/// The parts first..end-1 of the `of` parts of a row.
struct RowParts {
  std::uint64_t first = 0, end = 1, of = 1;
  /// These parts of a row, into which its transfers are divided evenly.
  std::span<const Transfer> cut(std::span<const Transfer> row) const {
    const std::uint64_t begin = row.size() * first / of;
    return row.subspan(begin, row.size() * end / of - begin);
  }
};

/// A schedule as a function: row i of 0..size()-1 gives one step's transfers and the step's number,
/// which rises with i. Computed rows need no memory and can be read in any order, on which the
/// algebra (reverse, sequence, ...) relies. A value; copies share what the function captured.
class Steps {
 public:
  /// Appends the transfers of row `index` to `out` and returns the number of their step.
  using Fill = std::function<std::uint64_t(std::uint64_t index, Transfers& out)>;
  /// Returns some parts of row `index`, in `buffer` or where they are in memory already.
  using Read = std::function<Step(std::uint64_t index, const RowParts& parts, Transfers& buffer)>;
  /// Rows that can be divided into any number of parts.
  static constexpr std::uint64_t any_number = 0;

  struct Rotations;

  Steps() = default;
  Steps(std::uint64_t size, Fill fill) : size_(size), fill_(std::move(fill)) {}
  /// Rows that can be read in `parts` parts, too, which follow one another.
  Steps(std::uint64_t size, Fill fill, std::uint64_t parts, Read read)
      : size_(size), fill_(std::move(fill)), parts_(parts), read_(std::move(read)) {}

  /// The same where there is a `read` alone, which leaves the buffer empty or returns it.
  static Steps in_parts(std::uint64_t size, std::uint64_t parts, Read read);

  std::uint64_t size() const { return size_; }
  std::uint64_t fill(std::uint64_t index, Transfers& out) const { return fill_(index, out); }
  /// Can rows be read in this number of parts?
  bool divides(std::uint64_t parts) const {
    return parts == 1 || (read_ && (parts_ == parts || parts_ == any_number));
  }
  /// The largest such number, or any_number.
  std::uint64_t parts() const { return parts_; }
  /// Some parts of a row. They stay valid as long as `buffer` does not change.
  Step read(std::uint64_t index, const RowParts& parts, Transfers& buffer) const;
  /// The steps that each rank o of `ranks` makes from `seeds`, all ranks at once, so that they do
  /// the same: a transfer (s, d, c) is followed by (s + o, d + o, c + o block) for o = 1, ...,
  /// ranks - 1, with ranks modulo `ranks`.
  static Steps rotations(Steps seeds, Rank ranks, Chunk block);
  /// What they were made from in this way; nullptr: they were not.
  const Rotations* rotated() const { return rotated_.get(); }
  /// The number of row `index`'s step.
  std::uint64_t number(std::uint64_t index) const;
  /// The number of the last step plus one; 0 if there is none.
  std::uint64_t span() const { return size_ == 0 ? 0 : number(size_ - 1) + 1; }

 private:
  std::uint64_t size_ = 0;
  Fill fill_;
  std::uint64_t parts_ = 1;
  Read read_;
  std::shared_ptr<const Rotations> rotated_;
};

/// The arguments of Steps::rotations().
struct Steps::Rotations {
  Steps seeds;
  Rank ranks;
  Chunk block;

  /// Appends what ranks first..end-1, at least one, make of the seeds of a row. Returns the number
  /// of its step.
  std::uint64_t fill(std::uint64_t row, Rank first, Rank end, Transfers& out) const;
};

/// The steps 0..count-1, step t being what `fill(t, out)` appends.
template <typename F>
Steps every_step(std::uint64_t count, F fill) {
  return Steps(count, [fill = std::move(fill)](std::uint64_t t, Transfers& out) {
    fill(t, out);
    return t;
  });
}

/// The same for rows that can be divided into `number` parts: step t, of which
/// `append(t, parts, out)` appends some.
template <typename F>
Steps every_step_in_parts(std::uint64_t count, F append, std::uint64_t number = Steps::any_number) {
  const auto fill = [append](std::uint64_t t, Transfers& out) {
    append(t, RowParts(), out);
    return t;
  };
  return Steps(
      count, fill, number,
      [append = std::move(append)](std::uint64_t t, const RowParts& parts, Transfers& buffer) {
        buffer.clear();
        append(t, parts, buffer);
        Step step;
        step.number = t;
        step.transfers = buffer;
        return step;
      });
}

/// A schedule in memory: rows of transfers over one array.
class Schedule {
 public:
  /// Opens a new row. Numbers must rise (InternalError otherwise).
  void begin_step(std::uint64_t number, std::uint32_t rounds = 1);
  /// Adds a transfer to the row opened last, with its line in a file (0: none).
  void add(const Transfer& transfer, std::uint32_t line = 0);
  /// Adds a row with all transfers of a step, and their lines.
  void append(const Step& step);

  std::uint64_t size() const { return rows_.size(); }
  Step operator[](std::uint64_t row) const;
  std::uint64_t transfers() const { return transfers_.size(); }

 private:
  struct Row {
    std::uint64_t number;
    std::uint64_t begin;
    std::uint32_t rounds;
  };
  std::vector<Row> rows_;
  Transfers transfers_;
  std::vector<std::uint32_t> lines_;  ///< empty, or a line for every transfer
};

/// The remaining steps of a stream, in memory.
Schedule collect(StepStream& stream);

/// Streams and functions over the same data. The schedule or function is shared, not copied.
std::unique_ptr<StepStream> stream(Steps steps);
std::unique_ptr<StepStream> stream(std::shared_ptr<const Schedule> schedule);
Steps as_steps(std::shared_ptr<const Schedule> schedule);

}  // namespace schedcc

#pragma GCC visibility pop
