// Broadcasts that are checked by one generation of packets, and the last packet: reports against
// those of checks in full, and queues against a count row by row.

#include "check/period/one_generation.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "analysis/abandoned.hpp"
#include "catch.hpp"
#include "check/threading.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

/// The queues of a broadcast that holds, row by row.
struct Queues {
  std::uint64_t longest = 0, joint = 0;
};
Queues count_queues(const Source& source) {
  std::map<std::pair<Rank, Chunk>, std::pair<std::uint64_t, std::uint64_t>> stays;
  const auto stream = source.open();
  std::uint64_t rows = 0;
  for (Step step; stream->next(step); rows = step.number + 1) {
    for (const Transfer& t : step.transfers) {
      if (t.src != source.problem.root) stays.at({t.src, t.first}).second = step.number;
      stays[{t.dst, t.first}] = {step.number, step.number};
    }
  }
  Queues result;
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::map<Rank, std::uint64_t> kept;
    std::uint64_t all = 0;
    for (const auto& [place, stay] : stays) {
      if (row < stay.first || row >= stay.second) continue;
      result.longest = std::max(result.longest, ++kept[place.first]);
      ++all;
    }
    result.joint = std::max(result.joint, all);
  }
  return result;
}

Schedule schedule_of(const std::vector<Transfers>& rows) {
  Schedule result;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    result.begin_step(row);
    for (const Transfer& t : rows[row]) result.add(t);
  }
  return result;
}

/// A random broadcast with a period of q rows, in which each rank receives a packet in each row;
/// packets reach all ranks along trees of their own, the last one in the last q rows.
Schedule periodic_broadcast(const Problem& problem, Rank q, std::mt19937& random) {
  const Rank P = problem.ranks, m = problem.chunks - 1;
  std::vector<std::vector<Rank>> delay(q + 1, std::vector<Rank>(P));
  for (Rank rank = 0; rank < P; ++rank) {
    std::vector<Rank> row(q);
    std::iota(row.begin(), row.end(), 0);
    std::ranges::shuffle(row, random);
    for (Rank c = 0; c < q; ++c) delay[c][rank] = (row[c] + q - c) % q;
    delay[q][rank] = static_cast<Rank>(random() % q);
  }
  std::vector<std::vector<Rank>> senders = delay;
  for (Rank c = 0; c <= q; ++c) {
    for (Rank rank = 0; rank < P; ++rank) {
      const auto other = static_cast<Rank>(random() % P);
      senders[c][rank] = delay[c][other] < delay[c][rank] ? other : problem.root;
    }
  }
  std::vector<Transfers> rows(m + q);
  for (Rank rank = 0; rank < P; ++rank) {
    if (rank == problem.root) continue;
    for (Chunk p = 0; p <= m; ++p) {
      const Rank c = p == m ? q : p % q;
      rows[p + delay[c][rank]].push_back(copy(senders[c][rank], rank, p));
    }
  }
  return schedule_of(rows);
}

Source source_with(const Problem& problem, Schedule schedule) {
  return from_schedule(problem, std::make_shared<const Schedule>(std::move(schedule)));
}

/// Changes one transfer, or leaves it out.
Schedule with_one_change(const Source& source, std::mt19937& random) {
  const Schedule right = collect(*source.open());
  std::uint64_t at = random() % [&] {
    std::uint64_t all = 0;
    for (std::uint64_t row = 0; row < right.size(); ++row) all += right[row].transfers.size();
    return all;
  }();
  Schedule result;
  for (std::uint64_t row = 0; row < right.size(); ++row) {
    result.begin_step(row);
    for (Transfer t : right[row].transfers) {
      const auto what = at-- == 0 ? random() % 5 : 5;
      if (what == 0) t.src = static_cast<Rank>(random() % source.problem.ranks);
      if (what == 1) t.dst = static_cast<Rank>(random() % source.problem.ranks);
      if (what == 2) t.first = static_cast<Chunk>(random() % source.problem.chunks);
      if (what == 3) t.count = 2;
      if (what != 4) result.add(t);
    }
  }
  return result;
}

