// Checks by an excerpt of schedules of several phases: reductions followed by broadcasts, sequences
// of broadcasts. Reports are those of the check of all transfers, byte by byte; and queues, which
// grow with the packets that wait between phases, are also counted by their definition.

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "check/period/period.hpp"
#include "excerpts.hpp"
#include "random_plans.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"

using namespace agreement;
using namespace excerpts;
using ranges::part;

namespace {

/// Sequences of pipelines, by how the numbers of their packets change.
const std::vector<std::pair<std::string, Collective>> sequences{
    {"circulant", Collective::allreduce},                               // fall, then rise
    {"binomial-allreduce", Collective::allreduce},                      // the same, in steps of 1
    {"chain then chain", Collective::allreduce},                        // both the same way
    {"reverse(binary-tree then circulant)", Collective::allreduce},     // by other periods
    {"double-binary-tree then circulant", Collective::allreduce},       //
    {"fractional-tree:r=3 then binary-tree", Collective::allreduce},    //
    {"levels(3, chain, circulant)", Collective::broadcast},             //
    {"levels(3, binary-tree, chain)", Collective::reduce},              //
    {"levels(3, chain then chain, circulant)", Collective::allreduce},  // of four phases
};

Source sequence_of(const std::string& spec, Collective collective, Rank ranks, Rank root,
                   std::uint32_t chunks) {
  return from_algorithm(spec, Problem{collective, ranks, root, chunks, false, nullptr});
}

/// Threads that have something to do from the start.
constexpr Threading two_threads{.threads = 2, .alone = 0, .block = 64};

/// The longest queue of a rank, by its definition.
std::uint64_t longest_queue(const Problem& problem, const Rows& steps) {
  struct Stay {
    std::size_t arrived, left;
  };
  std::map<std::pair<Rank, Chunk>, Stay> stays;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const Transfer& t : steps[i]) {
      for (Chunk c = t.first; c < t.first + t.count; ++c) {
        const auto stay = stays.find({t.src, c});
        if (stay != stays.end() && stay->second.arrived < i) stay->second.left = i;
      }
    }
    for (const Transfer& t : steps[i]) {
      for (Chunk c = t.first; c < t.first + t.count; ++c) stays.try_emplace({t.dst, c}, Stay{i, i});
    }
  }
  std::map<Rank, std::vector<std::int64_t>> changes;
  for (const auto& [place, stay] : stays) {
    const Rank rank = place.first;
    if (problem.collective == Collective::broadcast && rank == problem.root) continue;
    auto& of_rank = changes.try_emplace(rank, steps.size() + 1).first->second;
    ++of_rank[stay.arrived];
    --of_rank[stay.left];
  }
  std::int64_t longest = 0;
  for (const auto& [rank, of_rank] : changes) {
    std::int64_t length = 0;
    for (const std::int64_t change : of_rank) longest = std::max(longest, length += change);
  }
  return static_cast<std::uint64_t>(longest);
}

/// Packets of some chunks that follow one of a few routes in turn, in the order of their numbers or
/// against it.
struct RandomPhase {
  /// A transfer, so many steps after its packet starts.
  using Route = std::vector<std::pair<std::uint32_t, Transfer>>;
  std::vector<Route> routes;
  std::uint32_t gap = 1;  ///< steps between packets
  std::uint32_t width = 1;
  bool falls = false;

  std::size_t end(std::uint32_t chunks) const {
    std::uint32_t last = 0;
    for (const Route& route : routes) {
      for (const auto& [at, t] : route) last = std::max(last, at);
    }
    return std::size_t{chunks / width - 1} * gap + last + 1;
  }

  void add_to(Rows& steps, std::size_t start, std::uint32_t chunks) const {
    steps.resize(std::max(steps.size(), start + end(chunks)));
    const std::uint32_t packets = chunks / width;
    for (std::uint32_t i = 0; i < packets; ++i) {
      const std::uint32_t packet = falls ? packets - 1 - i : i;
      for (auto [at, t] : routes[packet % routes.size()]) {
        t.first = packet * width;
        t.count = width & max_transfer_count;
        steps[start + std::size_t{i} * gap + at].push_back(t);
      }
    }
  }
};

/// A packet's way from ranks below `first` to those of first..end-1, or of their values back.
RandomPhase::Route random_route(Rank first, Rank end, bool reduce, Random& random) {
  std::vector<std::uint32_t> arrived(end, 0);
  RandomPhase::Route route;
  std::uint32_t last = 0;
  for (Rank to = first; to < end; ++to) {
    const Rank from = random.below(to);
    const std::uint32_t at = arrived[from] + random.below(3);
    arrived[to] = at + 1;
    last = std::max(last, at);
    route.emplace_back(at, reduce ? Transfer{to, from, 0, 1, 1} : copy(from, to, 0));
  }
  if (reduce) {
    for (auto& [at, t] : route) at = last - at;
  }
  return route;
}

