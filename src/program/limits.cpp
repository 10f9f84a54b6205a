// The interpreters of the runtimes count steps so: a nop is no step of theirs, but adds what it
// waits for to the next instruction, which must wait for something itself. So each nop has a
// dependency, is followed by an instruction that has one, and cannot be waited for. An instruction
// that others wait for must say when it is done. Local reductions into the same place, one behind
// the other, are carried out as one, with the count of the last.

#include "program/limits.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace schedcc::program {

namespace {

class Examiner {
 public:
  explicit Examiner(const Wiring& wiring) : wiring_(wiring) {}

  std::vector<Misfit> run() {
    const Program& program = wiring_.program();
    if (program.gpus.size() > limits::gpus) {
      at_program(
          fmt::format("{} GPUs; a runtime holds at most {}", program.gpus.size(), limits::gpus),
          program.line, program.column);
    }
    if (program.channels > limits::channels) {
      at_program(
          fmt::format("{} channels; there are at most {}", program.channels, limits::channels),
          program.channels_line, program.channels_column);
    }
    for (Rank gpu = 0; gpu < program.gpus.size(); ++gpu) examine(gpu, program.gpus[gpu]);
    return std::move(found_);
  }

 private:
  void at_program(std::string message, std::uint32_t line, std::uint32_t column) {
    found_.push_back({.message = std::move(message), .line = line, .column = column});
  }
  void whole(std::uint32_t block, std::string message) {
    found_.push_back({.block = block, .message = std::move(message)});
  }
  void at(Event e, std::string message) {
    found_.push_back({.event = e, .block = wiring_.block_of(e), .message = std::move(message)});
  }

  void examine(Rank gpu, const Gpu& memory) {
    const std::uint32_t first = wiring_.first_block(gpu), end = wiring_.first_block(gpu + 1);
    if (first == end) return;
    if (end - first > limits::blocks) {
      whole(first + limits::blocks,
            fmt::format("GPU {} has {} threadblocks; their ids are below {}", gpu, end - first,
                        limits::blocks));
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
      if (block.channel >= limits::channels) {
        whole(b, fmt::format("channel {}; there are at most {}", block.channel, limits::channels));
      }
      for (const bool sends : {true, false}) {
        if ((sends ? block.send : block.recv) < 0) continue;
        if (++peers[{block.channel, sends}] == limits::peers + 1) {
          whole(b, fmt::format("more than {} threadblocks of GPU {} {} on channel {}",
                               limits::peers, gpu, sends ? "send" : "receive", block.channel));
        }
      }
      examine(wiring_.blocks()[b]);
    }
    if (elements > limits::elements) {
      whole(first, fmt::format("GPU {} keeps {} elements of the file; a runtime holds at most {}",
                               gpu, elements, limits::elements));
    }
  }

  void examine(const Block& block) {
    const auto& steps = block.block->steps;
    if (steps.size() > limits::steps) {
      at(block.first + limits::steps,
         fmt::format("threadblock {} of GPU {} has {} steps; there are at most {}", block.index,
                     block.gpu, steps.size(), limits::steps));
    }
    for (Event e = block.first; e < block.end(); ++e) {
      const Instruction& step = wiring_[e];
      const Instruction* next = e + 1 < block.end() ? &wiring_[e + 1] : nullptr;
      if (step.count > limits::count) {
        at(e, fmt::format("{} moves {} chunks; there are at most {}", wiring_.describe(e),
                          step.count, limits::count));
      }
      if (step.op == Op::nop) examine_nop(e, step, next);
      if (const Event first = wiring_.awaited_by(e); first != none && !wiring_[first].awaited) {
        at(e, fmt::format("{} waits for {}, which does not say when it is done (hasdep is 0)",
                          wiring_.describe(e), wiring_.describe(first)));
      }
      if (next != nullptr && fused(step, *next) && step.count != next->count) {
        at(e + 1, fmt::format("{} is carried out together with the step before it, which has "
                              "another count",
                              wiring_.describe(e + 1)));
      }
    }
  }

  void examine_nop(Event e, const Instruction& nop, const Instruction* next) {
    if (nop.block < 0) {
      at(e, fmt::format("{} is a nop that waits for nothing, which upsets how steps are counted",
                        wiring_.describe(e)));
    } else if (next == nullptr || next->block < 0) {
      at(e, fmt::format("{} is a nop whose next step waits for nothing, as it must",
                        wiring_.describe(e)));
    }
    if (nop.awaited) {
      at(e, fmt::format("{} is a nop, and nothing can wait for it", wiring_.describe(e)));
    }
  }

  static bool fused(const Instruction& step, const Instruction& next) {
    return step.op == Op::reduce && next.op == Op::reduce && !step.awaited && next.block < 0 &&
           step.dst == next.dst && step.src.buffer == next.src.buffer;
  }

  const Wiring& wiring_;
  std::vector<Misfit> found_;
};

}  // namespace

std::vector<Misfit> beyond_limits(const Wiring& wiring) { return Examiner(wiring).run(); }

}  // namespace schedcc::program
