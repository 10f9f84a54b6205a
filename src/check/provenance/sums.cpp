// Causes of wrong sums.
//
// As long as there is a transfer that, left out, with copy and reduction exchanged, or with another
// destination, corrects wrong contributions everywhere, it is a cause, and the search continues in
// the schedule so repaired: thus independent errors are found one by one. Of several equally good
// transfers the one at which contributions are counted twice is named, then the first; a transfer
// to the wrong node is named if redirecting it repairs more than any of these: for example if a
// copy that should replace a rank's own contribution leaves it there. Another destination must not
// make anything wrong. If no single transfer explains an error, a transfer is missing; then the
// finding says how far the contribution came.
//
// What is missing or in excess is said of the schedule as it is, whatever the repairs before.

#include <compare>
#include <optional>
#include <utility>

#include "check/provenance/causes.hpp"
#include "check/provenance/replayed_sums.hpp"
#include "check/provenance/unexplained.hpp"

namespace schedcc::provenance {

namespace {

using Kind = Cause::Kind;

/// Limits: the edits tried in a schedule, and the transfers replayed in search of a better edit
/// when one is known.
constexpr std::size_t max_tried = 1024;
constexpr std::uint64_t thorough = 1 << 17;

/// The benefit of an edit.
struct Score {
  bool whole = false;  ///< it corrects some contributions everywhere
  std::size_t repaired = 0;
  friend auto operator<=>(const Score&, const Score&) = default;
};

class WrongSums {
 public:
  WrongSums(const Replay& replay, std::size_t window, std::span<const std::size_t> suspects,
            std::optional<Rank> focus, Budget& budget)
      : replay_(replay),
        transfers_(replay.history().transfers),
        sums_(replay, window),
        suspects_(suspects),
        focus_(focus),
        budget_(budget) {}

  /// False if the budget did not suffice.
  bool find() {
    while (budget_.spend(replay_.size())) {
      sums_.replay_moves();
      if (original_.missing.empty()) original_ = sums_.faults();
      if (sums_.faults().anywhere().none()) return true;
      faults_ = sums_.faults().count();
      score_ = {};
      std::optional<Edit> edit = best_of(candidates(), std::nullopt);
      if (!exhausted_ && !(edit && after_.anywhere().none())) edit = best_of(redirections(), edit);
      if (exhausted_) return false;
      if (!edit) return add_unexplained(sums_, {original_, focus_}, misdirected_, causes_, budget_);
      accept(*edit);
    }
    return false;
  }

  std::vector<Cause> take() { return std::move(causes_); }

 private:
  /// Transfers that may be left out or exchanged, the most likely first.
  std::vector<Edit> candidates() const {
    const Window& missing = sums_.faults().missing_anywhere;
    const Window& extra = sums_.faults().extra_anywhere;
    std::vector<std::size_t> order, ways, others;
    for (const std::size_t i : suspects_) {
      if (!sums_.edited(i)) order.push_back(i);
    }
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      if (sums_.edited(i)) continue;
      if ((sums_.meeting(i) & extra).any() || (sums_.replaced(i) & missing).any()) {
        order.push_back(i);
        if (const auto way = sums_.earlier(i, sums_.meeting(i) & extra)) ways.push_back(*way);
      } else if ((sums_.carried(i) & extra).any() || keeps_excess(i)) {
        others.push_back(i);
      }
    }
    for (const auto& more : {ways, others}) order.insert(order.end(), more.begin(), more.end());
    std::vector<Edit> result;
    for (const std::size_t i : order) {
      if (result.size() >= max_tried) break;
      const bool reduce = transfers_[i].reduce();
      result.push_back({i, reduce ? Edit::Kind::leave_out : Edit::Kind::other_mode});
      result.push_back({i, reduce ? Edit::Kind::other_mode : Edit::Kind::leave_out});
    }
    return result;
  }

  /// Does a reduction bring nothing that is in excess, but leave it there?
  bool keeps_excess(std::size_t transfer) const {
    const Window& extra = sums_.faults().extra_anywhere;
    return transfers_[transfer].reduce() && (sums_.carried(transfer) & extra).none() &&
           (sums_.before(transfer) & extra).any();
  }

  /// Contributions that are missing, and of which no misdirected transfer is known.
  Window unexplained() const {
    Window missing = sums_.faults().missing_anywhere;
    for (const MisdirectedTransfer& known : misdirected_) missing &= ~known.carried;
    return missing;
  }

