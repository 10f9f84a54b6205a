#pragma once

#include <optional>
#include <vector>

#include "check/checks.hpp"

namespace schedcc {

/// LogP's rule on ports: spacing of sends, spacing of receives, and one thing at a time.
///
/// At most ceil(L/g) messages may be in flight, [t+o, t+o+L), from any rank and to any rank. That
/// needs no check of its own: sends of a rank start at least g apart, so that of more than
/// ceil(L/g) of them the first and the last are at least g ceil(L/g) >= L apart, and their flights
/// of length L do not meet; the same holds for receives, whose flights end g apart. So the capacity
/// is exceeded only where the spacing, which is reported, is violated already.
class LogPPorts {
 public:
  explicit LogPPorts(const Context& context) : context_(context), model_(*context.machine.timing()) {}
  void step(const Step& step, const Digest& digest);

 private:
  /// A call of a rank: [start, start + o).
  struct Call {
    std::uint64_t start;
    Rank peer;
  };
  struct Port {
    std::optional<Call> last_send, last_receive;
    std::vector<Call> receives;  ///< those that a send may still meet, by start
  };

  void receive(const Step& step, const Message& m);
  void send(const Step& step, const Message& m);
  void report(const Step& step, const Message& m, Rank rank, std::string message);

  const Context context_;
  const LogP model_;
  NodeArray<Port> ports_;
};

}  // namespace schedcc
