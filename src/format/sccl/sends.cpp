// A send of SCCL names an address and does not say whether it combines. If no contributions are
// gathered at the address it copies. Otherwise it adds to the receiver's chunk, as in msccl-tools,
// whose solver lets each contribution reach a rank once and whose back end receives into an
// occupied buffer by a reduction. So a contribution that reaches a rank that includes it already is
// counted twice, even if it is all that the rank has.
//
// One send replaces: that of the complete sum, alone in its step, to a rank that does not have all
// of it. Combining would always be wrong; and an allreduce composed of a reduce-scatter and an
// allgather has such sends in its second half. In a scan the sum is complete if it is that of the
// receiver and all ranks before it.

#include "format/sccl/sends.hpp"

#include <map>

namespace schedcc {

std::vector<ScclSends::Effect> ScclSends::step(std::span<const Transfer> sends) {
  std::vector<Effect> effects;
  std::vector<Id> arrivals;  // all sends read the state before the step
  std::map<std::pair<Rank, Chunk>, std::uint32_t> count;
  for (const Transfer& send : sends) {
    const bool gathers = problem_.reduced(send.first);
    arrivals.push_back(gathers ? held_.at(send.src, send.first) : Contributions::value);
    if (gathers) ++count[{send.dst, send.first}];
  }
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const Rank dst = sends[i].dst;
    const Chunk chunk = sends[i].first;
    if (!problem_.reduced(chunk)) {
      effects.push_back(Effect::replaces);
      continue;
    }
    Id& has = held_.at(dst, chunk);
    const bool alone = count[{dst, chunk}] == 1;
    const Id all = held_.goal(dst, chunk);
    if (alone && has == Contributions::empty) {
      effects.push_back(Effect::fills);
    } else if (alone && arrivals[i] == all && has != all) {
      effects.push_back(Effect::replaces);
    } else {
      effects.push_back(Effect::combines);
    }
    has = effects.back() == Effect::combines ? contributions_.unite(has, arrivals[i]) : arrivals[i];
  }
  return effects;
}

}  // namespace schedcc
