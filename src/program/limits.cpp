// The interpreters of the runtimes do not count a nop as a step, but add its dependency to the next
// instruction, which must have one of its own. So each nop has a dependency, is followed by an
// instruction that has one, and cannot be waited for. A nop that breaks this is harmless if no step
// waits for it or for a later step. An instruction that others wait for must signal its completion.
//
// Consecutive local reductions into the same place become a chain, which is carried out as one with
// the count of the last (microsoft/msccl src/graph/topo.cc, mscclGetAlgoFromXMLAndSetAlgo;
// msccl_parser.cc of the others). A chain ends after a reduction that others wait for, and before
// one that has a dependency, another destination or another source buffer; and after the 16th
// reduction of its threadblock, counting all of them: this rule ends no later chain. The
// interpreter has room for the sources of a chain of 16 (msccl_interpreter.h, srcs), and Simple
// makes the destination one of 16 sources that are added (prims_simple.h, MSCCLgenericOp): in a
// chain of 16 it would omit the destination.

#include "program/limits.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "core/names.hpp"
#include "schedcc/error.hpp"

namespace schedcc::program {

namespace {

class LimitCheck {
 public:
  explicit LimitCheck(const Wiring& wiring)
      : wiring_(wiring),
        runtime_(find_runtime(wiring.program().runtime)),
        waited_for_(wiring.events()),
        last_waited_for_(wiring.blocks().size()) {
    for (Event e = 0; e < wiring.events(); ++e) {
      const Event first = wiring.awaited_by(e);
      if (first == none) continue;
      waited_for_[first] = true;
      Event& last = last_waited_for_[wiring.block_of(first)];
      last = std::max(last, first);
    }
  }

  std::vector<ProgramFinding> run() {
    const Program& program = wiring_.program();
    if (program.gpus.size() > limits::gpus) {
      at_program(
          fmt::format("{} GPUs; a runtime holds at most {}", program.gpus.size(), limits::gpus),
          program.line, program.column);
    }
    if (program.channels > runtime_.channels) {
      at_program(
          fmt::format("{} channels; there are at most {}", program.channels, runtime_.channels),
          program.channels_line, program.channels_column);
    }
    for (Rank gpu = 0; gpu < program.gpus.size(); ++gpu) check(gpu, program.gpus[gpu]);
    return std::move(found_);
  }

 private:
  void at_program(std::string message, std::uint32_t line, std::uint32_t column) {
    found_.push_back({"limits", {.line = line, .column = column}, std::move(message)});
  }
  void whole(std::uint32_t block, std::string message) {
    found_.push_back({"limits", wiring_.location_of(block), std::move(message)});
  }
  /// `note`: its kind, if the runtimes ignore it.
  void at(Event e, std::string message, std::string_view note = {},
          std::vector<ProgramLocation> others = {}) {
    found_.push_back({"limits", wiring_.location(e), std::move(message), note, std::move(others)});
  }

  void check(Rank gpu, const Gpu& memory) {
    const std::uint32_t first = wiring_.first_block(gpu), end = wiring_.first_block(gpu + 1);
    if (first == end) return;
    if (end - first > runtime_.blocks) {
      whole(first + runtime_.blocks,
            fmt::format("GPU {} has {} threadblocks; their ids are below {}", gpu, end - first,
                        runtime_.blocks));
    }
    for (const auto& [size, buffer] :
         {std::pair(memory.input, "input"), std::pair(memory.output, "output"),
          std::pair(memory.scratch, "scratch")}) {
      if (size > limits::offset + 1) {
        whole(first, fmt::format("GPU {} has {} chunks of {}; offsets are at most {}", gpu, size,
                                 buffer, limits::offset));
      }
    }
    std::uint64_t elements = 1 + wiring_.program().gpus.size() + (end - first);
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> peers;
    for (std::uint32_t b = first; b < end; ++b) {
      const Threadblock& block = *wiring_.blocks()[b].block;
      elements += block.steps.size();
      if (block.no_channel) {
        whole(b,
              fmt::format("threadblock {} of GPU {} has channel -1; the loaders refuse that also "
                          "where nothing is sent or received",
                          b - first, gpu));
      } else if (block.channel >= runtime_.channels) {
        whole(b, fmt::format("channel {}; there are at most {}", block.channel, runtime_.channels));
      }
      for (const bool sends : {true, false}) {
        if ((sends ? block.send : block.recv) < 0) continue;
        if (++peers[{block.channel, sends}] == limits::peers + 1) {
          whole(b, fmt::format("more than {} threadblocks of GPU {} {} on channel {}",
                               limits::peers, gpu, sends ? "send" : "receive", block.channel));
        }
      }
      check(wiring_.blocks()[b]);
    }
    if (elements > limits::elements) {
      whole(first, fmt::format("GPU {} keeps {} elements of the file; a runtime holds at most {}",
                               gpu, elements, limits::elements));
    }
  }

