#include "record/steps.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/components.hpp"

namespace schedcc::record {

namespace {

/// Where the words of a message or block are cut, so that every message has whole chunks.
class Cuts {
 public:
  explicit Cuts(std::uint64_t length) : length_(length), before_(length + 1, 0) {}

  void add(std::uint64_t word) { before_[word % length_] = 1; }

  /// After all are added: the number of chunks of a message or block.
  std::uint32_t count() {
    before_[0] = 0;
    std::uint32_t sum = 0;
    for (std::uint64_t word = 1; word <= length_; ++word) {
      if (before_[word] != 0 || word == length_) ++sum;
      before_[word] = sum;
    }
    return chunks_ = sum;
  }
  /// The chunk that begins at a word where it is cut.
  std::uint64_t chunk(std::uint64_t word) const {
    return word / length_ * chunks_ + before_[word % length_];
  }

 private:
  std::uint64_t length_;
  std::vector<std::uint32_t> before_;  ///< the chunks before each word
  std::uint32_t chunks_ = 0;
};

/// Calls f(first word, words, use) for the runs of words of a message that are used alike.
template <typename F>
void for_each_run(const std::vector<Item>& items, F f) {
  for (std::size_t i = 0; i < items.size();) {
    std::size_t end = i + 1;
    while (end < items.size() && items[end].word == items[end - 1].word + 1 &&
           items[end].use == items[i].use) {
      ++end;
    }
    if (items[i].use != ItemUse::unused) f(items[i].word, end - i, items[i].use);
    i = end;
  }
}

/// Which messages bring something that is used, and are in the schedule.
std::vector<bool> used_messages(const Replay& replay) {
  std::vector<bool> result;
  for (const auto& items : replay.items) {
    result.push_back(
        std::ranges::any_of(items, [](const Item& item) { return item.use != ItemUse::unused; }));
  }
  return result;
}

/// The constraints of the program's own order.
std::vector<Constraint> program_order(const std::vector<Message>& messages,
                                      const std::vector<bool>& used) {
  std::vector<std::pair<std::pair<Rank, std::size_t>, std::pair<bool, std::uint32_t>>> events;
  for (std::uint32_t m = 0; m < messages.size(); ++m) {
    if (!used[m]) continue;
    events.push_back({{messages[m].src, messages[m].sent}, {true, m}});
    events.push_back({{messages[m].dst, messages[m].received}, {false, m}});
  }
  std::ranges::sort(events);
  std::vector<Constraint> result;
  std::vector<std::uint32_t> received;
  constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t sent = none;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0 && events[i].first.first != events[i - 1].first.first) {
      received.clear();
      sent = none;
    }
    const auto [sends, m] = events[i].second;
    if (!sends) {
      received.push_back(m);
      continue;
    }
    if (sent != none) result.push_back({sent, m, false});
    for (const std::uint32_t before : received) result.push_back({before, m, true});
    received.clear();
    sent = m;
  }
  return result;
}

/// Gives messages steps, in an order that the constraints allow. Messages that are to be in one
/// step are a group.
class Placement {
 public:
  Placement(const std::vector<Message>& messages, const Replay& replay,
            const std::vector<bool>& used, const PortLimits& ports)
      : messages_(messages), ports_(ports), after_(messages.size()), position_(messages.size(), 0) {
    for (std::uint32_t i = 0; i < replay.order.size(); ++i) position_[replay.order[i]] = i;
    for (std::uint32_t m = 0; m < messages.size(); ++m) {
      if (used[m]) used_.push_back(m);
    }
  }

  void add(const std::vector<Constraint>& constraints) {
    for (const Constraint& constraint : constraints) {
      after_[constraint.before].push_back(constraint.after);
      constraints_.push_back(constraint);
    }
  }

