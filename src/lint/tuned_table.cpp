#include "lint/tuned_table.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "core/join.hpp"
#include "format/tuning/ompi_names.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

constexpr std::string_view no_counterpart = "no counterpart in schedcc";

/// The library's words for a collective, in the library's order.
std::vector<std::string> words_of(TuningFormat format, Collective collective) {
  std::vector<std::string> result;
  const auto add = [&](std::string_view word) {
    if (library_collective(std::string(word)) == collective) result.emplace_back(word);
  };
  if (format == TuningFormat::nccl_tuner) {
    for (const std::string_view word : nccl_collectives) add(word);
  } else {
    for (const OmpiCollective& c : ompi_collectives()) add(c.name);
  }
  return result;
}

std::string label(const LibraryAlgorithm& algorithm) {
  return algorithm.number == 0 ? algorithm.name
                               : fmt::format("{} ({})", algorithm.name, algorithm.number);
}

/// The algorithms that are left out, with their reasons, in the library's order.
class Omissions {
 public:
  explicit Omissions(std::string word) : word_(std::move(word)) {}

  /// Adds the omissions of one number of ranks.
  void add(const LibraryTimes& times) {
    ++problems_;
    const auto untimed = times.untimed();
    const std::vector<LibraryAlgorithm>& all = times.algorithms();
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::string why = reason(all, i, untimed);
      if (why.empty()) continue;
      Omission& omission = omissions_[i];
      omission.label = label(all[i]);
      omission.reason = std::move(why);
      ++omission.problems;
    }
  }

  /// Appends the algorithms that are left out for all numbers of ranks.
  void take(std::vector<OmittedAlgorithms>& result) const {
    const auto begin = static_cast<std::ptrdiff_t>(result.size());
    for (const auto& entry : omissions_) {
      const Omission& omission = entry.second;
      if (omission.problems < problems_) continue;
      const auto known =
          std::find_if(result.begin() + begin, result.end(),
                       [&](const OmittedAlgorithms& l) { return l.reason == omission.reason; });
      if (known == result.end()) {
        result.push_back({word_, omission.label, omission.reason});
      } else {
        known->algorithms += ", " + omission.label;
      }
    }
  }

 private:
  struct Omission {
    std::string label, reason;
    std::size_t problems = 0;
  };

  /// Why the i-th is not among the choices; empty: it is.
  static std::string reason(const std::vector<LibraryAlgorithm>& all, std::size_t i,
                            const std::vector<std::pair<std::string, std::string>>& untimed) {
    const LibraryAlgorithm& algorithm = all[i];
    if (algorithm.counterpart.empty()) return std::string(no_counterpart);
    if (!algorithm.unsuited.empty()) return algorithm.unsuited;
    for (std::size_t j = 0; j < i; ++j) {
      if (all[j].counterpart == algorithm.counterpart && all[j].unsuited.empty())
        return fmt::format("in schedcc the same as {}", label(all[j]));
    }
    for (const auto& [name, why] : untimed) {
      if (name == algorithm.name) return why;
    }
    return {};
  }

  std::string word_;
  std::size_t problems_ = 0;
  std::map<std::size_t, Omission> omissions_;  ///< by their places in the library's list
};

/// The rules for one of the library's collectives, and one number of ranks.
class RuleSearch {
 public:
  RuleSearch(LibraryTimes& times, const std::vector<std::uint64_t>& sizes)
      : times_(times), sizes_(sizes) {}

  /// None if nothing can be chosen.
  std::vector<WrittenRule> rules() {
    // Size 0 goes with size 1.
    const std::uint64_t from = sizes_.front() <= 1 ? 0 : sizes_.front();
    LibraryChoice last = at(sizes_.front());
    rules_.push_back({{from, sizes_.back()}, last});
    for (std::size_t i = 0; i + 1 < sizes_.size(); ++i) {
      const LibraryChoice next = at(sizes_[i + 1]);
      bisect(sizes_[i], last, sizes_[i + 1], next);
      last = next;
    }
    if (std::ranges::all_of(rules_, leaves_it)) rules_.clear();
    return std::move(rules_);
  }

  /// Does the rule leave the choice to the library?
  static bool leaves_it(const WrittenRule& rule) { return rule.choice == library_default(); }

 private:
  /// That of the library for a size at which no schedule can be timed.
  LibraryChoice at(std::uint64_t bytes) { return times_.choice(bytes).value_or(library_default()); }

  void bisect(std::uint64_t low, const LibraryChoice& from, std::uint64_t high,
              const LibraryChoice& to) {
    if (from == to) return;
    if (high - low == 1) {
      rules_.back().bytes.last = low;
      rules_.push_back({{high, sizes_.back()}, to});
      return;
    }
    const std::uint64_t middle = low + (high - low) / 2;
    const LibraryChoice between = at(middle);
    bisect(low, from, middle, between);
    bisect(middle, between, high, to);
  }

  LibraryTimes& times_;
  const std::vector<std::uint64_t>& sizes_;
  std::vector<WrittenRule> rules_;
};

