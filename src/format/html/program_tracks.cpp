#include <string>

#include <fmt/core.h>

#include "format/html/tracks.hpp"
#include "format/limits.hpp"
#include "program/wiring.hpp"
#include "schedcc/error.hpp"

namespace schedcc::html {

namespace {

using program::Block;
using program::Event;
using program::none;

/// "rcs s[2] > o[0]".
std::string instruction_text(const Instruction& step) {
  std::string result(name(step.op));
  const OpEffects effect = effects(step.op);
  if (step.op != Op::nop && step.src.offset >= 0 && effect.reads_src)
    result += " " + chunks_text(step.src.buffer, step.src.offset, step.count);
  if (step.op != Op::nop && step.dst.offset >= 0 && effect.writes_dst)
    result += " > " + chunks_text(step.dst.buffer, step.dst.offset, step.count);
  return result;
}

/// A line for each peer and each dependency.
std::string instruction_detail(const Block& block, const Instruction& step) {
  const OpEffects effect = effects(step.op);
  std::string result;
  const auto add = [&](const std::string& line) { result += (result.empty() ? "" : "\n") + line; };
  if (effect.receives)
    add(fmt::format("receives from GPU {}, channel {}", block.block->recv, block.block->channel));
  if (effect.sends)
    add(fmt::format("sends to GPU {}, channel {}", block.block->send, block.block->channel));
  if (step.block >= 0) add(fmt::format("after step {} of tb {}", step.step, step.block));
  return result;
}

}  // namespace

Tracks tracks_of(const Program& program) {
  const program::Wiring wiring(program);
  if (wiring.events() > most::page_transfers) {
    throw InputError(fmt::format("a page holds at most {} instructions, and the program has {}",
                                 most::page_transfers, wiring.events()));
  }
  Tracks result{.noun = "step"};
  for (Rank gpu = 0; gpu <= program.gpus.size(); ++gpu)
    result.first_track.push_back(wiring.first_block(gpu));
  for (const Block& block : wiring.blocks())
    result.tracks.push_back({block.gpu, block.index, block.first});
  const auto link = [&](TrackLink::Kind kind, Event from, Event to) {
    result.links.push_back({kind,
                            {wiring.block_of(from), from},
                            {wiring.block_of(to), to},
                            wiring[from].src,
                            wiring[from].count});
  };
  for (Event e = 0; e < wiring.events(); ++e) {
    const Instruction& step = wiring[e];
    result.instructions.push_back({wiring.block_of(e), instruction_text(step),
                                   instruction_detail(wiring.owner(e), step), step.line});
    const bool adds = effects(step.op).receives && effects(step.op).reads_src;
    if (const Event sender = wiring.sender_of(e); sender != none)
      link(adds ? TrackLink::Kind::added : TrackLink::Kind::copied, sender, e);
    if (const Event awaited = wiring.awaited_by(e); awaited != none)
      link(TrackLink::Kind::dependency, awaited, e);
  }
  return result;
}

}  // namespace schedcc::html
