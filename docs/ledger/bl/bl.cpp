// BL: the claims of the lecture on broadcast and LogP, slide by slide.

#include "bl/sections.hpp"

namespace ledger {

Paper bl() {
  return {
      "BL",
      "lecture on broadcast and the LogP model",
      {BL::messages(), BL::trees(), BL::large_messages(), BL::two_trees(), BL::logp_model(),
       BL::logp_broadcasts(), BL::logp_optimal()},
      {"Formulas that are pictures on the slides and are not in its text: the k-ary and k-nomial "
       "times, the simple lower bound, the pipelined tree's time and its best z, the bounds of "
       "P(t).",
       "\"s_1/2 is in the order of kilobytes on real systems\", and what is said of real networks, "
       "offloading and multicores: about hardware.",
       "\"A closed solution is an interesting open problem\"; open problems, and announcements."}};
}

}  // namespace ledger