RandomPhase random_phase(Rank first, Rank end, bool reduce, Random& random) {
  RandomPhase phase;
  phase.gap = 1 + random.below(3);
  if (random.one_in(3)) phase.width = 1 + random.below(3);
  phase.falls = random.one_in(2);
  phase.routes.resize(1 + random.below(3));
  for (auto& route : phase.routes) route = random_route(first, end, reduce, random);
  return phase;
}

/// Two or three phases of a broadcast from rank 0, or a reduction and a broadcast; mostly one after
/// the other.
Rows random_phases(const Problem& problem, Random& random) {
  std::vector<RandomPhase> phases;
  if (problem.collective == Collective::allreduce) {
    for (const bool reduce : {true, false})
      phases.push_back(random_phase(1, problem.ranks, reduce, random));
  } else {
    for (Rank first = 1, end; first < problem.ranks; first = end) {
      end = first + 1 + random.below(problem.ranks - first);
      phases.push_back(random_phase(first, end, false, random));
    }
  }
  Rows steps;
  std::size_t start = 0;
  for (const RandomPhase& phase : phases) {
    phase.add_to(steps, start, problem.chunks);
    start += phase.end(problem.chunks) + random.below(3);
    if (random.one_in(8))
      start -= std::min<std::size_t>(start, random.below(random.one_in(2) ? 8 : start));
  }
  return steps;
}

