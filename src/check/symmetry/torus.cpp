#include "check/symmetry/torus.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/abandoned.hpp"
#include "machine/mesh.hpp"

namespace schedcc {

namespace {

class TorusLinksCheck : public Check {
 public:
  using Check::Check;

  void step(const StepView& view) override {
    std::array<std::uint64_t, 4> loads{};  // by direction
    for (const Message& m : view.digest.messages()) {
      if (m.src != 0) continue;  // the image of one that rank 0 sends
      edges_.clear();
      channels_.route(m.src, m.dst, edges_);
      for (const Channels::Run& run : edges_) loads[run.first / context.problem.ranks] += run.count;
    }
    most_ = std::max(most_, std::ranges::max(loads));
    if (!channels_.shared() && most_ > channels_.capacity(0)) throw Abandoned();
  }

  void finish(const Holdings*) override { context.report.congestion = most_; }

 private:
  const Channels& channels_ = *context.machine.channels();
  std::vector<Channels::Run> edges_;
  std::uint64_t most_ = 0;  ///< messages on an edge
};

}  // namespace

std::optional<Rank> torus_columns(const Machine& machine) {
  const Mesh* const mesh = machine.shape<Mesh>();
  if (mesh == nullptr || !mesh->torus || machine.channels() == nullptr) return std::nullopt;
  return static_cast<Rank>(mesh->columns);
}

std::unique_ptr<Check> make_torus_links(const Context& context) {
  return make_check<TorusLinksCheck>(context);
}

}  // namespace schedcc
