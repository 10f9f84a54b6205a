#include "run_table.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

namespace execute {

namespace {

using Rank = std::uint32_t;
using Chunk = std::uint64_t;

// The collectives. --------------------------------------------------------------------------------

bool is_reduction(const Table& t) {
  static const std::set<std::string> names{"reduce", "allreduce", "reduce-scatter", "scan",
                                           "exscan"};
  return names.count(t.collective) != 0;
}

/// Does the rank start with the chunk (its own contribution to it, for reductions)?
bool starts_with(const Table& t, Rank rank, Chunk chunk) {
  const std::string& c = t.collective;
  if (c == "broadcast" || c == "scatter") return rank == t.root;
  if (c == "gather" || c == "allgather") return chunk / t.chunks == rank;
  if (c == "alltoall") return chunk / t.chunks / t.ranks == rank;
  return is_reduction(t);
}

/// The ranks [first, last) whose contributions the chunk must have at the end (no meaning for
/// chunks that are copied); nullopt: any contents are allowed.
std::optional<std::pair<Rank, Rank>> ends_with(const Table& t, Rank rank, Chunk chunk) {
  const std::string& c = t.collective;
  const std::pair<Rank, Rank> all{0, t.ranks};
  bool wanted = false;
  if (c == "broadcast" || c == "allgather" || c == "allreduce") wanted = true;
  if (c == "gather" || c == "reduce") wanted = rank == t.root;
  if (c == "scatter" || c == "reduce-scatter") wanted = chunk / t.chunks == rank;
  if (c == "alltoall") wanted = chunk / t.chunks % t.ranks == rank;
  if (c == "scan") return std::pair<Rank, Rank>{0, rank + 1};
  if (c == "exscan")
    return rank == 0 ? std::nullopt : std::optional(std::pair<Rank, Rank>{0, rank});
  return wanted ? std::optional(all) : std::nullopt;
}

// The payload. ------------------------------------------------------------------------------------

/// What a rank holds of a chunk. A copied chunk is a few words that encode its number. A
/// contribution to a sum has a word for each rank, so that one counted twice shows. A contribution
/// that must keep its order is text; `lowest` says where it belongs.
struct Value {
  std::vector<std::uint64_t> words;
  std::string text;
  Rank lowest = 0;
};

std::uint64_t scrambled(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Value contributions(const Table& t, Chunk chunk, Rank first, Rank last) {
  Value value;
  value.lowest = first;
  if (!is_reduction(t)) {
    for (std::uint64_t i = 0; i < 4; ++i) value.words.push_back(scrambled(4 * chunk + i));
  } else if (t.ordered) {
    for (Rank r = first; r < last; ++r) {
      value.text += "(" + std::to_string(chunk) + " of " + std::to_string(r) + ")";
    }
  } else {
    value.words.resize(t.ranks);
    for (Rank r = first; r < last; ++r) value.words[r] = scrambled(chunk * t.ranks + r);
  }
  return value;
}

/// What has arrived for a chunk, in the order of the ranks, as one value.
Value combined(std::vector<Value> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Value& a, const Value& b) { return a.lowest < b.lowest; });
  Value sum = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (std::size_t w = 0; w < sum.words.size(); ++w) sum.words[w] += parts[i].words[w];
    sum.text += parts[i].text;
  }
  return sum;
}

// The network. ------------------------------------------------------------------------------------

/// What one operation sends: a value for each of its chunks.
using Message = std::vector<Value>;

/// A queue for each pair of ranks. Sending never blocks. If every rank that is still at work waits
/// for a message that no rank has sent, all of them give up.
class Network {
 public:
  explicit Network(Rank ranks) : arrived_(ranks), at_work_(ranks) {}

  void send(Rank src, Rank dst, Message message) {
    const std::lock_guard lock(mutex_);
    queues_[{src, dst}].push_back(std::move(message));
    arrived_[dst].notify_one();
  }

  /// Nothing if it will never come.
  std::optional<Message> receive(Rank src, Rank dst) {
    std::unique_lock lock(mutex_);
    std::deque<Message>& queue = queues_[{src, dst}];
    waits_.emplace(src, dst);
    check_deadlock();
    arrived_[dst].wait(lock, [&] { return !queue.empty() || deadlock_; });
    waits_.erase({src, dst});
    if (queue.empty()) return std::nullopt;
    Message message = std::move(queue.front());
    queue.pop_front();
    return message;
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    --at_work_;
    check_deadlock();
  }