  /// Transfers of contributions that are missing at some node, redirected to that node, or to the
  /// one that it has its value from.
  std::vector<Edit> redirections() const {
    std::vector<Edit> result;
    const Window missing = unexplained();
    std::vector<bool> known(replay_.places());
    for (std::size_t p = 0; p < replay_.places() && result.size() < max_tried; ++p) {
      const Window here = sums_.faults().missing[p] & missing;
      if (here.none()) continue;
      for (const std::size_t target : {sums_.source_of(p, here), p}) {
        if (!known[target]) redirect_to(target, missing, result);
        known[target] = true;
      }
    }
    return result;
  }

  /// First those at which contributions are counted twice or must not be included.
  void redirect_to(std::size_t target, const Window& missing, std::vector<Edit>& edits) const {
    for (const bool meeting : {true, false}) {
      for (std::size_t i = 0; i < transfers_.size() && edits.size() < max_tried; ++i) {
        if (sums_.edited(i) || replay_.dst(i) == target || replay_.src(i) == target) continue;
        if (sums_.meeting(i).any() != meeting || (sums_.carried(i) & missing).none()) continue;
        edits.push_back({i, Edit::Kind::redirect, target});
      }
    }
  }

  /// The best of the edits; `best`, of which score_ and after_ are known, where none is better.
  std::optional<Edit> best_of(const std::vector<Edit>& edits, std::optional<Edit> best) {
    std::uint64_t replayed = 0;
    for (const Edit& edit : edits) {
      if (score_.whole && replayed > thorough) break;
      replayed += replay_.size();
      if (!budget_.spend(replay_.size())) {
        exhausted_ = true;
        return std::nullopt;
      }
      const SumFaults& after = sums_.faults_with(edit);
      const Score score = evaluate(edit, after);
      if (score.repaired == 0 || score <= score_ || breaks_others(edit)) continue;
      best = edit;
      score_ = score;
      after_ = after;
      if (after_.anywhere().none()) break;
    }
    return best;
  }

  Score evaluate(const Edit& edit, const SumFaults& after) const {
    // A misdirected sum is misdirected as a whole.
    const bool redirects = edit.kind == Edit::Kind::redirect;
    if (redirects && (after.missing[edit.to] & unexplained()).any()) return {};
    if (redirects && after.adds_to(sums_.faults())) return {};
    if (!redirects && keeps_excess(edit.transfer) && !completes(after)) return {};
    const Window before = sums_.faults().anywhere(), now = after.anywhere();
    const std::size_t broken = (now & ~before).count(), right = (before & ~now).count();
    if (right > broken) return {true, right - broken};
    // In part: only for excess contributions. A contribution that is missing everywhere may become
    // right at some nodes without a copy, although the copy is not the cause.
    if (!transfers_[edit.transfer].reduce() || redirects || broken > 0) return {};
    const std::size_t left = after.count();
    if (left >= faults_) return {};
    return {false, faults_ - left};
  }

  /// Does a redirection make anything wrong in another window? True also if the budget does not
  /// suffice.
  bool breaks_others(const Edit& edit) {
    if (edit.kind != Edit::Kind::redirect) return false;
    for (std::size_t window = 0; window < replay_.windows(); ++window) {
      if (window == sums_.window()) continue;
      exhausted_ |= !budget_.spend(2 * replay_.size());
      if (exhausted_ || sums_.breaks(edit, window)) return true;
    }
    return false;
  }

  /// Is nothing wrong any more where anything has become right?
  bool completes(const SumFaults& after) const {
    for (std::size_t p = 0; p < replay_.places(); ++p) {
      if ((sums_.faults().at(p) & ~after.at(p)).any() && after.at(p).any()) return false;
    }
    return true;
  }

  /// What is wrong at a place, and is not after the best edit.
  Window corrected(std::size_t place) const {
    return original_.at(place) & sums_.faults().at(place) & ~after_.at(place);
  }

  void accept(const Edit& edit) {
    Cause cause{Kind::undelivered, transfers_[edit.transfer].dst(), edit.transfer};
    if (edit.kind == Edit::Kind::redirect) cause.node = replay_.node(edit.to);
    for (std::size_t p = 0; p < replay_.places(); ++p) {
      if (corrected(p).any()) cause.goals.push_back(replay_.node(p));
    }
    if (!cause.goals.empty()) {
      cause.goal = named_goal(cause, edit);
      describe(cause, edit);
      if (!score_.whole) misdirected_.push_back({causes_.size(), sums_.carried(edit.transfer)});
      causes_.push_back(std::move(cause));
    }
    sums_.repair(edit);
  }

