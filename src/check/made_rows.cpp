#include "check/made_rows.hpp"

#include <numeric>
#include <span>
#include <string>
#include <string_view>

namespace schedcc {

namespace {

/// A row but for its transfers.
struct Head {
  std::uint64_t index, number, rounds, read, transfers;
};

std::string own_rows(const std::vector<MadeRow>& rows, const Crew& crew) {
  std::string result;
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    if (!crew.has(i)) continue;
    const MadeRow& row = rows[i];
    const Head head{i, row.number, row.rounds, row.read, row.transfers.size()};
    result += bytes_of(std::span<const Head>(&head, 1));
    result += bytes_of(std::span<const Transfer>(row.transfers));
  }
  return result;
}

}  // namespace

void exchange(std::vector<MadeRow>& rows, const Crew& crew) {
  for (const std::string& other : crew.others([&] { return own_rows(rows, crew); })) {
    for (std::string_view bytes = other; !bytes.empty();) {
      const Head head = take<Head>(bytes, 1).front();
      rows.at(head.index) = {head.number, static_cast<std::uint32_t>(head.rounds), head.read,
                             take<Transfer>(bytes, head.transfers)};
    }
  }
}

std::shared_ptr<const Schedule> schedule_of(const std::vector<MadeRow>& rows) {
  const auto result = std::make_shared<Schedule>();
  for (const MadeRow& row : rows)
    result->append({.number = row.number, .transfers = row.transfers, .rounds = row.rounds});
  return result;
}

std::uint64_t transfers_read(const std::vector<MadeRow>& rows) {
  return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const MadeRow& row) { return sum + row.read; });
}

}  // namespace schedcc