  bool empty() const {
    return std::all_of(queues_.begin(), queues_.end(),
                       [](const auto& q) { return q.second.empty(); });
  }

 private:
  using Pair = std::pair<Rank, Rank>;

  void check_deadlock() {
    if (waits_.size() != at_work_) return;
    for (const Pair& pair : waits_) {
      if (!queues_[pair].empty()) return;
    }
    deadlock_ = true;
    for (std::condition_variable& a : arrived_) a.notify_all();
  }

  std::mutex mutex_;
  std::deque<std::condition_variable> arrived_;  ///< by destination
  std::map<Pair, std::deque<Message>> queues_;
  std::set<Pair> waits_;
  std::size_t at_work_;
  bool deadlock_ = false;
};

// The ranks. --------------------------------------------------------------------------------------

class Worker {
 public:
  Worker(const Table& table, Network& network, Rank rank)
      : table_(table), network_(network), rank_(rank), held_(table.total_chunks) {
    for (Chunk c = 0; c < table.total_chunks; ++c) {
      if (starts_with(table, rank, c)) held_[c] = {contributions(table, c, rank, rank + 1)};
    }
  }

  void work() {
    try {
      std::uint64_t step = 0;
      for (const Operation& operation : table_.programs[rank_]) {
        if (operation.step < step) fail(operation, "comes too late in the table");
        step = operation.step;
        check(operation);
        operation.receive ? receive(operation) : send(operation);
      }
    } catch (const std::runtime_error& error) {
      problem_ = error.what();
    }
    network_.leave();
  }

  /// After the execution: the first error; empty if there is none.
  std::string verdict() const {
    if (!problem_.empty()) return problem_;
    for (Chunk c = 0; c < table_.total_chunks; ++c) {
      const auto goal = ends_with(table_, rank_, c);
      if (!goal) continue;
      const std::string what =
          "rank " + std::to_string(rank_) + ", chunk " + std::to_string(c) + ": ";
      if (held_[c].empty()) return what + "missing at the end";
      const Value is = combined(held_[c]);
      const Value wanted = contributions(table_, c, goal->first, goal->second);
      if (is.words != wanted.words) return what + "wrong data at the end";
      if (is.text != wanted.text)
        return what + "\"" + is.text + "\" instead of \"" + wanted.text + "\"";
    }
    return "";
  }

 private:
  [[noreturn]] void fail(const Operation& o, const std::string& what) const {
    throw std::runtime_error("rank " + std::to_string(rank_) + ", step " + std::to_string(o.step) +
                             (o.receive ? ", receive from " : ", send to ") +
                             std::to_string(o.peer) + ": " + what);
  }

  void check(const Operation& o) const {
    if (o.peer >= table_.ranks || o.peer == rank_) fail(o, "no such peer");
    if (std::uint64_t{o.first} + o.count > table_.total_chunks) fail(o, "no such chunk");
  }

  void send(const Operation& o) {
    Message message;
    for (std::uint32_t i = 0; i < o.count; ++i) {
      const std::vector<Value>& parts = held_[o.first + i];
      if (parts.empty()) fail(o, "chunk " + std::to_string(o.first + i) + " is not there");
      message.push_back(combined(parts));
    }
    network_.send(rank_, o.peer, std::move(message));
  }

  void receive(const Operation& o) {
    std::optional<Message> message = network_.receive(o.peer, rank_);
    if (!message) fail(o, "nothing comes");
    if (message->size() != o.count) fail(o, "a message of another length comes");
    for (std::uint32_t i = 0; i < o.count; ++i) {
      std::vector<Value>& parts = held_[o.first + i];
      if (!o.reduce) parts.clear();
      parts.push_back(std::move((*message)[i]));
    }
  }

  const Table& table_;
  Network& network_;
  Rank rank_;
  std::vector<std::vector<Value>> held_;  ///< by chunk: arrived values, not combined yet
  std::string problem_;
};

}  // namespace

std::string run(const Table& table) {
  Network network(table.ranks);
  std::deque<Worker> workers;
  for (Rank r = 0; r < table.ranks; ++r) workers.emplace_back(table, network, r);
  std::vector<std::thread> threads;
  for (Worker& worker : workers) threads.emplace_back(&Worker::work, &worker);
  for (std::thread& thread : threads) thread.join();
  for (const Worker& worker : workers) {
    const std::string verdict = worker.verdict();
    if (!verdict.empty()) return verdict;
  }
  return network.empty() ? "" : "a message was sent that no rank received";
}

}  // namespace execute
