// MSCCL XML, as the runtimes msccl (NCCL) and msccl-executor-nccl (azure) read it and msccl-tools
// writes it: <algo> holds a <gpu> for each rank, that a <tb> for each threadblock, that a <step>
// for each instruction.
//
// The runtimes read the attributes and elements that they need and ignore the others; so does this
// reader, with a note. Required ones must be present, and every reference must have a target.
// Well-formed programs that do not work are left to the checks of programs.

#include "format/msccl/reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <set>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/encoding.hpp"
#include "core/input_text.hpp"
#include "core/printable.hpp"
#include "format/msccl/notes.hpp"
#include "format/msccl/problem.hpp"
#include "format/msccl/xml.hpp"
#include "program/limits.hpp"
#include "program/msccl_words.hpp"
#include "schedcc/program.hpp"

namespace schedcc {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
/// Chunks of instructions with more of them than the format allows.
constexpr std::uint64_t max_unusual = std::uint64_t{1} << 20;

class MscclReader : public XmlHandler {
 public:
  explicit MscclReader(const std::string& file) : file_(file) {}

  void begin(const XmlElement& element) override {
    static constexpr std::array<std::string_view, 4> names{"algo", "gpu", "tb", "step"};
    if (ignored_ > 0) {
      ++ignored_;
      return;
    }
    if (depth_ == names.size() || element.name() != names[depth_]) {
      const std::string within =
          depth_ == 0 ? "here; a program is an <algo>" : fmt::format("in <{}>", names[depth_ - 1]);
      if (depth_ == 0 || depth_ == names.size()) {  // the runtimes' parsers fail as well
        element.fail(fmt::format("there is no <{}> {}", printable(element.name()), within));
      }
      notes_.element(element, within);
      ++ignored_;
      return;
    }
    switch (depth_++) {
      case 0:
        return algo(element);
      case 1:
        return gpu(element);
      case 2:
        return block(element);
      default:
        return step(element);
    }
  }

  void end(std::string_view) override {
    if (ignored_ > 0) {
      --ignored_;
      return;
    }
    if (--depth_ == 1) end_gpu();
    if (depth_ == 0) end_algo();
  }

  void unusual(const SourceLocation& location, std::string_view what) override {
    notes_.form(location, what);
  }

  void further(const SourceLocation& location) override { notes_.further(location); }

  std::shared_ptr<const Program> take() { return std::make_shared<Program>(std::move(program_)); }
  std::vector<Note> notes() { return notes_.take(); }

 private:
  void algo(const XmlElement& e) {
    notes_.attributes(e,
                      {"name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll", "inplace",
                       "outofplace", "minBytes", "maxBytes", "nthreads"},
                      {"name", "outofplace", "minBytes", "maxBytes", "nthreads"});
    if (e.has("name")) {
      program_.name = e.text("name");
    } else {
      notes_.no_name(e);
    }
    program_.protocol = e.choice("proto", protocol_words);
    program_.channels = static_cast<std::uint32_t>(e.number("nchannels", 0, most));
    program_.chunks_per_loop = static_cast<std::uint32_t>(e.number("nchunksperloop", 1, most));
    program_.problem.ranks = static_cast<Rank>(e.number("ngpus", 1, most));
    const MscclCollective coll = e.choice("coll", collective_words);
    program_.problem.collective = coll.collective;
    const bool both = e.has("outofplace");
    program_.dialect = coll.dialect.value_or(both ? MscclDialect::azure : MscclDialect::msccl);
    program_.in_place = e.number("inplace", 0, 1) == 1;
    program_.out_of_place = both ? e.number("outofplace", 0, 1) == 1 : !program_.in_place;
    if (!program_.in_place && !program_.out_of_place) {
      e.fail("outofplace", "the program serves calls neither in place nor out of place");
    }
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    const std::int64_t min_bytes = e.has("minBytes") ? e.number("minBytes", 0, all) : 0;
    const std::int64_t max_bytes = e.has("maxBytes") ? e.number("maxBytes", 0, all) : 0;
    if (max_bytes != 0 && min_bytes > max_bytes) {
      e.fail("maxBytes", "'maxBytes' is less than 'minBytes'");
    }
    program_.max_bytes = static_cast<std::uint64_t>(max_bytes);
    if (e.has("nthreads")) e.number("nthreads", 0, most);
    location_ = e.location();
    program_.line = location_.line;
    program_.column = location_.column;
    const SourceLocation channels = e.location_of("nchannels");
    program_.channels_line = channels.line;
    program_.channels_column = channels.column;
  }