/// Numbers as ranges: "9..11, 13".
std::string ranges_text(const std::vector<std::uint32_t>& numbers) {
  IntervalSet set;
  for (const std::uint32_t n : numbers) set.add({n, n});
  std::vector<std::string> result;
  for (const Interval& interval : set.all()) result.push_back(text(interval));
  return join(result, ", ");
}

/// The entries for one of the library's words, rank number by rank number.
class WordTable {
 public:
  WordTable(const TableRequest& request, std::string word, Collective collective)
      : request_(request), word_(std::move(word)), collective_(collective), omissions_(word_) {}

  /// Is there a choice for any number of ranks?
  bool fill() {
    for (std::size_t i = 0; i < request_.ranks.size(); ++i) {
      add(i);
      if (request_.after_problem) request_.after_problem();
    }
    return unserved_.size() < request_.ranks.size();
  }

  void take(TunedTable& result) {
    for (WrittenEntry& entry : entries_) result.table.entries.push_back(std::move(entry));
    omissions_.take(result.left_out);
    if (unserved_.empty()) return;
    result.left_out.push_back({word_, fmt::format("all on {} ranks", ranges_text(unserved_)),
                               "no algorithm of schedcc serves them"});
  }

  /// Why there is no choice.
  std::string reasons() const {
    std::vector<OmittedAlgorithms> left_out;
    omissions_.take(left_out);
    std::vector<std::string> result;
    result.reserve(left_out.size());
    for (const OmittedAlgorithms& l : left_out)
      result.push_back(fmt::format("{}: {}", l.algorithms, l.reason));
    return join(result, "; ");
  }

 private:
  /// Adds the rules for the i-th number of ranks. Where nothing serves, the library chooses.
  void add(std::size_t i) {
    const bool ompi = request_.format != TuningFormat::nccl_tuner;
    LossRequest one = request_.times;
    one.ranks = request_.ranks[i];
    LibraryTimes times(request_.format, word_, collective_, one);
    std::vector<WrittenRule> rules = RuleSearch(times, request_.sizes).rules();
    omissions_.add(times);
    if (!ompi) std::erase_if(rules, RuleSearch::leaves_it);
    if (rules.empty()) {
      unserved_.push_back(one.ranks);
      if (!ompi) return;
      rules.push_back({{}, library_default()});
    }
    const bool between = ompi && i + 1 < request_.ranks.size();
    const Interval ranks{one.ranks, between ? request_.ranks[i + 1] - 1 : one.ranks};
    if (ompi && !entries_.empty() && entries_.back().rules == rules) {
      entries_.back().ranks.last = ranks.last;
    } else {
      entries_.push_back({word_, ranks, std::move(rules)});
    }
  }

  const TableRequest& request_;
  std::string word_;
  Collective collective_;
  Omissions omissions_;
  std::vector<WrittenEntry> entries_;
  std::vector<std::uint32_t> unserved_;
};

/// Adds the entries for a collective, or what is left out. Returns why nothing serves it; empty:
/// something does.
std::string add_collective(const TableRequest& request, Collective collective, TunedTable& result) {
  const std::vector<std::string> words = words_of(request.format, collective);
  const std::string_view library_name = library(request.format);
  if (words.empty()) {
    const std::string_view word = info(collective).name;
    result.left_out.push_back(
        {std::string(word), "all", fmt::format("the tables of {} have no {}", library_name, word)});
    return result.left_out.back().reason;
  }
  std::string reasons;
  std::vector<OmittedAlgorithms> unserved;
  for (const std::string& word : words) {
    WordTable table(request, word, collective);
    if (table.fill()) {
      table.take(result);
    } else {
      if (reasons.empty()) reasons = table.reasons();
      unserved.push_back({word, "all", "no algorithm of schedcc serves them"});
    }
  }
  const bool none = unserved.size() == words.size();
  if (none) unserved = {{words.front(), "all", reasons}};
  for (OmittedAlgorithms& l : unserved) result.left_out.push_back(std::move(l));
  if (!none) return {};
  return fmt::format("no algorithm of {} serves {} on {} ranks: {}", library_name, words.front(),
                     ranges_text(request.ranks), reasons);
}

/// The plugin of NCCL sets one channel for calls that no rule matches: the first rule is for
/// smaller sizes, too, and the last one for larger ones.
void extend_sizes(WrittenTable& table) {
  for (WrittenEntry& entry : table.entries) {
    entry.rules.front().bytes.first = 0;
    entry.rules.back().bytes.last = UINT64_MAX;
  }
}

}  // namespace

std::size_t problems_of(const TableRequest& request) {
  std::size_t words = 0;
  for (const Collective collective : request.collectives)
    words += words_of(request.format, collective).size();
  return words * request.ranks.size();
}

TunedTable tuned_table(const TableRequest& request) {
  TunedTable result;
  result.table.format = request.format;
  std::string why;
  for (const Collective collective : request.collectives) {
    const std::string reason = add_collective(request, collective, result);
    if (why.empty()) why = reason;
  }
  if (result.table.entries.empty()) throw InputError(why);
  if (request.format == TuningFormat::nccl_tuner) extend_sizes(result.table);
  return result;
}

}  // namespace schedcc
