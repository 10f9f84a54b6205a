// All pairs: on machines with any number of ports, in the steps that counting allows.

#include "catch.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"

using namespace schedcc;

namespace {

/// Does a schedule hold, with the warning that each of several ranks adds the others' contributions
/// to its own?
bool only_adds_apart(const Report& report) {
  if (report.verdict() != Verdict::holds) return false;
  if (report.ranks <= 2) return report.findings_total == 0;
  return report.findings_total == 1 && report.findings[0].check == "agreement";
}

}  // namespace

TEST_CASE("all pairs take as many steps as a rank's ports need for all others") {
  for (Rank P = 2; P <= 20; ++P) {
    for (std::uint64_t k = 1; k <= P; ++k) {
      for (const std::string machine : {"kport:k=", "bsp:h="}) {
        const std::string spec = machine + std::to_string(k);
        const std::uint64_t once = (P - 1 + k - 1) / k;
        for (const std::uint32_t K : {1u, P, P + 3}) {
          for (const char* collective : {"allgather", "reduce-scatter", "allreduce"}) {
            Report report;
            CHECK(run::fault({"all-pairs", P, K, spec, collective}, &report).empty());
            CHECK(report.steps == (report.collective == "allreduce" ? 2 * once : once));
          }
        }
        const run::Case whole{"all-pairs:whole", P, 3, spec};
        if (once > 1) {
          const auto [algorithm, request] = run::ready(whole);
          CHECK(algorithm->reason(request).has_value());
          continue;
        }
        Report report;
        run::fault(whole, &report);
        CHECK(only_adds_apart(report));
        CHECK(report.steps == 1);
        CHECK(report.volume == 3);
      }
    }
  }
}

TEST_CASE("all pairs keep the order of operands") {
  for (Rank P = 2; P <= 9; ++P) {
    for (const char* collective : {"reduce-scatter", "allreduce"}) {
      CHECK(run::fault({"all-pairs", P, 2, "kport:k=3", collective, 0, true}).empty());
    }
    const std::string ports = "kport:k=" + std::to_string(P - 1);
    Report report;
    run::fault({"all-pairs:whole", P, 2, ports, {}, 0, true}, &report);
    CHECK(only_adds_apart(report));
    CHECK(run::fault({"binomial-allreduce", P, 2, {}, {}, 0, true}).empty());
  }
}
