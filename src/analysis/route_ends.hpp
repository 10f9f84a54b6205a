#pragma once

// A step of hops as seen by the ranks at the ends of the routes.

#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// At endpoint level only the source and the destination of a transfer are affected: a node on the
/// route does not hold the chunks in transit. So a step of lowered hops is split into the transfers
/// that leave their sources in it and those that reach their destinations in it. A step that was
/// not lowered is both.
class RouteEnds {
 public:
  /// The results stay valid until the next call, and as long as the step does.
  void read(const Step& step);

  /// The transfers whose first hop is in the step. Their origins, if there are any, say how many
  /// hops they take.
  const Step& sent() const { return sent_.step; }
  /// The transfers whose last hop is in the step.
  const Step& received() const { return received_.step; }

 private:
  struct Side {
    Step step;
    Transfers transfers = {};
    std::vector<Origin> origins = {};
    void add(const Transfer& hop, const Origin& origin);
    void finish(const Step& hops);
  };
  Side sent_, received_;
};

}  // namespace schedcc
