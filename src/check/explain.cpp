// Explanations: the transfers that carry the chunk are collected in one pass over the steps, and
// played with the values of all nodes; the value in question leads back to those that made it.

#include "schedcc/explain.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/rank_sets.hpp"
#include "check/levels.hpp"
#include "check/provenance/lineage.hpp"
#include "check/provenance/rank_errors.hpp"
#include "check/shape.hpp"
#include "model/problem_text.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using provenance::History;
using provenance::Lineage;

constexpr std::size_t max_intervals = 64;

class Explainer {
 public:
  Explainer(const Source& source, const Machine& machine, const ExplainRequest& request)
      : source_(source),
        machine_(machine),
        request_(request),
        problem_(source.problem),
        origins_{source.problem, source.open,
                 [this](const Transfer& t) { return well_formed(t, problem_, nodes()); },
                 arrival_time(source, machine),
                 [this](Rank node) { return describe_node(problem_, machine_, node); }} {
    problem_.validate();
    require_level(source, machine);
    require_places();
    const std::vector<Chunk> chunks{request.chunk};
    history_ = provenance::record(origins_, chunks, SIZE_MAX).front();
    lineage_ = std::make_unique<Lineage>(problem_, history_, request.step);
  }

  Explanation run() {
    const Lineage::Value value = lineage_->at(request_.rank);
    result_.schedule = source_.name;
    result_.file = source_.file;
    result_.machine = machine_.spec();
    result_.request = request_;
    result_.reduction = lineage_->reduced();
    result_.starts = problem_.starts_with(request_.rank, request_.chunk);
    result_.wanted = problem_.ends_with(request_.rank, request_.chunk);
    result_.held = value.held();
    result_.holds = contributions(value.id);
    list_transfers(value);
    list_failed();
    if (lineage_->reduced()) compare(value);
    list_holders();
    if (!request_.step) find_causes();
    return std::move(result_);
  }

 private:
  std::uint64_t nodes() const { return source_.node_count(); }

  void require_places() const {
    const std::string_view kind = source_.has_routers() ? "node" : "rank";
    if (request_.rank >= nodes()) throw InputError(no_such_node(kind, request_.rank, nodes()));
    const std::uint64_t chunks = problem_.total_chunks();
    if (request_.chunk >= chunks) throw InputError(no_such_chunk(request_.chunk, chunks));
  }

  RankSets& sets() const { return lineage_->contributions().sets(); }

  RankList ranks(RankSets::Id set) const {
    RankList result{sets().intervals(set, max_intervals), 0};
    result.more = sets().size(set) - result.first.size();
    return result;
  }

  ContributionList contributions(Contributions::Id id) const {
    if (!lineage_->reduced()) return {};
    const Contributions& all = lineage_->contributions();
    return {ranks(all.ranks(id)), ranks(all.twice(id))};
  }

  bool has(Contributions::Id id, Rank contributor) const {
    const RankInterval only{contributor, contributor};
    const RankSets::Id set = sets().of({&only, 1});
    return sets().intersect(lineage_->contributions().ranks(id), set) != RankSets::empty;
  }

  TransferLocation location(std::size_t transfer) const {
    return history_.transfers[transfer].location();
  }

  void list_transfers(const Lineage::Value& value) {
    transfers_ = lineage_->made_of(value);
    row_.assign(history_.transfers.size(), SIZE_MAX);
    const auto row = [&](const Lineage::Value& some) -> std::optional<std::size_t> {
      if (!some.by) return std::nullopt;
      return row_[*some.by];
    };
    for (const std::size_t transfer : transfers_) {
      const Lineage::Arrival& arrival = lineage_->arrival(transfer);
      const bool adds = lineage_->reduced() && history_.transfers[transfer].reduce();
      ExplainedTransfer some{location(transfer), history_.transfers[transfer].arrives,
                             row(arrival.carried)};
      if (adds) {
        some.added_to = row(arrival.before);
        some.added_to_start = !arrival.before.by && arrival.before.held();
      }
      some.carries = contributions(arrival.carried.id);
      some.result = contributions(arrival.after);
      row_[transfer] = result_.transfers.size();
      result_.transfers.push_back(std::move(some));
    }
    result_.made_by = row(value);
  }