  void gpu(const XmlElement& e) {
    notes_.attributes(e, {"id", "i_chunks", "o_chunks", "s_chunks"});
    const auto id = static_cast<Rank>(e.number("id", 0, program_.problem.ranks - 1));
    if (!gpu_ids_.insert(id).second) e.fail("id", fmt::format("duplicate GPU {}", id));
    gpus_.emplace_back();
    gpus_.back().first = id;
    Gpu& gpu = gpus_.back().second;
    gpu.input = static_cast<std::uint32_t>(e.number("i_chunks", 0, most));
    gpu.output = static_cast<std::uint32_t>(e.number("o_chunks", 0, most));
    gpu.scratch = static_cast<std::uint32_t>(e.number("s_chunks", 0, most));
    gpu.line = e.location().line;
    gpu.column = e.location().column;
    blocks_.clear();
    block_ids_.clear();
  }

  void block(const XmlElement& e) {
    notes_.attributes(e, {"id", "send", "recv", "chan"});
    const auto id = static_cast<std::uint32_t>(e.number("id", 0, most));
    if (!block_ids_.insert(id).second) e.fail("id", fmt::format("duplicate threadblock {}", id));
    Threadblock block;
    block.send = peer(e, "send");
    block.recv = peer(e, "recv");
    if (program_.channels == 0) e.fail("chan", "the program has no channels ('nchannels' is 0)");
    block.no_channel = block.send < 0 && block.recv < 0 && e.text("chan") == "-1";
    if (!block.no_channel)
      block.channel = static_cast<std::uint32_t>(e.number("chan", 0, program_.channels - 1));
    block.line = e.location().line;
    block.column = e.location().column;
    blocks_.emplace_back(id, std::move(block));
  }

  std::int32_t peer(const XmlElement& e, std::string_view attribute) const {
    const std::int64_t peer = e.number(attribute, -1, program_.problem.ranks - 1);
    if (peer == gpus_.back().first) {
      e.fail(attribute, fmt::format("GPU {} cannot send to or receive from itself", peer));
    }
    return static_cast<std::int32_t>(peer);
  }