/// Moves, doubles, redirects or damages a transfer, or moves many of them.
void change_somewhere(Rows& steps, const Problem& problem, Random& random) {
  Transfers& step = steps[random.below(steps.size())];
  Transfers& other = steps[random.below(steps.size())];
  if (step.empty()) return;
  const std::size_t k = random.below(step.size());
  switch (random.below(7)) {
    case 0:
      step[k].first = random.below(problem.chunks + 1);
      break;
    case 1:
      step[k].dst = random.below(problem.ranks + 1);
      break;
    case 2:
      step[k].count = random.below(3) & max_transfer_count;
      break;
    case 3:  // it may bring what its receiver has, and be kept for it
      other.push_back(Transfer(step[k]));
      break;
    case 4:
      std::swap(step, other);
      break;
    case 5: {
      const std::size_t from = random.below(steps.size());
      std::rotate(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(from), steps.end());
      break;
    }
    default:
      other.push_back(step[k]);
      step.erase(step.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

}  // namespace

TEST_CASE("sequences of pipelines are checked by an excerpt") {
  for (const auto& [spec, collective] : sequences) {
    for (const Rank ranks : {3, 6, 9, 33}) {
      if (ranks == 3 && spec.starts_with("levels")) continue;
      for (const std::uint32_t chunks : {700, 1023}) {
        const Rank root = collective == Collective::allreduce ? 0 : ranks - 2;
        const Source source = sequence_of(spec, collective, ranks, root, chunks);
        INFO(spec << " on " << ranks);
        const Machine machine = make_machine(source.machine, ranks);
        const std::string full = same_by_excerpt(source, machine);
        REQUIRE(by_excerpt(source, machine));
        CHECK(to_json(*by_excerpt(source, machine)) == full);
        CHECK(to_json(check_steps(source, machine, {}, two_threads)) == full);
      }
    }
  }
}

TEST_CASE("queues between phases are those of the whole schedule") {
  std::size_t longer = 0;
  for (const auto& [spec, collective] : sequences) {
    const Source source = sequence_of(spec, collective, 9, 0, 600);
    const Machine machine = make_machine(source.machine, 9);
    const std::uint64_t longest = longest_queue(source.problem, rows_of(source));
    INFO(spec << ", " << longest);
    const auto report = by_excerpt(source, machine);
    REQUIRE(report);
    CHECK(report->max_buffer == longest);
    const auto part = excerpt(source, machine, {}, {}, {});
    REQUIRE(part);
    longer += longest > part->source.problem.chunks;
    for (const std::uint64_t limit : {longest - 1, longest}) {
      CheckOptions asked;
      asked.max_buffer = limit;
      CHECK(holds(same_by_excerpt(source, machine, asked)) == (limit == longest));
      CHECK(by_excerpt(source, machine, asked).has_value() == (limit == longest));
    }
  }
  CHECK(longer > 4);  // so that chunks that are cut out are counted
}

TEST_CASE("checks by an excerpt report the same for mutants of sequences") {
  Random random(10);
  std::size_t right = 0, wrong = 0, seen = 0;
  for (const auto& [spec, collective] : sequences) {
    const Source source = sequence_of(spec, collective, 6, 0, 400);
    const Rows whole = rows_of(source);
    for (int i = 0; i < part(24, 400); ++i) {
      Rows changed = whole;
      const std::uint32_t kind = random.below(7);
      const Transfers& some = whole[random.below(whole.size())];
      if (some.empty()) continue;
      const Transfer like = random.pick(some);
      // From a step on, which is often where one of two phases ends.
      std::size_t from = random.below(whole.size());
      if (random.one_in(3)) from = whole.size() / 2 - 4 + random.below(8);
      const std::uint32_t extent = random.below(4);
      std::size_t count = 0;
      change(changed, source.problem, kind, random, [&](std::size_t step, const Transfer& t) {
        const bool same = t.src == like.src && t.dst == like.dst && t.reduce == like.reduce;
        if (extent == 0) return step >= from && same && count++ == 0;
        return same && (extent == 1 || (extent == 2) == (step < from));
      });
      CheckOptions asked;
      asked.strict = random.one_in(2);
      if (random.one_in(3)) asked.max_buffer = random.below(2 * source.problem.chunks);
      INFO(spec << ", change " << kind << " of " << extent << " from step " << from);
      const Source made = source_of_rows(source.problem, changed);
      const Machine machine = make_machine(random.one_in(2) ? "duplex" : "kport:k=3", 6);
      (holds(same_by_excerpt(made, machine, asked)) ? right : wrong)++;
      seen += by_excerpt(made, machine, asked).has_value();
    }
  }
  CHECK(wrong > 50);
  CHECK(right > 10);
  CHECK(seen > 5);
}

TEST_CASE("phases in another order, again or too early are reported") {
  // The phases of a reduction and a broadcast, of as many steps each.
  const Machine machine = make_machine("duplex", 6);
  for (const std::string spec : {"circulant", "chain then chain"}) {
    const Source source = sequence_of(spec, Collective::allreduce, 6, 0, 500);
    const Rows whole = rows_of(source);
    const auto border = whole.begin() + static_cast<std::ptrdiff_t>(whole.size() / 2);
    Rows exchanged = whole, again = whole, early;
    std::rotate(exchanged.begin(), exchanged.begin() + (border - whole.begin()), exchanged.end());
    again.insert(again.end(), border, whole.end());
    for (auto step = whole.begin(); step != border; ++step) {
      Transfers both = *step;
      const Transfers& later = *(border + (step - whole.begin()));
      both.insert(both.end(), later.begin(), later.end());
      early.push_back(both);
    }
    for (const Rows& wrong : {exchanged, again, early}) {
      const Source made = source_of_rows(source.problem, wrong);
      CheckOptions strict;
      strict.strict = true;
      CHECK_FALSE(holds(same_by_excerpt(made, machine, strict)));
      CHECK_FALSE(by_excerpt(made, machine, strict));
    }
  }
}

TEST_CASE("checks by an excerpt report the same for random phases") {
  Random random(11);
  std::size_t seen = 0, waiting = 0;
  for (int i = 0; i < part(400, 20000); ++i) {
    Problem problem;
    problem.collective = random.one_in(2) ? Collective::allreduce : Collective::broadcast;
    problem.ranks = 2 + random.below(4);
    problem.chunks = 6 * (25 + random.below(75));
    Rows steps = random_phases(problem, random);
    for (std::uint32_t n = random.below(3); n > 0 && random.one_in(2); --n)
      change_somewhere(steps, problem, random);
    const Source source = source_of_rows(problem, steps);
    const Machine machine = make_machine("kport:k=9", problem.ranks);
    const std::uint64_t longest = longest_queue(problem, steps);
    CheckOptions asked;
    if (random.one_in(4)) asked.max_buffer = longest + random.below(3) - 1;
    if (random.one_in(8)) asked.checks = {random.one_in(2) ? "delivery" : "buffers"};
    INFO("case " << i);
    same_by_excerpt(source, machine, asked);
    const auto report = by_excerpt(source, machine, asked);
    if (!report) continue;
    ++seen;
    // Without the check of shapes nothing is said about transfers that are left out.
    if (!asked.checks) CHECK(report->max_buffer == longest);
    waiting += !excerpt(source, machine, asked, {}, {})->rest.kept.empty();
  }
  CHECK(seen > 100);
  CHECK(waiting > 50);
}
