// Any ranks of a module with the same labels may take each other's place: of the numbers of ranks
// with each label (exchange_numbers.cpp), any choice of ranks makes a schedule. In each step all
// labels of an age are sent, as far as possible within modules; what a module has too many of goes
// to those that have too few.

#include "prove/sat/exchange/exchange_modules.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "prove/sat/exchange/exchange_numbers.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

namespace {

using Ranks = std::vector<Rank>;

void append(Ranks& to, const Ranks& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Takes the last `count` ranks of a list.
Ranks take(Ranks& from, std::int64_t count) {
  const auto first = from.end() - std::min(count, std::ssize(from));
  Ranks result(first, from.end());
  from.erase(first, from.end());
  return result;
}

/// The module of which all messages of a channel, if there are so many, have this end.
std::optional<std::size_t> common_end(const Instance& instance, std::size_t channel, Rank Arc::*end,
                                      std::size_t size, std::size_t messages) {
  std::optional<std::size_t> result;
  for (const Arc& arc : instance.arcs) {
    if (std::ranges::find(arc.channels, channel) == arc.channels.end()) continue;
    if (result && *result != arc.*end / size) return std::nullopt;
    result = arc.*end / size;
    --messages;
  }
  return messages == 0 ? result : std::nullopt;
}

/// Modules of `size` ranks each, if the channels are links out of modules and into them, that of
/// the root being unknown.
std::optional<ExchangeModules> modules_of(const Instance& instance, std::size_t size) {
  const std::size_t count = instance.ranks / size, messages = size * (instance.ranks - size);
  const auto all = static_cast<std::int64_t>(size);
  ExchangeModules result{size, 0, std::vector(count, all), std::vector(count, all)};
  for (std::size_t channel = 0; channel < instance.channels.size(); ++channel) {
    const auto out = common_end(instance, channel, &Arc::from, size, messages),
               in = common_end(instance, channel, &Arc::to, size, messages);
    if (!out && !in) return std::nullopt;
    std::int64_t& most = out ? result.out[*out] : result.in[*in];
    const std::uint64_t capacity = instance.channels[channel];
    most = std::min(most, static_cast<std::int64_t>(std::min<std::uint64_t>(capacity, size)));
  }
  return result;
}

/// The ranks that send and receive labels of one age, by module.
class Round {
 public:
  explicit Round(std::size_t modules) : from_(modules), to_(modules) {}

  Ranks& from(std::size_t m) { return from_[m]; }
  Ranks& to(std::size_t m) { return to_[m]; }
  /// Pairs them, those of one module first: `send(from, to)`.
  template <typename Send>
  void pair(const Send& send) {
    Ranks leaving, waiting;
    for (std::size_t m = 0; m < from_.size(); ++m) {
      const std::int64_t inside = std::min(std::ssize(from_[m]), std::ssize(to_[m]));
      match(take(from_[m], inside), take(to_[m], inside), send);
      append(leaving, from_[m]);
      append(waiting, to_[m]);
    }
    match(leaving, waiting, send);
  }

 private:
  template <typename Send>
  static void match(const Ranks& from, const Ranks& to, const Send& send) {
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) send(from[i], to[i]);
  }

  std::vector<Ranks> from_, to_;
};

/// The schedule, step by step.
class ModuleSteps {
 public:
  ModuleSteps(const ExchangeModules& modules, const LabelNumbers& numbers, Packets packets)
      : modules_(modules),
        numbers_(numbers),
        ranks_(modules.size * modules.count()),
        q_(static_cast<std::size_t>(std::bit_width(ranks_ - 1))),
        packets_(packets.chunks.size()),
        steps_(std::move(packets), ranks_),
        ages_(ranks_),
        twice_(ranks_) {
    for (std::size_t m = 0; m < modules_.count(); ++m) begin(m);
  }

  std::shared_ptr<const Schedule> schedule() {
    for (now_ = 0; !steps_.over(); ++now_) step();
    return steps_.schedule();
  }

 private:
  /// The ranks of a module that have such a label, of one role or of two.
  Ranks having(std::size_t m, std::size_t age, bool twice) const {
    Ranks result;
    for (std::size_t v = m * modules_.size; v < (m + 1) * modules_.size; ++v) {
      const auto rank = static_cast<Rank>(v);
      if (rank != steps_.root() && twice_[v] == twice && ages_[v] == age) result.push_back(rank);
    }
    return result;
  }

