// CC: the claims of the lecture on communication cost, slide by slide.

#include "cc/sections.hpp"

namespace ledger {

Paper cc() {
  return {"CC",
          "lecture on communication cost",
          {CC::allreduce(), CC::optimal_broadcast(), CC::logp(), CC::supersteps(), CC::products()},
          {"Figures: pictures of trees, butterflies and models without numbers in the text.",
           "\"It is difficult to define Karp's tree explicitly\", \"the implicit choice of packet "
           "size makes "
           "LogP inflexible\", \"LogP may be a good fit for hardware-specific collectives\": "
           "judgements.",
           "What is said of systems: one-sided communication, PGAS, MPI, barriers; what the later "
           "lectures "
           "will use.",
           "SUMMA's other variants are not in the lecture; `summa:variant=A` and `B` are checked "
           "elsewhere."}};
}

}  // namespace ledger
