#include "cc/cost.hpp"

namespace ledger::CC {

Cost cost(const std::string& algorithm, const std::string& collective, Rank P, std::uint32_t K) {
  const Report report = checked({algorithm, P, K, "", collective});
  return {report.steps, report.volume};
}

void equal(Found& f, const Cost& printed, const Cost& computed, const std::string& where) {
  f.equal(printed.steps, computed.steps, "{}: α", where);
  f.equal(printed.volume, computed.volume, "{}: β", where);
}

}  // namespace ledger::CC