  /// The labels with which the first step begins.
  void begin(std::size_t m) {
    const ModuleLabels& labels = numbers_.front()[m];
    std::size_t v = m * modules_.size;
    const auto give = [&](const std::vector<std::int64_t>& counts, bool twice) {
      for (std::size_t age = 0; age < counts.size(); ++age) {
        for (std::int64_t i = 0; i < counts[age]; ++i, ++v) {
          if (v == steps_.root()) ++v;
          ages_[v] = age;
          twice_[v] = twice;
        }
      }
    };
    give(labels.once, false);
    give(labels.twice, true);
  }

  void step() {
    next_ = ages_;
    for (std::size_t& age : next_) ++age;
    Round oldest(modules_.count());
    std::vector<Receivers> receivers;
    for (std::size_t m = 0; m < modules_.count(); ++m) {
      receivers.push_back({having(m, q_, false), having(m, q_ - 1, true)});
      oldest.from(m) = receivers.back().once;
      if (numbers_[now_][m].idle) oldest.from(m).pop_back();
    }
    for (std::size_t age = 0; age < q_; ++age) {
      Round round(modules_.count());
      for (std::size_t m = 0; m < modules_.count(); ++m) {
        const Ranks once = having(m, age, false);
        append(oldest.to(m), once);
        round.from(m) = senders(m, age, once);
        round.to(m) = of_age(m, age, receivers[m]);
      }
      round.pair([&](Rank from, Rank to) { send(from, to, age); });
    }
    oldest.pair([&](Rank from, Rank to) { steps_.send(from, to, packet(q_)); });
    ages_ = next_;
    steps_.advance();
  }

  void send(Rank from, Rank to, std::size_t age) {
    steps_.send(from, to, packet(age));
    if (!twice_[to] || age + 1 < q_) next_[to] = age + 1;
  }
  std::int64_t packet(std::size_t age) const {
    return steps_.now() - static_cast<std::int64_t>(age);
  }

  /// In the last step those of two roles have all packets, and send none.
  bool last() const { return now_ + 1 == numbers_.size(); }

  /// Who sends a label of that age, besides those of one role.
  Ranks senders(std::size_t m, std::size_t age, Ranks once) const {
    if (!last()) append(once, having(m, age, true));
    const std::size_t of_root = now_ < packets_ ? 0 : now_ + 1 - packets_;
    if (m == modules_.home && age == of_root) once.push_back(steps_.root());
    return once;
  }

  /// The ranks of a module that have yet to receive a label: those of one role with the oldest one,
  /// and those of two whose young label becomes the oldest.
  struct Receivers {
    Ranks once, twice;
  };

  /// Who receives labels of that age: ranks of two roles, one of whose young labels must become the
  /// oldest, and ranks of one.
  Ranks of_age(std::size_t m, std::size_t age, Receivers& waiting) const {
    const bool becomes_oldest = age + 1 == q_;
    if (last()) return becomes_oldest ? waiting.once : Ranks{};
    const ModuleLabels &now = numbers_[now_][m], &next = numbers_[now_ + 1][m];
    Ranks result = take(waiting.once, next.once[age + 1] - now.once[age]);
    if (!becomes_oldest) {
      append(result, take(waiting.twice, next.twice[age + 1] - now.twice[age]));
    } else {
      for (std::size_t other = 0; other < age; ++other) append(result, having(m, other, true));
    }
    return result;
  }

  const ExchangeModules& modules_;
  const LabelNumbers& numbers_;
  std::size_t ranks_, q_, packets_;
  ExchangeSteps steps_;
  std::size_t now_ = 0;
  std::vector<std::size_t> ages_, next_;  ///< of labels, of two roles the young one
  std::vector<bool> twice_;               ///< by rank: does it play two roles?
};

}  // namespace

std::shared_ptr<const Schedule> exchange_modules(const Instance& instance,
                                                 const std::vector<Delivery>& chunks,
                                                 std::size_t size, const SolverEntry& solver,
                                                 const SolverLimits& limits) {
  constexpr std::uint64_t most_ranks = 256;  // more have large formulas
  if (size < 2 || size >= instance.ranks || instance.ranks > most_ranks ||
      instance.ranks % size != 0 || !takes_one_port(instance) || !is_broadcast(instance, chunks)) {
    return nullptr;
  }
  Packets all = packets(chunks, width(instance));
  auto modules = modules_of(instance, size);
  if (!modules || exchange_steps(instance.ranks, all.chunks.size()) > instance.steps)
    return nullptr;
  modules->home = chunks.front().sources.front() / size;
  const auto numbers = exchange_numbers(*modules, all.chunks.size(), solver, limits);
  return numbers ? ModuleSteps(*modules, *numbers, std::move(all)).schedule() : nullptr;
}

}  // namespace schedcc::prover