  /// The messages of each step; none if the constraints contradict each other.
  std::optional<std::map<std::uint64_t, std::vector<std::uint32_t>>> run() {
    if (!make_groups()) return std::nullopt;
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].missing == 0 && !groups_[g].messages.empty()) make_ready(g);
    }
    std::map<std::uint64_t, std::vector<std::uint32_t>> result;
    while (!ready_.empty()) {
      const Group& group = groups_[std::get<2>(ready_.top())];
      ready_.pop();
      const std::uint64_t step = free_step(group);
      for (const std::uint32_t m : group.messages) result[step].push_back(m);
      for (const auto& [g, strict] : group.after) {
        groups_[g].least = std::max(groups_[g].least, step + (strict ? 1 : 0));
        if (--groups_[g].missing == 0) make_ready(g);
      }
    }
    return result;
  }

 private:
  struct Group {
    std::vector<std::uint32_t> messages;                     ///< in the order of their positions
    std::vector<std::pair<std::uint32_t, bool>> after = {};  ///< groups, and whether strictly
    std::uint64_t missing = 0, least = 0;
  };

  /// False: a message would have to come before itself.
  bool make_groups() {
    const std::vector<std::uint32_t> group =
        components(static_cast<std::uint32_t>(after_.size()),
                   [this](std::uint32_t m) { return std::span(after_[m]); });
    groups_.resize(group.empty() ? 0 : *std::ranges::max_element(group) + std::size_t{1});
    std::ranges::sort(used_, {}, [&](std::uint32_t m) { return position_[m]; });
    for (const std::uint32_t m : used_) groups_[group[m]].messages.push_back(m);
    for (const Constraint& constraint : constraints_) {
      const std::uint32_t before = group[constraint.before], after = group[constraint.after];
      if (before == after && constraint.strict) return false;
      if (before == after) continue;
      groups_[before].after.emplace_back(after, constraint.strict);
      ++groups_[after].missing;
    }
    return true;
  }

  void make_ready(std::uint32_t g) {
    ready_.push({groups_[g].least, position_[groups_[g].messages.front()], g});
  }

  /// Takes the ports of the messages in a step, if they are free.
  bool take(const Group& group, std::uint64_t step) {
    std::size_t taken = 0;
    while (taken < group.messages.size() && take(messages_[group.messages[taken]], step)) ++taken;
    if (taken == group.messages.size()) return true;
    while (taken-- > 0) {
      const Message& message = messages_[group.messages[taken]];
      --busy_[{message.src, step}].first;
      --busy_[{message.dst, step}].second;
      pairs_.erase({message.src, message.dst, step});
    }
    return false;
  }

  bool take(const Message& message, std::uint64_t step) {
    auto& [src_sends, src_receives] = busy_[{message.src, step}];
    auto& [dst_sends, dst_receives] = busy_[{message.dst, step}];
    const bool free = src_sends < ports_.send && dst_receives < ports_.receive &&
                      src_sends + src_receives < ports_.both &&
                      dst_sends + dst_receives < ports_.both;
    if (!free || !pairs_.insert({message.src, message.dst, step}).second) return false;
    ++src_sends;
    ++dst_receives;
    return true;
  }

  /// The first step in which all of the group have their ports. A group that has more messages than
  /// ports has the first that its data allow: the check `ports` finds it.
  std::uint64_t free_step(const Group& group) {
    std::uint64_t step = group.least;
    // Beyond the last step in which any rank is busy, only the group itself can be in the way.
    for (; !take(group, step); ++step) {
      if (step > last_) return group.least;
    }
    last_ = std::max(last_, step);
    return step;
  }

  using Entry = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;

  const std::vector<Message>& messages_;
  PortLimits ports_;
  std::vector<std::uint32_t> used_;
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<Constraint> constraints_;
  std::vector<std::uint32_t> position_;
  std::vector<Group> groups_;
  std::uint64_t last_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
  std::map<std::pair<Rank, std::uint64_t>, std::pair<std::uint32_t, std::uint32_t>> busy_;
  std::set<std::tuple<Rank, Rank, std::uint64_t>> pairs_;
};

/// Constraints between messages that are in the schedule.
std::vector<Constraint> of_used(const std::vector<Constraint>& constraints,
                                const std::vector<bool>& used) {
  std::vector<Constraint> result;
  std::ranges::copy_if(constraints, std::back_inserter(result),
                       [&](const Constraint& c) { return used[c.before] && used[c.after]; });
  return result;
}

}  // namespace

std::optional<Steps> steps(const BeginArguments& begin, const std::vector<Message>& messages,
                           const Replay& replay, const PortLimits& ports) {
  const std::vector<bool> used = used_messages(replay);
  const std::vector<Constraint> data = of_used(replay.constraints.all(), used);
  Placement both(messages, replay, used, ports);
  both.add(data);
  both.add(program_order(messages, used));
  auto placed = both.run();
  if (!placed) {
    Placement alone(messages, replay, used, ports);
    alone.add(data);
    placed = alone.run();
  }
  if (!placed) return std::nullopt;
  Cuts cuts(begin.length);
  for (const auto& items : replay.items) {
    for_each_run(items, [&](std::uint64_t first, std::uint64_t words, ItemUse) {
      cuts.add(first);
      cuts.add(first + words);
    });
  }
  const std::uint32_t chunks = cuts.count();
  const auto schedule = std::make_shared<Schedule>();
  for (const auto& [step, in_step] : *placed) {
    schedule->begin_step(step);
    for (const std::uint32_t m : in_step) {
      for_each_run(replay.items[m], [&](std::uint64_t first, std::uint64_t words, ItemUse use) {
        const std::uint64_t chunk = cuts.chunk(first);
        Transfer transfer = copy(messages[m].src, messages[m].dst, static_cast<Chunk>(chunk),
                                 static_cast<std::uint32_t>(cuts.chunk(first + words) - chunk));
        transfer.reduce = use == ItemUse::reduced ? 1 : 0;
        schedule->add(transfer);
      });
    }
  }
  return Steps{chunks, schedule};
}

}  // namespace schedcc::record
