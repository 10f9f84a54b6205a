#include "check/symmetry/one_block.hpp"

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/abandoned.hpp"
#include "check/coverage.hpp"
#include "check/made_rows.hpp"

namespace schedcc {

namespace {

/// The chunks of the messages of a row, by how far they go.
using Messages = std::map<Rank, std::uint64_t>;

/// Those of rank 0. Throws Abandoned if a rank is out of range.
Messages messages_of(std::span<const Transfer> seeds, Rank ranks) {
  Messages result;
  Rank last = 0;
  std::uint64_t chunks = 0;
  for (const Transfer& t : seeds) {
    if (t.src >= ranks || t.dst >= ranks) throw Abandoned();
    const Rank distance = t.dst >= t.src ? t.dst - t.src : t.dst + (ranks - t.src);
    if (distance != last) {
      if (chunks > 0) result[last] += std::exchange(chunks, 0);
      last = distance;
    }
    chunks += t.count;
  }
  if (chunks > 0) result[last] += chunks;
  return result;
}

/// The messages that rank 0 sends and receives, each a transfer of chunks of its own. Throws
/// Abandoned if there are not so many.
Transfers transfers_of(const Messages& messages, const Problem& problem) {
  Transfers sends, receives;
  std::uint64_t first = 0;
  for (const auto& [distance, chunks] : messages) {
    if (distance == 0 || chunks > max_transfer_count || first + chunks > problem.total_chunks())
      throw Abandoned();
    const auto count = static_cast<std::uint32_t>(chunks);
    Transfer message = copy(0, distance, static_cast<Chunk>(first), count);
    message.reduce = problem.reduction() ? 1 : 0;
    sends.push_back(message);
    std::swap(message.src, message.dst);
    message.src = problem.ranks - distance;
    receives.push_back(message);
    first += chunks;
  }
  sends.insert(sends.end(), receives.begin(), receives.end());
  return sends;
}

/// All rows, with the messages of rank 0.
std::vector<MadeRow> rows_of_messages(const Steps& seeds, const Problem& problem,
                                      const Crew& crew) {
  std::vector<MadeRow> rows(seeds.size());
  const auto make = [&](std::uint64_t row, Transfers& buffer, const auto&) {
    const Step step = seeds.read(row, {}, buffer);
    if (step.rounds != 1) throw Abandoned();
    rows[row] = {step.number, step.rounds, step.transfers.size(),
                 transfers_of(messages_of(step.transfers, problem.ranks), problem)};
  };
  crew.each_piece<Transfers>(rows.size(), {}, make);
  exchange(rows, crew);
  return rows;
}

}  // namespace

std::optional<OneBlock> one_block(const Source& source, const Symmetry& symmetry,
                                  const Crew& crew) {
  constexpr std::uint64_t most_steps = 1 << 24;  // all of them are kept
  const auto block = of_one_block(source.problem, 0);
  if (!block || !only_steps(source)) return std::nullopt;
  const auto rows = source.open()->rows();
  if (!rows || !made_by(symmetry, *rows) || rows->rotated()->seeds.span() > most_steps)
    return std::nullopt;
  const Steps seeds = rows->rotated()->seeds;
  OneBlock result{source, source, 0};
  const std::vector<MadeRow> messages = rows_of_messages(seeds, source.problem, crew);
  result.transfers = transfers_read(messages);
  result.messages.open = [schedule = schedule_of(messages)] { return stream(schedule); };
  result.block.problem = *block;
  result.block.open = [seeds] { return stream(seeds); };
  return result;
}

}  // namespace schedcc
