// LogP's rule on ports: spacing of sends, spacing of receives, and one call at a time.
//
// At most ceil(L/g) messages may be in flight, [t+o, t+o+L), from any rank and to any rank. That
// needs no check of its own: sends of a rank start at least g apart, so that of more than ceil(L/g)
// of them the first and the last are at least g ceil(L/g) >= L apart, and their flights of length L
// do not meet; the same holds for receives, whose flights end g apart. So the capacity is exceeded
// only where the spacing, which is reported, is violated already.

#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "check/ports.hpp"

namespace schedcc {

namespace {

class LogPPorts : public PortsCheck {
 public:
  using PortsCheck::PortsCheck;

  void step(const StepView& view) override {
    check_widths(view);
    // Receives begin o + L after their sends, in the same order; when the sends of cycle t are
    // checked, every receive that begins before t + o is known.
    for (const Message& m : view.digest.messages()) receive(view.step, m);
    for (const Message& m : view.digest.messages()) send(view.step, m);
  }

 private:
  /// A call of a rank: [start, start + o).
  struct Call {
    std::uint64_t start;
    Rank peer;
  };
  struct Port {
    std::optional<Call> last_send, last_receive;
    std::vector<Call> receives;  ///< those that a later send may overlap, by start
  };

  void receive(const Step& step, const Message& m) {
    Port& port = ports_[m.dst];
    const Call call{step.number + model_.receive_delay(), m.src};
    check_spacing(step, m, m.dst, port.last_receive, call, false);
    port.receives.push_back(call);
  }

  void send(const Step& step, const Message& m) {
    Port& port = ports_[m.src];
    const Call call{step.number, m.dst};
    check_spacing(step, m, m.src, port.last_send, call, true);
    std::erase_if(port.receives, [&](const Call& r) { return r.start + model_.o <= call.start; });
    if (port.receives.empty() || port.receives.front().start >= call.start + model_.o) return;
    report(step, m, m.src, overlap(m.src, call, port.receives.front()));
  }

  /// The later of two calls that overlap, and the earlier one.
  static std::string overlap(Rank rank, const Call& send, const Call& receive) {
    if (receive.start > send.start) {
      return fmt::format(
          "rank {} starts to receive from rank {} in cycle {}, before its send to rank {} that "
          "started in cycle {} has ended",
          rank, receive.peer, receive.start, send.peer, send.start);
    }
    return fmt::format(
        "rank {} starts to send to rank {} in cycle {}, before its receive from rank {} that "
        "started in cycle {} has ended",
        rank, send.peer, send.start, receive.peer, receive.start);
  }

  /// `last` is the call of the same kind before this one, and becomes this one.
  void check_spacing(const Step& step, const Message& m, Rank rank, std::optional<Call>& last,
                     const Call& call, bool sends) {
    if (last && call.start - last->start < model_.spacing()) {
      report(step, m, rank,
             fmt::format("rank {0} starts to {1} {2} rank {3} at {4} and {2} rank {5} at {6}; {1}s "
                         "start at least {7} apart",
                         rank, sends ? "send" : "receive", sends ? "to" : "from", last->peer,
                         last->start, call.peer, call.start, model_.spacing()));
    }
    last = call;
  }

  const LogP model_ = *context.machine.timing();
  NodeArray<Port> ports_;
};

}  // namespace

std::unique_ptr<Check> make_logp_ports(const Context& context) {
  return make_check<LogPPorts>(context);
}

}  // namespace schedcc