  void check(const Block& block) {
    const auto& steps = block.block->steps;
    if (steps.size() > runtime_.steps) {
      at(block.first + runtime_.steps,
         fmt::format("threadblock {} of GPU {} has {} steps; there are at most {}", block.index,
                     block.gpu, steps.size(), runtime_.steps));
    }
    Event next = block.first;  // the next step that is not a nop
    for (Event e = block.first; e < block.end(); ++e) {
      const Instruction& step = wiring_[e];
      if (step.count > limits::count) {
        at(e, fmt::format("{} moves {} chunks; there are at most {}", wiring_.describe(e),
                          step.count, limits::count));
      }
      if (next <= e) next = e + 1;
      while (next < block.end() && wiring_[next].op == Op::nop) ++next;
      if (step.op == Op::nop) check_nop(e, next, block.end());
      if (const Event first = wiring_.awaited_by(e); first != none && !wiring_[first].awaited) {
        at(e,
           fmt::format("{} waits for {}, which does not signal its completion (hasdep is 0)",
                       wiring_.describe(e), wiring_.describe(first)),
           {}, {wiring_.location(first)});
      }
    }
    check_chains(block);
  }

  /// Chains of local reductions, as the runtimes make them of a threadblock.
  void check_chains(const Block& block) {
    const bool simple = wiring_.program().protocol == "Simple";
    const std::uint32_t most = limits::reductions - (simple ? 1 : 0);
    const Instruction* last = nullptr;  // of the chain that the next reduction may continue
    std::uint32_t length = 0, reductions = 0;
    for (Event e = block.first; e < block.end(); ++e) {
      const Instruction& step = wiring_[e];
      if (step.op == Op::nop) continue;
      if (step.op != Op::reduce) {
        last = nullptr;
        continue;
      }
      const bool continues = last != nullptr && continues_chain(*last, step);
      length = continues ? length + 1 : 1;
      ++reductions;
      if (continues && last->count != step.count) {
        at(e, fmt::format("{} is fused with the previous step, whose count differs",
                          wiring_.describe(e)));
      }
      if (length == most + 1) {
        at(e, fmt::format("{} is reduction {} of a chain that the runtimes fuse, at most {}{}; a "
                          "dependency between two of them ends the chain",
                          wiring_.describe(e), length, most, simple ? " under Simple" : ""));
      }
      last = step.awaited || reductions == limits::reductions ? nullptr : &step;
    }
  }

  /// `next`: the first step after the nop that is not a nop, or `end`.
  void check_nop(Event e, Event next, Event end) {
    const Instruction& nop = wiring_[e];
    const auto at_nop = [&](std::string_view message, std::string_view note = {}) {
      at(e, fmt::format("{} is a nop{}", wiring_.describe(e), message), note);
    };
    if (nop.block < 0 && last_waited_for_[wiring_.block_of(e)] > e) {
      at_nop(" without a dependency, which shifts the runtime's numbering of steps");
    } else if (nop.block < 0) {
      at_nop(" without a dependency; no later step is waited for", "nop without a dependency");
    } else if (next == end) {
      at_nop(" without a later step, which the runtimes ignore", "nop at the end");
    } else if (wiring_[next].block < 0) {
      at_nop(" whose next step has no dependency, which the runtimes require");
    }
    if (!nop.awaited) return;
    if (waited_for_[e]) {
      at_nop(", which other steps cannot depend on");
    } else {
      at_nop(", which never signals its completion", "nop with hasdep");
    }
  }

  static bool continues_chain(const Instruction& last, const Instruction& next) {
    return next.block < 0 && last.dst == next.dst && last.src.buffer == next.src.buffer;
  }

  const Wiring& wiring_;
  const Runtime& runtime_;
  std::vector<bool> waited_for_;        ///< by event
  std::vector<Event> last_waited_for_;  ///< by block: an event; 0 if there is none
  std::vector<ProgramFinding> found_;
};

}  // namespace

const Runtime& find_runtime(std::string_view name) {
  const auto found = std::ranges::find(runtimes, name, &Runtime::name);
  if (found != runtimes.end()) return *found;
  std::vector<std::string_view> names;
  names.reserve(std::size(runtimes));
  for (const Runtime& runtime : runtimes) names.push_back(runtime.name);
  throw InputError(unknown("runtime", name, names));
}

std::vector<ProgramFinding> beyond_limits(const Wiring& wiring) { return LimitCheck(wiring).run(); }

}  // namespace schedcc::program