/// What becomes of the transfers of one place of a period, in every generation alike.
struct PeriodicChange {
  enum Kind {
    other_sender,
    other_receiver,
    other_packet,
    other_row,
    longer,
    doubled,
    omitted,
    none
  };

  Kind kind;
  Rank place, receiver;  ///< transfers of packets place + fq to this rank
  Rank rank;             ///< instead of the sender or the receiver
  std::int64_t shift;    ///< of the packet or the row
};
PeriodicChange random_change(const Problem& problem, Rank q, std::mt19937& random) {
  const auto number = [&](Rank below) { return static_cast<Rank>(random() % below); };
  return {static_cast<PeriodicChange::Kind>(number(PeriodicChange::none)), number(q),
          number(problem.ranks), number(problem.ranks),
          std::int64_t{number(4 * q + 1)} - 2 * std::int64_t{q}};
}

/// A broadcast with a period of q rows, changed in each generation; perhaps also its last packet.
Schedule with_changes(const Source& source, Rank q, const PeriodicChange& change, bool also_last) {
  const std::uint32_t K = source.problem.chunks;
  const Schedule right = collect(*source.open());
  const auto moved = [&](std::uint64_t number, std::uint64_t below) {
    const std::int64_t to = static_cast<std::int64_t>(number) + change.shift;
    return to < 0 || to >= static_cast<std::int64_t>(below) ? number
                                                            : static_cast<std::uint64_t>(to);
  };
  std::vector<Transfers> rows(right.size());
  for (std::uint64_t row = 0; row < right.size(); ++row) {
    for (Transfer t : right[row].transfers) {
      const bool changed =
          t.first % q == change.place && t.dst == change.receiver && (also_last || t.first + 1 < K);
      std::uint64_t to = row;
      int copies = 1;
      switch (changed ? change.kind : PeriodicChange::none) {
        case PeriodicChange::other_sender:
          t.src = change.rank;
          break;
        case PeriodicChange::other_receiver:
          t.dst = change.rank;
          break;
        case PeriodicChange::other_packet:
          t.first = static_cast<Chunk>(moved(t.first, K));
          break;
        case PeriodicChange::other_row:
          to = moved(row, rows.size());
          break;
        case PeriodicChange::longer:
          t.count = 2;
          break;
        case PeriodicChange::doubled:
          copies = 2;
          break;
        case PeriodicChange::omitted:
          copies = 0;
          break;
        default:
          break;
      }
      rows[to].insert(rows[to].end(), copies, t);
    }
  }
  return schedule_of(rows);
}

std::optional<OneGeneration> part_of(const Source& source, const Machine& machine,
                                     bool one_queue = false) {
  try {
    return one_generation(source, machine, {}, {}, {}, one_queue);
  } catch (const Abandoned&) {
    return std::nullopt;
  }
}

/// Is the report that of all transfers, by one thread and by two?
void same_report(const Source& source, const Machine& machine, const CheckOptions& options = {}) {
  const std::string full = to_json(check_steps(source, machine, options, {.in_full = true}));
  for (const unsigned jobs : {1U, 2U}) {
    CheckOptions by_threads = options;
    by_threads.jobs = jobs;
    CHECK(to_json(check(source, machine, by_threads)) == full);
  }
}

}  // namespace

TEST_CASE("the circulant broadcast and reduction by one generation") {
  std::size_t seen = 0;
  for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
    for (const Rank P : {2, 3, 5, 6, 8, 13, 17, 32}) {
      for (const std::uint32_t K : {2, 7, 12, 13, 14, 15, 16, 17, 18, 19, 23, 31, 64}) {
        Request request;
        request.problem.collective = collective;
        request.problem.ranks = P;
        request.problem.root = K % P;
        request.problem.chunks = K;
        request.machine = make_machine("duplex", P);
        const Source source = from_algorithm(find_algorithm("circulant"), request, "circulant");
        INFO(describe(request.problem));
        same_report(source, request.machine);
        CheckOptions bounded;
        bounded.max_buffer = 1;
        same_report(source, request.machine, bounded);
        if (collective != Collective::broadcast) continue;
        const auto part = part_of(source, request.machine);
        if (K >= 23) REQUIRE(part);
        if (!part) continue;
        ++seen;
        const Queues queues = count_queues(source);
        CHECK(part->longest_queue == queues.longest);
        CHECK(part_of(source, request.machine, true)->longest_queue == queues.joint);
        CHECK_FALSE(part_of(source, make_machine("logp:L=1,o=1,g=1", P)));
      }
    }
  }
  CHECK(seen > 60);
}

