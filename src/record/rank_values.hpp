#pragma once

// What the words of a rank are, as far as its messages show it.
//
// A schedule has one place for each chunk of a rank. What a program has received is pending until
// its values show what became of it: when the rank sends a word, or ends with it, the word is what
// its place held; or that plus received values, which were combined into it; or a received value,
// which replaced it. Each observation settles what is pending, and gives constraints between
// messages: a message with the new value comes after those that it is made of, and those that read
// the old value come before them, or in the same step.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "record/identity.hpp"
#include "record/value_index.hpp"

namespace schedcc::record {

/// What a received word became.
enum class ItemUse : std::uint8_t { unused, copied, reduced };

/// A word of a message whose identity is known.
struct Item {
  std::uint32_t word;
  ItemUse use = ItemUse::unused;
};

/// Message `before` comes before `after`; not `strict`: or in the same step.
struct Constraint {
  std::uint32_t before, after;
  bool strict;
};

/// Constraints, most of them without repetitions.
class Constraints {
 public:
  void add(std::uint32_t before, std::uint32_t after, bool strict) {
    if (before == after) return;
    const Constraint made{before, after, strict};
    Constraint& recent = recent_[(before * 31 + after) % recent_.size()];
    if (recent.before == before && recent.after == after && recent.strict == strict) return;
    recent = made;
    all_.push_back(made);
  }
  const std::vector<Constraint>& all() const { return all_; }

 private:
  std::array<Constraint, 1024> recent_{};
  std::vector<Constraint> all_;
};

/// The value of each word that a rank holds, while its events are replayed.
class RankValues {
 public:
  /// `items` are those of each message; both outlive this.
  RankValues(WordKind kind, std::uint64_t words, std::vector<std::vector<Item>>& items,
             Constraints& constraints);

  /// The rank starts with this word.
  void start(std::uint32_t word, std::uint64_t value);
  /// Item `item` of a message arrives.
  void receive(std::uint32_t word, std::uint64_t value, std::uint32_t message, std::uint32_t item);
  /// The rank has this value of the word: settles what is pending. False: it cannot be.
  bool observe(std::uint32_t word, std::uint64_t value);
  /// After observe(): a message carries it away.
  void send(std::uint32_t word, std::uint32_t message);
  /// The word of which this is, or may have been, a value. Before index_all() not all of them are
  /// known, but of one word in `indexed_every`.
  std::optional<std::uint32_t> word_of(std::uint64_t value) const { return words_.find(value); }
  void index_all();
  static constexpr std::uint32_t indexed_every = 16;
  /// What is still pending: words that are only copied arrive, wherever the program has stored
  /// them; values that their place holds anyhow are copies of it. All others remain unused.
  void finish();

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::uint32_t page_words = 1024;

  struct Place {
    std::uint64_t value = 0;  ///< what it holds
    std::uint64_t all = 0;    ///< that and everything pending, combined
    std::uint32_t pending = none, makers = none, readers = none;
    std::uint32_t copied = none;  ///< the message that replaced its value last
    bool held = false;
  };
  struct PendingItem {
    std::uint64_t value;
    std::uint32_t message, item, next;
  };
  struct Link {
    std::uint32_t message, next;
  };
  using Page = std::array<Place, page_words>;

  Place* find(std::uint32_t word);
  Place& at(std::uint32_t word);
  void push(std::uint32_t& list, std::uint32_t message);
  std::vector<std::uint32_t> pending_of(const Place& place) const;
  bool observe_some(Place& place, std::uint64_t value);
  /// Takes nodes of `pending_`, in the order of their arrival, into the place.
  void settle(Place& place, std::uint64_t value, std::span<const std::uint32_t> nodes, bool keeps);
  void make(Place& place, const PendingItem& arrived, bool copy);
  void index(std::uint64_t value, std::uint32_t word) {
    if (all_indexed_ || word % indexed_every == 0) words_.insert(value, word);
  }
  void index_pending(const Place& place, const PendingItem& arrived, std::uint32_t word);

  WordKind kind_;
  std::vector<std::vector<Item>>& items_;
  Constraints& constraints_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<PendingItem> pending_;
  std::vector<Link> links_;
  ValueIndex words_;
  bool all_indexed_ = false;
};

}  // namespace schedcc::record