  void step(const XmlElement& e) {
    notes_.attributes(
        e, {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep"});
    Threadblock& block = blocks_.back().second;
    const std::size_t number = block.steps.size();
    const std::size_t highest = std::max<std::size_t>(number, program::runtimes.front().steps - 1);
    if (e.number("s", 0, static_cast<std::int64_t>(highest)) != static_cast<std::int64_t>(number)) {
      notes_.step_number(e, number);
    }
    Instruction step;
    step.op = e.choice("type", op_words);
    step.src = slot(e, "srcbuf", "srcoff");
    step.dst = slot(e, "dstbuf", "dstoff");
    step.count = static_cast<std::uint32_t>(e.number("cnt", step.op == Op::nop ? 0 : 1, most));
    follow(e, step.count);
    step.block = static_cast<std::int32_t>(e.number("depid", -1, most));
    step.step = static_cast<std::int32_t>(e.number("deps", -1, most));
    if (step.block >= 0 && step.step < 0) {
      e.fail("deps", "'depid' names a threadblock, but 'deps' names no step of it");
    }
    if (step.block < 0 && step.step >= 0) {
      notes_.no_block(e);
      step.step = -1;
    }
    step.awaited = e.number("hasdep", 0, 1) == 1;
    step.line = e.location().line;
    step.column = e.location().column;
    check_places(e, step, block);
    block.steps.push_back(step);
  }

  static Slot slot(const XmlElement& e, std::string_view buffer, std::string_view offset) {
    return {e.choice(buffer, buffer_words), static_cast<std::int32_t>(e.number(offset, -1, most))};
  }

  /// Chunks are followed one by one: the memory for a file must be proportional to its length.
  void follow(const XmlElement& e, std::uint32_t count) {
    if (count <= program::limits::count) return;
    unusual_ += count;
    if (unusual_ <= max_unusual) return;
    e.fail("cnt",
           fmt::format("too many chunks: counts above {} are supported only up to {} chunks in all",
                       program::limits::count, max_unusual));
  }

  void check_places(const XmlElement& e, const Instruction& step, const Threadblock& block) const {
    const OpEffects effect = effects(step.op);
    if (effect.sends && block.send < 0) e.fail("type", "this threadblock has no GPU to send to");
    if (effect.receives && block.recv < 0) {
      e.fail("type", "this threadblock has no GPU to receive from");
    }
    if (effect.reads_src) check_place(e, "srcoff", step.src, step.count);
    if (effect.reads_dst || effect.writes_dst) check_place(e, "dstoff", step.dst, step.count);
  }

  void check_place(const XmlElement& e, std::string_view attribute, Slot slot,
                   std::uint32_t count) const {
    const Gpu& gpu = gpus_.back().second;
    const std::uint32_t size = slot.buffer == BufferKind::input    ? gpu.input
                               : slot.buffer == BufferKind::output ? gpu.output
                                                                   : gpu.scratch;
    if (slot.offset >= 0 && std::int64_t{slot.offset} + count <= size) return;
    const Slot last{slot.buffer, slot.offset + static_cast<std::int32_t>(count) - 1};
    e.fail(attribute, fmt::format("there is no {}: the buffer has {}",
                                  to_text(slot.offset < 0 ? slot : last), counted(size, "chunk")));
  }

  [[noreturn]] void fail(std::uint32_t line, std::uint32_t column,
                         const std::string& message) const {
    throw InputError({file_, line, column}, message);
  }

  /// Numbered threadblocks are in their order.
  template <typename Id, typename T>
  static void sort(std::vector<std::pair<Id, T>>& numbered) {
    std::ranges::stable_sort(numbered, {}, &std::pair<Id, T>::first);
  }

  void end_gpu() {
    Gpu& gpu = gpus_.back().second;
    sort(blocks_);
    for (auto& [id, block] : blocks_) {
      if (id != gpu.blocks.size()) {
        fail(block.line, block.column,
             fmt::format("threadblocks are numbered from 0: {} exists, and {} does not", id,
                         gpu.blocks.size()));
      }
      gpu.blocks.push_back(std::move(block));
    }
    blocks_.clear();
    for (const Threadblock& block : gpu.blocks) {
      for (const Instruction& step : block.steps) check_dependency(gpu, step);
    }
  }

  void check_dependency(const Gpu& gpu, const Instruction& step) const {
    if (step.block < 0) return;
    const auto block = static_cast<std::size_t>(step.block);
    if (block >= gpu.blocks.size()) {
      fail(
          step.line, step.column,
          fmt::format("this waits for threadblock {}, but there are {}", block, gpu.blocks.size()));
    }
    const std::size_t steps = gpu.blocks[block].steps.size();
    if (static_cast<std::size_t>(step.step) >= steps) {
      fail(step.line, step.column,
           fmt::format("this waits for step {} of threadblock {}, which has {}", step.step, block,
                       steps));
    }
  }

  void end_algo() {
    if (gpus_.size() != program_.problem.ranks) {
      fail(location_.line, location_.column,
           fmt::format("'ngpus' is {}, but there are {}", program_.problem.ranks, gpus_.size()));
    }
    sort(gpus_);
    for (auto& [id, gpu] : gpus_) program_.gpus.push_back(std::move(gpu));
    program_.mismatch = unequal_blocks(program_);
    if (!program_.mismatch.empty()) program_.problem.collective = Collective::custom;
    find_problem(program_, file_);
  }

  const std::string& file_;
  Program program_;
  MscclNotes notes_;
  SourceLocation location_;  ///< of <algo>
  std::size_t depth_ = 0;
  std::uint64_t ignored_ = 0;  ///< elements that are open and ignored
  std::uint64_t unusual_ = 0;  ///< chunks of instructions with too many
  std::vector<std::pair<Rank, Gpu>> gpus_;
  std::vector<std::pair<std::uint32_t, Threadblock>> blocks_;  ///< of the GPU being read
  std::set<std::uint32_t> gpu_ids_, block_ids_;
};

}  // namespace

Source read_msccl(const InputText& text, const std::string& file) {
  MscclReader reader(file);
  read_xml(text.view(), file, reader);
  Source source = program_source(reader.take(), file);
  source.notes = reader.notes();
  return source;
}

}  // namespace schedcc