  /// That of a redirection is one where a contribution is missing, unless another is asked about.
  Rank named_goal(const Cause& cause, const Edit& edit) const {
    Cause lacking{cause.kind, cause.node};
    for (const Rank rank : cause.goals) {
      const std::size_t p = replay_.place(rank);
      const bool lost = (corrected(p) & original_.missing[p]).any();
      if (lost || rank == focus_) lacking.goals.push_back(rank);
    }
    const bool redirects = edit.kind == Edit::Kind::redirect;
    return goal_to_name(redirects && !lacking.goals.empty() ? lacking : cause, focus_);
  }

  /// Says what the edit corrects at the goal that is named.
  void describe(Cause& cause, const Edit& edit) const {
    const std::size_t goal = replay_.place(*cause.goal);
    const Window lost = corrected(goal) & original_.missing[goal];
    const Window excess = corrected(goal) & original_.extra[goal];
    const Window twice = excess & sums_.expected(goal);
    Window whose = lost;
    if (edit.kind == Edit::Kind::redirect && lost.any()) {
      cause.kind = Kind::undelivered;
    } else if (twice.any()) {
      cause.kind = Kind::twice;
      cause.other = meeting_place(edit.transfer, twice);
      whose = cause.other ? twice & sums_.meeting(*cause.other) : twice;
      if (cause.other) cause.earlier = sums_.earlier(*cause.other, whose);
    } else if (excess.any() && (lost.none() || transfers_[edit.transfer].reduce())) {
      cause.kind = Kind::unwanted;
      const Window carried = excess & sums_.carried(edit.transfer);
      whose = carried.any() ? carried : excess;
      cause.adds = carried.none() && transfers_[edit.transfer].reduce();
    } else {
      cause.kind = Kind::overwritten;
    }
    if (cause.kind != Kind::undelivered) cause.node = transfers_[edit.transfer].dst();
    cause.contributors = sums_.ranks(whose);
  }

  /// Where contributions are counted twice: at `transfer`, or else at the first other transfer.
  std::optional<std::size_t> meeting_place(std::size_t transfer, const Window& window) const {
    if ((sums_.meeting(transfer) & window).any()) return transfer;
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      if ((sums_.meeting(i) & window).any()) return i;
    }
    return std::nullopt;
  }

  const Replay& replay_;
  const std::vector<ChunkTransfer>& transfers_;
  ReplayedSums sums_;
  std::size_t faults_ = 0;  ///< their number, with the repairs so far
  std::span<const std::size_t> suspects_;
  std::optional<Rank> focus_;
  Budget& budget_;
  SumFaults original_;  ///< of the schedule as it is
  SumFaults after_;     ///< with the best edit
  Score score_;         ///< of that
  bool exhausted_ = false;
  std::vector<Cause> causes_;
  std::vector<MisdirectedTransfer> misdirected_;
};

/// Ranks whose contributions no transfer carries: the first is named.
void add_silent(const Replay& replay, std::vector<Cause>& causes) {
  const Replay::Run run = replay.run(0, {});
  std::optional<Cause> cause;
  for (std::size_t p = 0; p < replay.places(); ++p) {
    if (!run.final(p).held) continue;
    const Rank silent = replay.first_silent(p);
    if (silent == replay.problem().ranks) continue;
    if (!cause) {
      cause = Cause{Kind::stuck, silent};
      cause->contributors.push_back({silent, silent});
    }
    cause->goals.push_back(replay.node(p));
  }
  if (cause) causes.push_back(std::move(*cause));
}

}  // namespace

std::vector<Cause> wrong_sums(const Replay& replay, std::span<const std::size_t> suspects,
                              std::optional<Rank> focus, Budget& budget, bool& complete) {
  std::vector<Cause> causes;
  complete = true;
  if (!replay.reduced()) return causes;
  for (std::size_t window = 0; window < replay.windows() && complete; ++window) {
    WrongSums sums(replay, window, suspects, focus, budget);
    complete = sums.find();
    for (Cause& cause : sums.take()) causes.push_back(std::move(cause));
  }
  if (complete) add_silent(replay, causes);
  return causes;
}

}  // namespace schedcc::provenance
