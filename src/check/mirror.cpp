#include "check/mirror.hpp"

#include <array>
#include <atomic>
#include <span>
#include <string>
#include <utility>

#include "analysis/abandoned.hpp"
#include "check/checks.hpp"
#include "check/coverage.hpp"
#include "check/period/repetition.hpp"
#include "check/transfer_words.hpp"
#include "model/algebra.hpp"

namespace schedcc {

namespace {

/// Is it a reduction in any order?
bool is_reduction(const Problem& problem) {
  const bool kind =
      problem.collective == Collective::reduce || problem.collective == Collective::allreduce;
  return kind && !problem.ordered && problem.ranks >= 2;
}

/// Are rows judged one by one, from either end of their messages?
bool judges_rows(const Machine& machine) {
  const auto ports = machine.ports();
  return ports && ports->send == ports->receive && machine.channels() == nullptr;
}

/// Some parts of a row. Throws Abandoned if its step takes several rounds.
Step read_row(const Steps& rows, std::uint64_t row, const RowParts& parts, Transfers& buffer) {
  const Step step = rows.read(row, parts, buffer);
  if (step.rounds != 1) throw Abandoned();
  return step;
}

/// What becomes of a reduction; a copy, which is none, becomes what is no part of a broadcast.
Transfer image(const Transfer& t) { return sent_back(t, t.reduce == 0); }

/// Some parts of two rows of an allreduce, of which one may be the image of the other.
struct RowPair {
  /// As far from the first row as from the last one.
  void read(const Steps& rows, std::uint64_t row, const RowParts& parts) {
    one = read_row(rows, row, parts, buffers[0]).transfers;
    other = read_row(rows, rows.size() - 1 - row, parts, buffers[1]).transfers;
  }
  bool are_images() const {
    if (one.size() != other.size()) return false;
    Differences differences;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const TransferWords words = words_of(one[i]);
      differences.note(other[i], TransferWords{words[1], words[0], words[2], words[3] ^ kind_bit});
    }
    return differences.none();
  }

  std::array<Transfers, 2> buffers;
  std::span<const Transfer> one, other;
};

/// A reduction backwards. Its last row is not empty.
Steps backwards(const Steps& rows) {
  const std::uint64_t size = rows.size(), span = rows.span();
  return Steps::in_parts(size, rows.parts(),
                         [=](std::uint64_t row, const RowParts& parts, Transfers& buffer) {
                           const Step step = read_into(rows, size - 1 - row, parts, buffer);
                           if (step.rounds != 1) throw Abandoned();
                           for (Transfer& t : buffer) t = image(t);
                           return Step{.number = span - 1 - step.number, .transfers = buffer};
                         });
}

/// The rows from the middle on.
Steps second_half(const Steps& rows) {
  const std::uint64_t size = rows.size() / 2, first = rows.number(size);
  return Steps::in_parts(size, rows.parts(),
                         [=](std::uint64_t row, const RowParts& parts, Transfers& buffer) {
                           const Step step = read_row(rows, size + row, parts, buffer);
                           return Step{.number = step.number - first, .transfers = step.transfers};
                         });
}

/// The rank from which an allreduce brings the sums to the others, if its second half may be the
/// image of the first: a few rows are compared.
std::optional<Rank> likely_root(const Steps& rows) {
  if (rows.size() % 2 != 0) return std::nullopt;
  const std::uint64_t half = rows.size() / 2;
  Transfers buffer;
  const Step first = read_row(rows, half, {}, buffer);
  if (first.transfers.empty()) return std::nullopt;
  const Rank root = first.transfers.front().src;
  for (const Transfer& t : first.transfers) {
    if (t.src != root) return std::nullopt;
  }
  RowPair pair;
  for (const std::uint64_t row : {half - 1, std::uint64_t{0}, half / 2}) {
    pair.read(rows, row, {});
    if (!pair.are_images()) return std::nullopt;
  }
  return root;
}

}  // namespace

std::optional<MirrorImage> likely_image(const Source& source, const Machine& machine,
                                        const CheckOptions& options) {
  if (!is_reduction(source.problem) || !only_steps(source) || !judges_rows(machine) ||
      !decides_without_order(options))
    return std::nullopt;
  const auto rows = source.open()->rows();
  Transfers buffer;
  if (!rows || rows->size() == 0 || rows->read(rows->size() - 1, {}, buffer).transfers.empty())
    return std::nullopt;
  const bool twice = source.problem.collective == Collective::allreduce;
  const auto root = twice ? likely_root(*rows) : std::optional(source.problem.root);
  if (!root) return std::nullopt;
  MirrorImage result{source, rows->span()};
  result.broadcast.problem.collective = Collective::broadcast;
  result.broadcast.problem.root = *root;
  result.broadcast.open = [image = twice ? second_half(*rows) : backwards(*rows)] {
    return stream(image);
  };
  return result;
}

void compare_halves(const Steps& rows, const Crew& crew,
                    const std::function<void(std::uint64_t)>& progress) {
  const std::uint64_t half = rows.size() / 2;
  Transfers buffer;
  const RowDivision division(rows, rows.read(half / 2, {}, buffer).transfers.size());
  std::atomic<std::uint64_t> read = 0;
  const auto compare = [&](std::uint64_t i, RowPair& pair, const auto& shown) {
    pair.read(rows, i / division.count(), division.part(i % division.count()));
    if (!pair.are_images()) throw Abandoned();
    shown(read += 2 * pair.one.size());
  };
  crew.each_piece<RowPair>(half * division.count(), progress, compare);
}

CheckOptions checks_of_image(const CheckOptions& options, Collective collective) {
  CheckOptions result = options;
  result.fail_fast = false;
  result.checks = {"shape", "ports", "causality", "delivery", "redundancy"};
  // The longest queue of an allreduce is known.
  const bool queues = collective == Collective::reduce && asks_for(options, "buffers");
  if (queues) result.checks->emplace_back("buffers");
  return result;
}

}  // namespace schedcc
