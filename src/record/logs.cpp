#include "record/logs.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "record/identity.hpp"
#include "schedcc/error.hpp"

namespace schedcc::record {

namespace {

[[noreturn]] void damaged(const std::string& path) {
  throw InputError({path}, "this log of a process is damaged");
}

Log read_log(const std::string& path) {
  Log log;
  log.text = InputText::open(path);
  std::string_view rest = log.text.view();
  if (rest.size() < log_head || !read_state(path, log.state)) damaged(path);
  rest.remove_prefix(log_head);
  if (log.state.used > rest.size()) damaged(path);
  rest = rest.substr(0, log.state.used);
  while (!rest.empty()) {
    LoggedEvent event{};
    if (rest.size() < sizeof event.head) damaged(path);
    std::memcpy(&event.head, rest.data(), sizeof event.head);
    rest.remove_prefix(sizeof event.head);
    const std::uint64_t stored = event.head.stored;
    if (stored > rest.size()) damaged(path);
    event.payload = rest.substr(0, stored);
    rest.remove_prefix(std::min<std::uint64_t>((stored + 7) / 8 * 8, rest.size()));
    log.events.push_back(event);
  }
  return log;
}

/// The log of a process that could not write one. The name of its file is its rank.
Log lost_log(const std::filesystem::path& path) {
  Log log;
  log.state.full = 1;
  const std::string rank = path.stem().string();
  std::from_chars(rank.data(), rank.data() + rank.size(), log.state.rank);
  return log;
}

bool is_text(const char (&text)[sizeof(BeginArguments::collective)]) {
  return std::memchr(text, 0, sizeof text) != nullptr;
}

/// What a begin event says: the arguments, and the ranks in MPI_COMM_WORLD.
std::vector<std::int32_t> read_begin(const LoggedEvent& event, BeginArguments& begin) {
  if (event.payload.size() < sizeof begin) throw InputError("a log of a process is damaged");
  std::memcpy(&begin, event.payload.data(), sizeof begin);
  const std::string_view ranks = event.payload.substr(sizeof begin);
  std::vector<std::int32_t> world(ranks.size() / sizeof(std::int32_t));
  std::memcpy(world.data(), ranks.data(), world.size() * sizeof(std::int32_t));
  if (world.size() != static_cast<std::size_t>(begin.ranks) || begin.rank < 0 ||
      begin.rank >= begin.ranks || begin.root < 0 || begin.root >= begin.ranks ||
      begin.length == 0 || begin.length > max_log || !is_text(begin.collective) ||
      begin.words > WordKind::sum_double || !buffer_layout(begin.collective, 2, 0, 0, 1).known) {
    throw InputError("a log of a process is damaged");
  }
  return world;
}

}  // namespace

bool Execution::rank_of(std::int32_t process, Rank& rank) const {
  const auto found = std::ranges::find(world, process);
  rank = static_cast<Rank>(found - world.begin());
  return found != world.end();
}

const BeginArguments& Execution::begin() const {
  return std::ranges::find_if(segments, &Segment::begun)->begin;
}

bool Execution::ended() const { return std::ranges::all_of(segments, &Segment::ended); }

bool read_state(const std::string& path, State& state) {
  std::ifstream file(path, std::ios::binary);
  return file.read(reinterpret_cast<char*>(&state), sizeof state) &&
         std::memcmp(state.magic, log_magic, sizeof state.magic) == 0 &&
         state.version == log_version;
}

std::vector<Log> read_logs(const std::string& folder) {
  std::vector<Log> logs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    State begun{};
    const std::string path = entry.path().string();
    if (entry.path().extension() == lost_ending) {
      logs.push_back(lost_log(entry.path()));
    } else if (read_state(path, begun)) {
      logs.push_back(read_log(path));
    }
  }
  std::ranges::sort(logs, {}, [](const Log& log) { return log.state.rank; });
  return logs;
}

std::vector<Execution> executions(const std::vector<Log>& logs) {
  std::vector<Execution> result;
  // A communicator may execute several, and its ranks all of them in the same order.
  std::map<std::pair<std::vector<std::int32_t>, std::size_t>, std::size_t> index;
  for (const Log& log : logs) {
    std::map<std::vector<std::int32_t>, std::size_t> begun;
    Segment* open = nullptr;
    for (const LoggedEvent& event : log.events) {
      if (event.head.kind == EventKind::begin) {
        BeginArguments begin{};
        const std::vector<std::int32_t> world = read_begin(event, begin);
        const auto [at, added] = index.try_emplace({world, begun[world]++}, result.size());
        if (added) result.push_back({world, std::vector<Segment>(world.size())});
        Execution& execution = result[at->second];
        open = &execution.segments[static_cast<std::size_t>(begin.rank)];
        open->begun = true;
        open->begin = begin;
      } else if (open == nullptr) {
        continue;
      } else if (event.head.kind == EventKind::end) {
        open->ended = true;
        open->result = event.payload;
        open = nullptr;
      } else {
        open->events.push_back(event);
      }
    }
  }
  return result;
}

}  // namespace schedcc::record
