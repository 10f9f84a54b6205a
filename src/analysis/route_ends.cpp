#include "analysis/route_ends.hpp"

namespace schedcc {

void RouteEnds::Side::add(const Transfer& hop, const Origin& origin) {
  transfers.push_back(hop);
  transfers.back().src = origin.src;
  transfers.back().dst = origin.dst;
  transfers.back().reduce = origin.reduce;
  origins.push_back(origin);
}

void RouteEnds::Side::finish(const Step& hops) {
  step = hops;
  step.transfers = transfers;
  step.origins = origins;
}

void RouteEnds::read(const Step& step) {
  if (step.origins.empty()) {
    sent_.step = received_.step = step;
    return;
  }
  for (Side* side : {&sent_, &received_}) {
    side->transfers.clear();
    side->origins.clear();
  }
  for (std::size_t i = 0; i < step.transfers.size(); ++i) {
    const Transfer& hop = step.transfers[i];
    const Origin& origin = step.origins[i];
    if (hop.src == origin.src) sent_.add(hop, origin);
    if (hop.dst == origin.dst) received_.add(hop, origin);
  }
  sent_.finish(step);
  received_.finish(step);
}

}  // namespace schedcc
