// A message takes a step, and so do the next ones on its connection. An instruction takes no time
// except for its messages, and begins when the previous one of its threadblock, and its dependency,
// have ended. All rules are loose except those of the messages themselves.

#include "program/program_order.hpp"

namespace schedcc::program {

namespace {

/// Both add a message to the same chunks: their order does not matter, and they may be in the same
/// step.
bool add_up(const Instruction& a, const Instruction& b) {
  const auto adds = [](const OpEffects& op) { return op.receives && op.reads_src; };
  const OpEffects first = effects(a.op), second = effects(b.op);
  return adds(first) && first.writes_dst && adds(second) && a.src == a.dst && a.src == b.src &&
         a.count == b.count;
}

}  // namespace

Timetable program_order(const Wiring& wiring, const std::vector<Event>& order) {
  using Rule = Timetable::Rule;
  Timetable table(static_cast<Timetable::Node>(2 * wiring.events()));
  std::vector<Event> last(wiring.blocks().size(), none);
  std::vector<Event> sent(wiring.connections().size(), none), received = sent;
  for (const Event e : order) {
    const std::uint32_t b = wiring.block_of(e);
    const Block& block = wiring.blocks()[b];
    const OpEffects effect = effects(wiring[e].op);
    const auto follow = [&](Event& before, Timetable::Node (*node)(Event)) {
      if (before != none) table.after(node(e), node(before), 1, Rule::loose);
      before = e;
    };
    if (last[b] != none) table.after(begin(e), end(last[b]), 0, Rule::loose);
    last[b] = e;
    if (const Event first = wiring.awaited_by(e); first != none) {
      const bool together = add_up(wiring[first], wiring[e]);
      table.after(begin(e), together ? begin(first) : end(first), 0, Rule::loose);
    }
    table.after(end(e), begin(e), effect.receives ? 1 : 0,
                effect.receives && effect.sends ? Rule::strict : Rule::loose);
    if (effect.receives) {
      table.after(begin(e), end(wiring.sender_of(e)), 0, Rule::strict);
      follow(received[block.in], begin);
    }
    if (effect.sends) follow(sent[block.out], end);
  }
  return table;
}

}  // namespace schedcc::program
