#pragma once

// Which rows of a schedule repeat earlier ones, and which chunks are in which rows.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// Row i + `rows` is row i with `chunks` added to each chunk, `steps` steps later.
struct Period {
  std::uint64_t rows = 0, steps = 0;
  std::int64_t chunks = 0;
};

/// The period by which the row in the middle is repeated; none if it has at most `most` rows.
std::optional<Period> period_in_the_middle(const Steps& steps, std::uint64_t most);

/// Compares all rows with those a period later, by several threads. Each follows every q-th row, so
/// that it has two rows in memory.
class Repetition {
 public:
  /// The chunks first..last of a row; first > last: it is empty.
  struct Range {
    std::uint64_t first = UINT64_MAX, last = 0;
  };

  Repetition(const Steps& steps, const Period& period);
  /// Throws Abandoned if a step takes several rounds.
  void run(std::size_t threads, const std::function<void(std::uint64_t)>& progress);

  /// Is row i + q the repetition of row i?
  bool repeated(std::uint64_t row) const { return repeated_[row] != 0; }
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  struct Row {
    Step step;
    Transfers buffer;
  };

  void follow(std::uint64_t item, const std::function<void(std::uint64_t)>& progress);
  void read(std::uint64_t row, Row& to);
  bool repeats(const Step& row, const Step& earlier) const;

  static constexpr std::uint64_t segments = 8;  ///< of the rows of a thread: none has to wait long

  const Steps& steps_;
  const Period period_;
  std::vector<std::uint8_t> repeated_;
  std::vector<Range> ranges_;
  std::atomic<std::uint64_t> next_ = 0, read_ = 0;
};

}  // namespace schedcc