TEST_CASE("random periodic broadcasts, and mutants of them, by one generation") {
  std::mt19937 random(11);
  std::size_t seen = 0, violated = 0;
  for (int i = 0; i < 400; ++i) {
    Problem problem;
    problem.collective = Collective::broadcast;
    const Rank P = problem.ranks = static_cast<Rank>(2 + random() % 7);
    problem.root = static_cast<Rank>(random() % P);
    const auto q = static_cast<Rank>(1 + random() % 5);
    problem.chunks = static_cast<std::uint32_t>(2 + random() % (6 * q));
    const Machine machine = make_machine("bsp:h=64", P);
    const Source source = source_with(problem, periodic_broadcast(problem, q, random));
    INFO("case " << i << ": " << describe(problem) << ", period " << q);
    same_report(source, machine);
    same_report(source, make_machine("kport:k=2", P));
    if (const auto part = part_of(source, machine)) {
      ++seen;
      const Queues queues = count_queues(source);
      CHECK(part->longest_queue == queues.longest);
      CHECK(part_of(source, machine, true)->longest_queue == queues.joint);
    }
    const Source wrong = source_with(problem, with_one_change(source, random));
    same_report(wrong, machine);
    violated += check(wrong, machine).verdict() == Verdict::violated ? 1 : 0;
  }
  CHECK(seen > 80);
  CHECK(violated > 200);
}

TEST_CASE("mutants that are repeated in every generation") {
  std::mt19937 random(12);
  std::size_t accepted = 0, violated = 0;
  const auto compare = [&](const Source& right, Rank q, const Machine& machine) {
    const Problem& problem = right.problem;
    const PeriodicChange change = random_change(problem, q, random);
    const Source mutant = source_with(problem, with_changes(right, q, change, random() % 2 == 0));
    INFO(describe(problem) << ", period " << q << ", change " << change.kind << " at "
                           << change.place << " -> " << change.receiver << " by " << change.rank
                           << ", " << change.shift);
    same_report(mutant, machine);
    const bool wrong = check(mutant, machine).verdict() == Verdict::violated;
    violated += wrong ? 1 : 0;
    accepted += !wrong && part_of(mutant, machine) ? 1 : 0;
  };
  for (int i = 0; i < 1500; ++i) {
    Problem problem;
    problem.collective = Collective::broadcast;
    const Rank P = problem.ranks = static_cast<Rank>(2 + random() % 5);
    problem.root = static_cast<Rank>(random() % P);
    const auto q = static_cast<Rank>(1 + random() % 4);
    problem.chunks = static_cast<std::uint32_t>(3 * q + 2 + random() % (6 * q));
    compare(source_with(problem, periodic_broadcast(problem, q, random)), q,
            make_machine("bsp:h=64", P));
  }
  for (int i = 0; i < 500; ++i) {
    Request request;
    request.problem.collective = Collective::broadcast;
    const Rank P = request.problem.ranks = static_cast<Rank>(2 + random() % 15);
    request.problem.chunks = static_cast<std::uint32_t>(20 + random() % 20);
    request.machine = make_machine("duplex", P);
    const Source source = from_algorithm(find_algorithm("circulant"), request, "circulant");
    compare(source, static_cast<Rank>(std::bit_width(P - 1)), request.machine);
  }
  CHECK(accepted > 100);
  CHECK(violated > 1000);
}
