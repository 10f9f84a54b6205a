#include "check/logp_ports.hpp"

#include <fmt/core.h>

namespace schedcc {

void LogPPorts::step(const Step& step, const Digest& digest) {
  // Receives begin o + L after their sends, in the same order; when the sends of cycle t are looked
  // at, every receive that begins before t + o is known.
  for (const Message& m : digest.messages()) receive(step, m);
  for (const Message& m : digest.messages()) send(step, m);
}

void LogPPorts::receive(const Step& step, const Message& m) {
  Port& port = ports_[m.dst];
  const Call call{step.number + model_.receive_delay(), m.src};
  if (port.last_receive && call.start - port.last_receive->start < model_.spacing()) {
    report(
        step, m, m.dst,
        fmt::format("rank {} starts to receive from rank {} at {} and from rank {} at {}; receives "
                    "start at least {} apart",
                    m.dst, port.last_receive->peer, port.last_receive->start, m.src, call.start,
                    model_.spacing()));
  }
  port.last_receive = call;
  port.receives.push_back(call);
}

void LogPPorts::send(const Step& step, const Message& m) {
  Port& port = ports_[m.src];
  const Call call{step.number, m.dst};
  if (port.last_send && call.start - port.last_send->start < model_.spacing()) {
    report(
        step, m, m.src,
        fmt::format("rank {} starts to send to rank {} at {} and to rank {} at {}; sends start at "
                    "least {} apart",
                    m.src, port.last_send->peer, port.last_send->start, m.dst, call.start,
                    model_.spacing()));
  }
  port.last_send = call;
  std::erase_if(port.receives, [&](const Call& r) { return r.start + model_.o <= call.start; });
  if (!port.receives.empty() && port.receives.front().start < call.start + model_.o) {
    report(step, m, m.src,
           fmt::format(
               "rank {} sends to rank {} from {} on, while it receives from rank {} from {} on",
               m.src, m.dst, call.start, port.receives.front().peer, port.receives.front().start));
  }
}

void LogPPorts::report(const Step& step, const Message& m, Rank rank, std::string message) {
  context_.reporter.error("ports", [&] {
    Finding finding = about(locate(step, m.first), 0, std::move(message));
    finding.chunk.reset();
    finding.rank = rank;
    return finding;
  });
}

}  // namespace schedcc