  /// Transfers to the rank that have no effect, then those to their sources, and so on.
  void list_failed() {
    std::unordered_map<Rank, std::vector<std::size_t>> failed;  // by destination
    for (const std::size_t transfer : lineage_->order()) {
      if (!lineage_->arrival(transfer).carried.held())
        failed[history_.transfers[transfer].dst()].push_back(transfer);
    }
    std::vector<Rank> open{request_.rank};
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto here = failed.extract(open[i]);
      if (here.empty()) continue;
      for (const std::size_t transfer : here.mapped()) {
        FailedTransfer some{location(transfer)};
        open.push_back(some.location.src);
        if (const auto first = lineage_->first_to(some.location.src)) {
          some.first_held = history_.transfers[*first].arrives;
          some.held_by = location(*first);
        }
        result_.failed.push_back(some);
      }
    }
  }

  void compare(const Lineage::Value& value) {
    const Contributions& all = lineage_->contributions();
    if (result_.wanted) {
      const RankSets::Id goal = sets().of(problem_.contributors(request_.chunk, request_.rank));
      const RankSets::Id missing = sets().subtract(goal, all.ranks(value.id));
      result_.missing = ranks(missing);
      result_.unwanted = ranks(sets().subtract(all.ranks(value.id), goal));
    }
    if (all.counts_twice(value.id)) find_ways(sets().hull(all.twice(value.id)).first);
  }

  /// The two paths of a contribution that is counted twice: to the first transfer that meets it
  /// again.
  void find_ways(Rank contributor) {
    for (const std::size_t transfer : transfers_) {
      const Lineage::Arrival& arrival = lineage_->arrival(transfer);
      if (!history_.transfers[transfer].reduce() || !has(arrival.carried.id, contributor) ||
          !has(arrival.before.id, contributor)) {
        continue;
      }
      CountedTwice ways{contributor, row_[transfer], way(arrival.before, contributor),
                        way(arrival.carried, contributor)};
      ways.second.push_back(ways.meets);
      result_.counted_twice = std::move(ways);
      return;
    }
  }

  /// The transfers by which a contribution came into a value.
  std::vector<std::size_t> way(Lineage::Value value, Rank contributor) const {
    std::vector<std::size_t> result;
    while (value.by) {
      const Lineage::Arrival& arrival = lineage_->arrival(*value.by);
      const bool carried = has(arrival.carried.id, contributor);
      if (carried) result.push_back(row_[*value.by]);
      value = carried ? arrival.carried : arrival.before;
    }
    std::ranges::reverse(result);
    return result;
  }

  void list_holders() {
    if (lineage_->reduced() && !result_.missing.empty())
      result_.lost = result_.missing.first.front().first;
    if (lineage_->reduced() && !result_.lost) return;
    std::vector<Rank> holding, without;
    lineage_->each_value([&](Rank node, const Lineage::Value& value) {
      const bool holds = result_.lost ? has(value.id, *result_.lost) : value.held();
      (holds ? holding : without).push_back(node);
    });
    Intervals start = problem_.holders(request_.chunk);
    if (result_.lost) start = {{*result_.lost, *result_.lost}};
    const Intervals all = unite(subtract(start, intervals_of(without)), intervals_of(holding));
    result_.holders.first.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                all.size(), max_intervals)));
    result_.holders.more = all.size() - result_.holders.first.size();
  }

  void find_causes() {
    std::vector<bool> relevant(history_.transfers.size());
    for (const std::size_t transfer : transfers_) relevant[transfer] = true;
    if (result_.right() && !problem_.ordered) return;
    auto errors = provenance::errors_at(origins_, history_, request_.rank, relevant);
    result_.causes = std::move(errors.findings);
    result_.traced = errors.complete;
  }

  const Source& source_;
  const Machine& machine_;
  ExplainRequest request_;
  const Problem& problem_;
  provenance::Origins origins_;
  History history_;
  std::unique_ptr<Lineage> lineage_;
  std::vector<std::size_t> transfers_;  ///< of the explanation
  std::vector<std::size_t> row_;        ///< of each transfer: its index in the explanation
  Explanation result_;
};

}  // namespace

Explanation explain(const Source& source, const Machine& machine, const ExplainRequest& request) {
  return Explainer(source, machine, request).run();
}

}  // namespace schedcc
