// Who holds which chunk, where the queues of ranks tell it (QueueParts::tell_holdings).
//
// They know what has arrived at each rank, and ranks hold that beside what they start with. So
// there is one look-up for each end of a transfer, for the state and for the queues. Before the
// first send of a chunk that its sender did not start with queues know nothing, and long transfers
// they do not follow chunk by chunk: then bits are the state (copy_holdings).

#include <utility>

#include "analysis/provisional_holdings.hpp"
#include "analysis/queue_parts.hpp"
#include "model/starts.hpp"

namespace schedcc {

namespace {

class QueuedHoldings final : public ProvisionalHoldings {
 public:
  QueuedHoldings(const Problem& problem, const QueueParts& queues, Reopen reopen)
      : ProvisionalHoldings(problem, copy_holdings, std::move(reopen)),
        queues_(queues),
        starts_(problem) {}

 protected:
  bool stands_in(const Step&) override {
    silent_ = silent_ || (queues_.begun() && !queues_.tell_holdings());
    return queues_.begun() && !silent_;
  }

  void prepare_reads(std::uint64_t chunks, std::uint64_t ranks) override {
    // If so many hold what they must, most of it is what they start with, in runs that may be long.
    const std::uint64_t cells = queues_.cells();
    if (!is_proper() && chunks / 64 * ranks > cells) proper();
  }

  std::uint64_t satisfied(Rank rank, Run run) const override {
    if (is_proper()) return satisfied_by(proper(), rank, run);
    const std::uint64_t present = starts_.in(rank, run);  // which do not arrive
    return present == run.count ? present : present + queues_.arrived(rank, run);
  }

 private:
  const QueueParts& queues_;
  Starts starts_;
  /// Queues no longer tell holdings, and are not asked again: other threads may follow them.
  bool silent_ = false;
};

}  // namespace

std::unique_ptr<Holdings> queued_holdings(const Problem& problem, const QueueParts& queues,
                                          std::function<std::unique_ptr<StepStream>()> reopen) {
  return std::make_unique<QueuedHoldings>(problem, queues, std::move(reopen));
}

}  // namespace schedcc
