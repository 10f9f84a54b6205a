// Recordings of schedules: ranks that execute a schedule, with the recorder's data, and log their
// messages as the recorder does, give a recording that is as good as the schedule.

#include "catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "record/completion.hpp"
#include "record/identity.hpp"
#include "record/logs.hpp"
#include "record/recording.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"

using namespace schedcc;
using namespace schedcc::record;

namespace {

constexpr std::uint32_t words_of_chunk = 3;

using Messages = std::vector<std::tuple<Rank, Rank, Chunk, bool>>;

/// The transfers of a source, apart from their steps.
Messages transfers(const Source& source) {
  Messages result;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const Transfer& t : step.transfers) {
      for (std::uint32_t i = 0; i < t.count; ++i)
        result.emplace_back(t.src, t.dst, t.first + i, t.reduce != 0);
    }
  }
  std::ranges::sort(result);
  return result;
}

/// Executes schedules on words, and keeps what a recorder would log.
class ScheduleExecution {
 public:
  ScheduleExecution(const Source& source, WordKind kind) : problem_(source.problem), kind_(kind) {
    const Rank P = problem_.ranks;
    execution_.segments.resize(P);
    for (Rank rank = 0; rank < P; ++rank) {
      execution_.world.push_back(static_cast<std::int32_t>(rank));
      begin(rank);
    }
    const auto stream = source.open();
    for (Step step; stream->next(step);) execute(step);
    for (Rank rank = 0; rank < P; ++rank) end(rank);
  }

  const Execution& execution() const { return execution_; }
  /// The result of a rank, in which words may be changed.
  std::string& result(Rank rank) { return *results_[rank]; }

  /// The log of a rank, as it is in its file.
  std::string log(Rank rank) const {
    const Segment& segment = execution_.segments[rank];
    std::string begin = text(segment.begin);
    for (const std::int32_t process : execution_.world) begin += text(process);
    std::string events = event({EventKind::begin, 0, 0, {}, 1, 0, 0, 0}, begin);
    for (const LoggedEvent& one : segment.events) events += event(one.head, one.payload);
    events += event({EventKind::end, 0, 0, {}, 0, 0, 0, 0}, segment.result);
    State state{};
    std::memcpy(state.magic, log_magic, sizeof state.magic);
    state.version = log_version;
    state.rank = static_cast<std::int32_t>(rank);
    state.ranks = static_cast<std::int32_t>(problem_.ranks);
    state.used = events.size();
    std::string head = text(state);
    head.resize(log_head);
    return head + events;
  }

