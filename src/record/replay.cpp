#include "record/replay.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/core.h>

namespace schedcc::record {

namespace {

constexpr std::uint64_t most_words = std::uint64_t{1} << 32;

/// The words of a payload, as images.
class Words {
 public:
  Words(WordKind kind, std::string_view bytes) : kind_(kind), bytes_(bytes) {}

  std::uint64_t size() const { return bytes_.size() / word_bytes(kind_); }
  bool whole() const { return bytes_.size() % word_bytes(kind_) == 0; }
  std::uint64_t operator[](std::uint64_t i) const {
    const char* const at = bytes_.data() + i * word_bytes(kind_);
    if (word_bytes(kind_) == 4) return load<std::uint32_t>(at);
    if (kind_ != WordKind::sum_double) return load<std::uint64_t>(at);
    // Sums of identities are integers that are exact.
    const auto value = load<double>(at);
    const bool exact = value >= 0 && value < 0x1p53 && value == std::floor(value);
    return exact ? static_cast<std::uint64_t>(value) : UINT64_MAX;
  }

 private:
  template <typename T>
  static T load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  WordKind kind_;
  std::string_view bytes_;
};

class Replayer {
 public:
  Replayer(const Execution& execution, const std::vector<Message>& messages)
      : execution_(execution),
        messages_(messages),
        begin_(execution.begin()),
        ranks_(static_cast<Rank>(begin_.ranks)) {
    total_ = layout_of(0).words;
    result_.items.resize(messages.size());
    result_.unknown.resize(messages.size());
  }

  Replay run() {
    if (total_ >= most_words) {
      result_.inexpressible.emplace_back("the data have more than 2^32 words");
      return std::move(result_);
    }
    rank_values_.reserve(ranks_);
    for (Rank rank = 0; rank < ranks_; ++rank) start(rank);
    replay();
    for (Rank rank = 0; rank < ranks_; ++rank) finish(rank);
    return std::move(result_);
  }

 private:
  /// What happens to a message at an event of a rank: it arrives, or, after that, it is sent.
  struct MessageEvent {
    std::size_t event;
    bool sends;
    std::uint32_t message;
    auto operator<=>(const MessageEvent&) const = default;
  };

  BufferLayout layout_of(Rank rank) const {
    return buffer_layout(begin_.collective, ranks_, rank, static_cast<std::uint64_t>(begin_.root),
                         begin_.length);
  }

  void start(Rank rank) {
    const BufferLayout own = layout_of(rank);
    rank_values_.emplace_back(begin_.words, own.words, result_.items, result_.constraints);
    for (std::uint64_t i = 0; i < own.start.size(); ++i) {
      const auto word = static_cast<std::uint32_t>(own.start[i]);
      rank_values_.back().start(word, identity(begin_.words, rank, word));
    }
  }

  /// Every rank in its order, and every message first where it is sent.
  void replay() {
    std::vector<std::vector<MessageEvent>> events(ranks_);
    for (std::uint32_t m = 0; m < messages_.size(); ++m) {
      events[messages_[m].src].push_back({messages_[m].sent, true, m});
      events[messages_[m].dst].push_back({messages_[m].received, false, m});
    }
    for (auto& of_rank : events) std::ranges::sort(of_rank);
    std::vector<std::size_t> next(ranks_, 0);
    std::vector<bool> sent(messages_.size(), false);
    for (bool progress = true; progress;) {
      progress = false;
      for (Rank rank = 0; rank < ranks_; ++rank) {
        for (; next[rank] < events[rank].size(); ++next[rank]) {
          const MessageEvent& now = events[rank][next[rank]];
          if (!now.sends && !sent[now.message]) break;
          now.sends ? send(now.message) : receive(now.message);
          if (now.sends) sent[now.message] = true;
          progress = true;
        }
      }
    }
    for (Rank rank = 0; rank < ranks_; ++rank) {
      if (next[rank] == events[rank].size()) continue;
      result_.inexpressible.emplace_back(
          "the messages have no consistent order: some are received before they are sent");
      return;
    }
  }

  void send(std::uint32_t m) {
    const Message& message = messages_[m];
    const Words words(begin_.words, message.data);
    RankValues& rank_values = rank_values_[message.src];
    std::vector<Item>& items = result_.items[m];
    std::vector<std::uint64_t>& values = values_[m];
    result_.order.push_back(m);
    result_.unknown[m] = words.whole() ? 0 : 1;
    items.reserve(words.size());
    values.reserve(words.size());
    for (std::uint64_t i = 0; i < words.size(); ++i) {
      const std::optional<std::uint32_t> word = observed(rank_values, words, i, items, message);
      if (!word) {
        ++result_.unknown[m];
        continue;
      }
      rank_values.send(*word, m);
      items.push_back({*word});
      values.push_back(words[i]);
    }
  }

  /// The word that value i of a message is: the one after the last, or that whose value it is.
  std::optional<std::uint32_t> observed(RankValues& rank_values, const Words& words,
                                        std::uint64_t i, const std::vector<Item>& items,
                                        const Message& message) {
    const std::uint64_t value = words[i];
    if (!items.empty()) {
      const std::uint32_t following = items.back().word + 1;
      if (following < total_ && rank_values.observe(following, value)) return following;
    }
    if (const auto near = word_before(rank_values, words, i);
        near && rank_values.observe(*near, value))
      return near;
    rank_values.index_all();
    const std::optional<std::uint32_t> word = rank_values.word_of(value);
    if (!word) return std::nullopt;
    if (rank_values.observe(*word, value)) return word;
    problem(
        fmt::format("rank {} sends rank {} a value of {} that it has replaced before: it keeps "
                    "several values apart, and a schedule has one place for each chunk",
                    message.src, message.dst, word_name(begin_, *word)));
    return std::nullopt;
  }

