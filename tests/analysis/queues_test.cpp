// The queues of ranks, counted in one pass, against a count over all times.

#include "catch.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "analysis/rank_queues.hpp"

using namespace schedcc;

namespace {

using Place = std::pair<std::uint32_t, std::uint32_t>;  // rank and chunk

/// Records the calls of RankQueues, and counts afterwards.
class Naive {
 public:
  void arrive(Place place, std::uint64_t time) { arrived_.insert({place, time}); }
  void send(Place place, std::uint64_t now) {
    const auto found = arrived_.find(place);
    if (found != arrived_.end() && found->second <= now) last_[place] = now;
  }
  /// Of each rank, or of all ranks as one.
  std::uint64_t longest(bool as_one = false) const {
    std::map<std::uint32_t, std::map<std::uint64_t, std::int64_t>> changes;  // rank, time
    for (const auto& [place, last] : last_) {
      const std::uint32_t queue = as_one ? 0 : place.first;
      ++changes[queue][arrived_.at(place)];
      --changes[queue][last + 1];
    }
    std::int64_t longest = 0;
    for (const auto& [rank, times] : changes) {
      std::int64_t length = 0;
      for (const auto& [time, change] : times) longest = std::max(longest, length += change);
    }
    return static_cast<std::uint64_t>(longest);
  }

 private:
  std::map<Place, std::uint64_t> arrived_, last_;
};

}  // namespace

TEST_CASE("the longest queue of random arrivals and sends") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::uint64_t lengths = 0;
  for (int run = 0; run < 400; ++run) {
    Problem problem;
    problem.collective = run % 4 == 3 ? Collective::alltoall : Collective::broadcast;
    problem.ranks = 1 + below(20);
    problem.chunks = 1 + below(run % 4 == 3 ? 3 : run % 2 == 0 ? 5 : 90);
    const std::uint32_t ranks = problem.ranks;
    const auto chunks = static_cast<std::uint32_t>(problem.total_chunks());
    const std::uint64_t latency = run % 3 == 0 ? 1 + below(300) : 1;
    const std::uint32_t pause = run % 5 == 0 ? 200 : 2;  // far apart: times that need 64 bits
    RankQueues queues(problem), as_one(problem, true);
    // The same in two parts, at any rank.
    const std::uint32_t half = below(ranks);
    RankQueues low(problem, 0, std::max(half, 1U), true);
    RankQueues high(problem, half, ranks - half, true);
    const auto each = [&](std::uint32_t rank, auto f) {
      for (RankQueues* all : {&queues, &as_one, rank < half ? &low : &high}) f(*all);
    };
    Naive naive;
    std::uint64_t now = 0;
    for (int event = 0; event < 600; ++event) {
      now += below(pause);
      const std::uint32_t rank = below(ranks), first = below(chunks);
      const std::uint32_t count = 1 + below(std::min(chunks - first, 7u));
      if (below(2) == 0) {
        // The sends of a step come before its arrivals.
        ++now;
        for (std::uint32_t i = 0; i < count; ++i) {
          each(rank, [&](RankQueues& q) { q.arrive(rank, first + i, now, now + latency); });
          naive.arrive({rank, first + i}, now + latency);
        }
        ++now;
      } else if (count == 1) {
        each(rank, [&](RankQueues& q) { q.send(rank, first, now + 1); });
        naive.send({rank, first}, now + 1);
      } else {
        each(rank, [&](RankQueues& q) { q.send(rank, first, count, now + 1); });
        for (std::uint32_t i = 0; i < count; ++i) naive.send({rank, first + i}, now + 1);
      }
    }
    if (queues.longest() != naive.longest()) {
      FAIL_CHECK("run " << run << ": " << queues.longest() << ", not " << naive.longest());
    }
    low.join(high);
    for (RankQueues* all : {&as_one, &low}) {
      if (all->longest() != naive.longest(true)) {
        FAIL_CHECK("as one, run " << run << ": " << all->longest() << ", not "
                                  << naive.longest(true));
      }
    }
    lengths += naive.longest();
  }
  CHECK(lengths > 400 * 5);
}

TEST_CASE("a queue of many that leave in the order of their arrival") {
  Problem problem;
  problem.ranks = 1;
  problem.chunks = 20000;
  RankQueues queues(problem);
  constexpr std::uint32_t delay = 5000;
  for (std::uint32_t t = 0; t < 20000 + delay; ++t) {
    if (t >= delay) queues.send(0, t - delay, t + 1);
    if (t < 20000) queues.arrive(0, t, t + 1, t + 2);
  }
  CHECK(queues.longest() == delay);
}

TEST_CASE("tracks are as many as intervals overlap") {
  std::mt19937 random(3);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::uint64_t most = 0;
  for (int run = 0; run < 300; ++run) {
    const std::uint64_t longest = 1 + below(run % 3 == 0 ? 500 : 10);
    const std::uint32_t together = run % 2 == 0 ? 1 : 5;
    const std::uint64_t pause = run % 7 == 0 ? 60 : 3;  // few ends, or many, among 64 times
    IntervalTracks tracks;
    std::map<std::uint64_t, std::int64_t> changes;
    std::uint64_t end = 1;
    for (int i = 0; i < 1000; ++i) {
      end += below(pause);
      // Some in the order of their beginnings, too, and some in the opposite order.
      const std::uint64_t length = i / 100 % 3 == 0   ? longest
                                   : i / 100 % 3 == 1 ? i % 100 + 1U
                                                      : 1 + below(longest);
      const std::uint64_t begin = end > length ? end - length : 1;
      if (begin == end) continue;
      const auto count = static_cast<std::uint32_t>(1 + below(together));
      const std::uint64_t before = tracks.number();
      const bool grown = tracks.put(begin, end, count);
      CHECK(grown == (tracks.number() > before));
      changes[begin] += count;
      changes[end] -= count;
      if (i % 50 != 0 && i != 999) continue;
      std::int64_t length_now = 0, overlap = 0;
      for (const auto& [time, change] : changes) overlap = std::max(overlap, length_now += change);
      CHECK(tracks.number() == static_cast<std::uint64_t>(overlap));
    }
    most = std::max(most, tracks.number());
  }
  CHECK(most > 300);
}