 private:
  template <typename T>
  static std::string text(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  static std::string event(Event head, std::string_view payload) {
    head.stored = payload.size();
    std::string result = text(head).append(payload);
    result.resize((result.size() + 7) / 8 * 8);
    return result;
  }

  void begin(Rank rank) {
    Segment& segment = execution_.segments[rank];
    segment.begun = segment.ended = true;
    std::strncpy(segment.begin.collective, std::string(problem_.name()).c_str(),
                 sizeof segment.begin.collective - 1);
    segment.begin.rank = static_cast<std::int32_t>(rank);
    segment.begin.ranks = static_cast<std::int32_t>(problem_.ranks);
    segment.begin.root = static_cast<std::int32_t>(problem_.root);
    segment.begin.words = kind_;
    segment.begin.length = std::uint64_t{problem_.chunks} * words_of_chunk;
    const BufferLayout own = layout_of(rank);
    held_.emplace_back(own.words, 0);
    for (std::uint64_t i = 0; i < own.start.size(); ++i)
      held_[rank][own.start[i]] = identity(kind_, rank, own.start[i]);
  }

  BufferLayout layout_of(Rank rank) const {
    return buffer_layout(problem_.name(), problem_.ranks, rank, problem_.root,
                         std::uint64_t{problem_.chunks} * words_of_chunk);
  }

  /// All send, and then all receive; the transfers from one rank to another are one message.
  void execute(const Step& step) {
    std::map<std::pair<Rank, Rank>, std::vector<std::uint64_t>> messages;
    std::vector<std::uint64_t> arriving;
    for (const Transfer& t : step.transfers) {
      const auto first = held_[t.src].begin() + std::ptrdiff_t{t.first} * words_of_chunk;
      const std::vector<std::uint64_t> words(first,
                                             first + std::ptrdiff_t{t.count} * words_of_chunk);
      auto& message = messages[{t.src, t.dst}];
      message.insert(message.end(), words.begin(), words.end());
      arriving.insert(arriving.end(), words.begin(), words.end());
    }
    for (const auto& [ends, words] : messages) {
      const std::string& payload = bytes(words);
      const auto to = static_cast<std::int32_t>(ends.second);
      execution_.segments[ends.first].events.push_back(
          {{EventKind::send, to, 0, {}, 1, 0, payload.size(), payload.size()}, payload});
    }
    for (const auto& [ends, words] : messages) {
      const auto from = static_cast<std::int32_t>(ends.first);
      execution_.segments[ends.second].events.push_back(
          {{EventKind::receive, from, 0, {}, 1, ++order_, words.size() * word_bytes(kind_), 0},
           {}});
    }
    auto next = arriving.begin();
    for (const Transfer& t : step.transfers) {
      const std::size_t first = std::size_t{t.first} * words_of_chunk;
      for (std::size_t i = 0; i < std::size_t{t.count} * words_of_chunk; ++i, ++next) {
        std::uint64_t& word = held_[t.dst][first + i];
        word = t.reduce != 0 ? sum(kind_, word, *next) : *next;
      }
    }
  }

  void end(Rank rank) {
    const StridedRange goal = layout_of(rank).goal;
    std::vector<std::uint64_t> values;
    for (std::uint64_t i = 0; i < goal.size(); ++i) values.push_back(held_[rank][goal[i]]);
    results_.push_back(&bytes(values));
    execution_.segments[rank].result = *results_.back();
  }

  std::string& bytes(const std::vector<std::uint64_t>& values) {
    std::string& result = payloads_.emplace_back();
    for (const std::uint64_t value : values) {
      const auto real = static_cast<double>(value);
      const void* const from =
          kind_ == WordKind::sum_double ? static_cast<const void*>(&real) : &value;
      result.append(static_cast<const char*>(from), word_bytes(kind_));  // little-endian
    }
    return result;
  }

  Problem problem_;
  WordKind kind_;
  Execution execution_;
  std::vector<std::vector<std::uint64_t>> held_;
  std::deque<std::string> payloads_;
  std::vector<std::string*> results_;
  std::uint64_t order_ = 0;
};

Problem problem(Collective collective, Rank ranks, std::uint32_t chunks) {
  Problem result;
  result.collective = collective;
  result.ranks = ranks;
  result.chunks = chunks;
  if (result.rooted()) result.root = ranks / 2;
  return result;
}

std::vector<WordKind> kinds(bool reduction) {
  if (!reduction) return {WordKind::copied32, WordKind::copied64};
  return {WordKind::sum32, WordKind::sum64, WordKind::sum_double};
}

/// Recordings of the logs of a folder: how many, or none if they are refused.
std::optional<std::size_t> recordings(const std::string& folder) {
  try {
    const std::vector<Log> logs = read_logs(folder);
    const std::vector<Execution> all = executions(logs);
    for (const Execution& one : all) {
      if (one.ended()) recording(one, {1, 1, 2});
    }
    return all.size();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a recording of an executed schedule has its transfers, and holds in hardly more steps") {
  std::size_t recorded = 0;
  for (const char* const name : {"binomial-tree", "linear", "ring", "circulant-skips",
                                 "recursive-doubling", "chain", "two-tree", "pipeline", "bruck"}) {
    for (const CollectiveInfo& info : collectives()) {
      for (const Rank P : {2U, 3U, 4U, 5U, 8U}) {
        for (const std::uint32_t K : {1U, P}) {
          const Problem wanted = problem(info.collective, P, K);
          if (!buffer_layout(info.name, P, 0, 0, 1).known) continue;
          std::optional<Source> source;
          try {
            source = from_algorithm(name, wanted);
          } catch (const std::exception&) {
            continue;  // it does not exist, or does not serve this problem
          }
          const Report report = check(*source, make_machine("duplex", P));
          if (report.verdict() != Verdict::holds) continue;
          for (const WordKind kind : kinds(buffer_layout(info.name, P, 0, 0, 1).reduction)) {
            INFO(name << ' ' << info.name << ", " << P << " ranks, " << K << " chunks, words "
                      << static_cast<int>(kind));
            ScheduleExecution executed(*source, kind);
            const Recording made = recording(executed.execution(), {1, 1, 2});
            CHECK(made.unknown.empty());
            CHECK(made.findings.empty());
            REQUIRE(made.schedule);
            const Source again = from_schedule(made.problem, made.schedule);
            const Report own = check(again, make_machine("duplex", P));
            CHECK(own.verdict() == Verdict::holds);
            CHECK(own.steps <= report.steps + 1);  // steps are assigned greedily
            // Whole blocks may be one chunk, where the schedule has several.
            if (made.problem.chunks == K) CHECK(transfers(again) == transfers(*source));
            ++recorded;
          }
        }
      }
    }
  }
  CHECK(recorded > 200);
}

TEST_CASE("a wrong word of a result is found, and what it is") {
  const Source source = from_algorithm("ring", problem(Collective::allgather, 3, 1));
  ScheduleExecution executed(source, WordKind::copied64);
  std::string& result = executed.result(1);
  // The first word of block 0 is replaced by that of block 2.
  result.replace(0, 8, result.substr(std::size_t{2} * words_of_chunk * 8, 8));
  const Recording made = recording(executed.execution(), {1, 1, 2});
  REQUIRE(made.findings.size() >= 1);
  CHECK(made.findings[0].severity == Severity::error);
  CHECK(made.findings[0].message ==
        "rank 1 ends with a wrong word 0 of block 0: it is word 0 of block 2");
}

TEST_CASE("a wrong result is unknown if a rank calls what is not recorded") {
  const Source source = from_algorithm("ring", problem(Collective::allgather, 3, 1));
  ScheduleExecution executed(source, WordKind::copied64);
  executed.result(1).replace(0, 8, 8, '\0');
  Execution execution = executed.execution();
  execution.segments[2].events.push_back(
      {{EventKind::unrecorded, 0, 0, {}, 0, 0, 0, 0}, "MPI_Win_lock"});
  const Recording made = recording(execution, {1, 1, 2});
  CHECK(made.doubt == "rank 2 calls MPI_Win_lock, which is not recorded");
  CHECK(made.unknown == made.doubt);
  REQUIRE(made.findings.size() >= 1);
  for (const Finding& finding : made.findings) CHECK(finding.severity == Severity::note);
}

TEST_CASE("without the log of a rank it is not known why an execution does not end") {
  const Source source = from_algorithm("ring", problem(Collective::allreduce, 2, 2));
  const ScheduleExecution executed(source, WordKind::sum64);
  std::string path =
      (std::filesystem::temp_directory_path() / "schedcc-record-test-XXXXXX").string();
  REQUIRE(::mkdtemp(path.data()) != nullptr);
  write(path + "/0.log", executed.log(0));
  write(path + "/1.lost", "");
  const std::vector<Log> logs = read_logs(path);
  REQUIRE(logs.size() == 2);
  const std::vector<Execution> all = executions(logs);
  REQUIRE(all.size() == 1);
  CHECK_FALSE(all[0].ended());
  CHECK(unknown_completion(all[0], logs) == "there was no space left for the log of rank 1");
  CHECK(unknown_completion(all[0], {}) ==
        "rank 1 does not call schedcc_record_begin, in which the others wait for it");
  std::filesystem::remove_all(path);
}

TEST_CASE("damaged logs are read or refused, and nothing else") {
  const Source source = from_algorithm("ring", problem(Collective::allreduce, 2, 2));
  const ScheduleExecution executed(source, WordKind::sum64);
  const std::string folder =
      (std::filesystem::temp_directory_path() / "schedcc-record-test-XXXXXX").string();
  std::string path = folder;
  REQUIRE(::mkdtemp(path.data()) != nullptr);
  const std::string first = executed.log(0), file = path + "/0.log";
  write(path + "/1.log", executed.log(1));
  write(file, first);
  CHECK(recordings(path) == 1);
  for (std::size_t size = log_head; size < first.size(); size += 4) {
    write(file, first.substr(0, size));
    CHECK_FALSE(recordings(path));
  }
  for (std::size_t at = log_head; at < first.size(); ++at) {
    for (const int flipped : {1, 0x80, 0xff}) {
      std::string damaged = first;
      damaged[at] = static_cast<char>(damaged[at] ^ flipped);
      write(file, damaged);
      CHECK_NOTHROW(recordings(path));
    }
  }
  std::filesystem::remove_all(path);
}