  /// What value i is, if it and those after it up to one that is indexed are consecutive words.
  static std::optional<std::uint32_t> word_before(const RankValues& rank_values, const Words& words,
                                                  std::uint64_t i) {
    const std::uint64_t end = std::min(words.size(), i + RankValues::indexed_every);
    for (std::uint64_t next = i; next < end; ++next) {
      const std::optional<std::uint32_t> word = rank_values.word_of(words[next]);
      if (word && *word >= next - i) return static_cast<std::uint32_t>(*word - (next - i));
    }
    return std::nullopt;
  }

  void receive(std::uint32_t m) {
    const std::vector<Item>& items = result_.items[m];
    for (std::uint32_t i = 0; i < items.size(); ++i)
      rank_values_[messages_[m].dst].receive(items[i].word, values_[m][i], m, i);
    values_[m] = {};
  }

  void finish(Rank rank) {
    const StridedRange goal = layout_of(rank).goal;
    const Words words(begin_.words, execution_.segments[rank].result);
    RankValues& rank_values = rank_values_[rank];
    WrongResult wrong{rank, 0, 0, {}};
    for (std::uint64_t i = 0; i < goal.size(); ++i) {
      const auto word = static_cast<std::uint32_t>(goal[i]);
      const std::uint64_t value = i < words.size() ? words[i] : 0;
      const bool possible = rank_values.observe(word, value);
      const bool right = value == expected(rank, word);
      if (right && !possible) {
        problem(
            fmt::format("rank {} ends with the right {}, which its messages do not explain: it "
                        "keeps several values apart, or has it from elsewhere",
                        rank, word_name(begin_, word)));
      }
      if (right) continue;
      if (wrong.words++ > 0) continue;
      wrong.word = word;
      wrong.found = what_is(rank_values, word, value, possible);
    }
    if (wrong.words > 0) result_.wrong.push_back(std::move(wrong));
    rank_values.finish();
  }

  std::uint64_t expected(Rank rank, std::uint32_t word) {
    if (!sums(begin_.words)) return identity(begin_.words, 0, word);
    const std::string_view collective = begin_.collective;
    if (collective == "scan") return sum_of(rank + 1, word);
    if (collective == "exscan") return sum_of(rank, word);
    // The same at all ranks that end with it.
    if (totals_.empty()) totals_.resize(total_, 0);
    if (totals_[word] == 0) totals_[word] = sum_of(ranks_, word);
    return totals_[word];
  }

  std::uint64_t sum_of(Rank ranks, std::uint32_t word) const {
    std::uint64_t total = 0;
    for (Rank r = 0; r < ranks; ++r)
      total = sum(begin_.words, total, identity(begin_.words, r, word));
    return total;
  }

  std::string what_is(RankValues& rank_values, std::uint32_t word, std::uint64_t value,
                      bool possible) const {
    if (possible) return "it is incomplete, or counts a contribution twice";
    std::uint64_t unwritten = 0;
    std::memset(&unwritten, poison_byte, word_bytes(begin_.words));
    if (value == unwritten) return "it was not written";
    // As a double, what was not written is a negative number.
    if (begin_.words == WordKind::sum_double && value == UINT64_MAX)
      return "it was not written, or is not a sum of contributions";
    rank_values.index_all();
    const std::optional<std::uint32_t> other = rank_values.word_of(value);
    if (other && *other != word) return fmt::format("it is {}", word_name(begin_, *other));
    return sums(begin_.words) ? "it is not a sum of what the rank has received"
                              : "it is nothing that the rank has received";
  }

  void problem(std::string text) {
    if (result_.inexpressible.empty()) result_.inexpressible.push_back(std::move(text));
  }

  const Execution& execution_;
  const std::vector<Message>& messages_;
  const BeginArguments& begin_;
  Rank ranks_;
  std::uint64_t total_ = 0;  ///< words
  std::vector<RankValues> rank_values_;
  std::vector<std::uint64_t> totals_;  ///< of all contributions; 0: not yet known
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>>
      values_;  ///< of messages on the way
  Replay result_;
};

}  // namespace

Replay replay(const Execution& execution, const std::vector<Message>& messages) {
  return Replayer(execution, messages).run();
}

std::string word_name(const BeginArguments& begin, std::uint32_t word) {
  const std::string_view collective = begin.collective;
  const auto n = static_cast<std::uint32_t>(begin.length),
             P = static_cast<std::uint32_t>(begin.ranks);
  if (collective == "alltoall") {
    return fmt::format("word {} of the block from rank {} to rank {}", word % n, word / n / P,
                       word / n % P);
  }
  const bool blocks = buffer_layout(collective, 2, 0, 0, 1).words == 2;
  return blocks ? fmt::format("word {} of block {}", word % n, word / n)
                : fmt::format("word {}", word);
}

}  // namespace schedcc::record
