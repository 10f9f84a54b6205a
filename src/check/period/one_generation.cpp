#include "check/period/one_generation.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/abandoned.hpp"
#include "check/checks.hpp"
#include "check/coverage.hpp"
#include "check/period/packet_lives.hpp"
#include "check/period/repetition.hpp"

namespace schedcc {

namespace {

/// Does the theory speak of it?
bool is_covered(const Source& source, const Machine& machine, const CheckOptions& options) {
  return source.problem.collective == Collective::broadcast && source.problem.ranks >= 2 &&
         source.problem.chunks >= 2 && only_steps(source) && machine.ports() != nullptr &&
         machine.channels() == nullptr && decides_without_order(options);
}

class Generations {
 public:
  Generations(const Steps& rows, const Problem& problem)
      : rows_(rows), problem_(problem), m_(problem.chunks - 1) {}

  /// Finds the period that a part of a row in the middle shows.
  bool find_period() {
    constexpr std::uint64_t longest = 64;
    const std::uint64_t N = rows_.size(), middle = m_ / 2, most = std::min(m_ / 3, longest);
    if (N <= m_) return false;
    Transfers one, other;
    const RowParts part = RowDivision(rows_, problem_.ranks).part(0);
    const std::span<const Transfer> row = rows_.read(middle, part, one).transfers;
    for (q_ = N - m_; q_ <= most && middle + q_ < m_; ++q_) {
      const Step later = rows_.read(middle + q_, part, other);
      if (is_shifted(later.transfers, row, static_cast<std::uint32_t>(q_))) return !row.empty();
    }
    return false;
  }

  /// Compares all rows; false if they are not as (1) and (2) say.
  bool compare(const Crew& crew, const std::function<void(std::uint64_t)>& progress) {
    const Period period{q_, q_, static_cast<std::int64_t>(q_)};
    Repetition repetition(rows_, {{0, rows_.size(), period}}, problem_);
    repetition.run(crew, progress);
    for (std::uint64_t row = 0; row < rows_.size(); ++row) {
      const Repetition::Range& range = repetition.ranges()[row];
      if (range.empty() || (row < m_ && range.last > row)) return false;
      if (range.first < q_) life_ = row + 1;
      if (row + q_ < m_ && !repetition.continued(row)) return false;
    }
    return life_ + q_ <= m_ && life_ < UINT8_MAX;
  }

  /// What becomes of generation 0 and of packet m. Throws Abandoned if there is anything to report.
  PacketLives lives() {
    PacketLives result(problem_.ranks, problem_.root, q_, m_);
    for (std::uint64_t row = 0; row < life_; ++row) {
      for (const Transfer& t : read(row, here_)) {
        if (t.first < q_) result.follow(t, t.first, row + 1);
      }
    }
    for (std::uint64_t row = m_; row < rows_.size(); ++row) {
      const auto transfers = read(row, here_);
      require_continued(read(row - q_, earlier_), transfers);
      for (const Transfer& t : transfers) {
        if (t.first == m_) result.follow(t, q_, row - m_ + 1);
      }
    }
    if (!result.complete()) throw Abandoned();
    for (std::uint64_t place = 0; place < q_; ++place) {
      const std::uint64_t later = (m_ - 1 - place) / q_ * q_;
      if (result.last_arrival(place) + later > rows_.size()) throw Abandoned();
    }
    return result;
  }

  /// Rows m-q..N-1.
  Steps busiest() const {
    const std::uint64_t first = m_ - q_;
    return Steps(rows_.size() - first, [first, rows = rows_](std::uint64_t row, Transfers& out) {
      return rows.fill(first + row, out);
    });
  }

 private:
  /// A row, which is a step with its number.
  std::span<const Transfer> read(std::uint64_t row, Transfers& buffer) const {
    const Step step = rows_.read(row, {}, buffer);
    if (step.number != row) throw Abandoned();
    return step.transfers;
  }

  /// Is this the row q rows later, for the packets before m?
  void require_continued(std::span<const Transfer> row, std::span<const Transfer> later) const {
    auto next = later.begin();
    const auto skip = [&] {
      while (next != later.end() && next->first >= m_) ++next;
    };
    for (Transfer t : row) {
      t.first += static_cast<Chunk>(q_);
      if (t.first >= m_) continue;
      skip();
      if (next == later.end() || *next++ != t) throw Abandoned();
    }
    skip();
    if (next != later.end()) throw Abandoned();
  }

  const Steps& rows_;
  const Problem& problem_;
  std::uint64_t m_, q_ = 0;
  std::uint64_t life_ = 0;  ///< generation 0 is in no row from this one on
  Transfers here_, earlier_;
};

}  // namespace

std::optional<OneGeneration> one_generation(const Source& source, const Machine& machine,
                                            const CheckOptions& options, const Crew& crew,
                                            const std::function<void(std::uint64_t)>& progress,
                                            bool one_queue) {
  constexpr std::uint64_t most_rows = 1 << 26;
  if (!is_covered(source, machine, options)) return std::nullopt;
  const auto rows = source.open()->rows();
  if (!rows || rows->size() > most_rows) return std::nullopt;
  Generations generations(*rows, source.problem);
  if (!generations.find_period() || !generations.compare(crew, progress)) return std::nullopt;
  const PacketLives lives = generations.lives();
  OneGeneration result{source, rows->size(),
                       std::uint64_t{source.problem.ranks - 1} * source.problem.chunks, 0};
  result.busiest.open = [busiest = generations.busiest()] { return stream(busiest); };
  if (asks_for(options, "buffers"))
    result.longest_queue = one_queue ? lives.longest_joint_queue() : lives.longest_queue();
  return result;
}

}  // namespace schedcc
