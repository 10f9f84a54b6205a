// MSCCL XML: the schedule as a program for GPUs; program/lower.cpp makes it. Both runtimes read
// this form: one line an element, single spaces between attributes, no declaration, no entities.

#include <algorithm>

#include <fmt/core.h>

#include "format/compiled_text.hpp"
#include "format/entry.hpp"
#include "format/msccl/reader.hpp"
#include "format/text.hpp"
#include "program/msccl_words.hpp"
#include "program/send_receive.hpp"
#include "schedcc/error.hpp"
#include "schedcc/program.hpp"

namespace schedcc {

namespace {

using program::Calls;

/// The dialect's word for the collective; empty if there is none.
std::string_view word(Collective collective, MscclDialect dialect) {
  // No dialect has a word for these.
  using enum Collective;
  if (collective == scan || collective == exscan || collective == barrier) collective = custom;
  const auto found = std::ranges::find_if(collective_words, [&](const auto& w) {
    return w.means.collective == collective && w.means.dialect.value_or(dialect) == dialect;
  });
  return found == collective_words.end() ? std::string_view() : found->word;
}

/// RCCL reads the dialect azure, with its own limits.
bool for_rccl(const Parameters& parameters) {
  return parameters.has("dialect") && parameters.text("dialect") == "rccl";
}

/// The requested dialect, else msccl if that has a word for the collective.
MscclDialect dialect(const Problem& problem, const Parameters& parameters) {
  const auto has = [&](MscclDialect d) { return !word(problem.collective, d).empty(); };
  if (!parameters.has("dialect")) {
    return has(MscclDialect::msccl) ? MscclDialect::msccl : MscclDialect::azure;
  }
  const bool azure = parameters.text("dialect") != name(MscclDialect::msccl);
  const MscclDialect asked = azure ? MscclDialect::azure : MscclDialect::msccl;
  if (!has(asked)) {
    throw InputError(fmt::format("the dialect {} of MSCCL XML has no {}; {} has",
                                 parameters.text("dialect"), info(problem.collective).name,
                                 name(azure ? MscclDialect::msccl : MscclDialect::azure)));
  }
  return asked;
}

Calls calls(const Parameters& parameters, MscclDialect dialect) {
  const std::string& text = parameters.text("place");
  if (text == "in") return Calls::in_place;
  if (text == "out") return Calls::out_of_place;
  if (dialect == MscclDialect::msccl) {
    throw InputError("in the dialect msccl a program is in place or out of place, not both");
  }
  return Calls::both;
}

/// A name that every parser accepts; the runtimes keep its first 63 characters.
std::string plain(std::string_view name) {
  constexpr std::size_t longest = 63;
  std::string result(name.substr(0, longest));
  for (char& c : result) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word && std::string_view(" _-+.,:;=()").find(c) == std::string_view::npos) c = '_';
  }
  return result;
}

class MscclWriter {
 public:
  MscclWriter(const Program& program, Output& out) : program_(program), text_(out) {}

  void write() {
    const bool azure = program_.dialect == MscclDialect::azure;
    text_.print(R"(<algo name="{}" proto="{}" nchannels="{}" nchunksperloop="{}" )"
                R"(ngpus="{}" coll="{}" inplace="{}")",
                plain(program_.name), program_.protocol, program_.channels,
                program_.chunks_per_loop, program_.gpus.size(),
                word(program_.problem.collective, program_.dialect), int{program_.in_place});
    if (azure) text_.print(R"( outofplace="{}")", int{program_.out_of_place});
    // Without these the runtimes of the dialect msccl take calls of up to 128 MiB.
    if (azure || program_.max_bytes > 0) {
      text_.print(R"( minBytes="0" maxBytes="{}")", program_.max_bytes);
    }
    text_.put(">\n");
    for (std::size_t id = 0; id < program_.gpus.size(); ++id) write(id, program_.gpus[id]);
    text_.put("</algo>\n");
    text_.flush();
  }

 private:
  void write(std::size_t id, const Gpu& gpu) {
    text_.print(R"(  <gpu id="{}" i_chunks="{}" o_chunks="{}" s_chunks="{}">)"
                "\n",
                id, gpu.input, gpu.output, gpu.scratch);
    for (std::size_t b = 0; b < gpu.blocks.size(); ++b) write(b, gpu.blocks[b]);
    text_.put("  </gpu>\n");
  }

  void write(std::size_t id, const Threadblock& block) {
    text_.print(R"(    <tb id="{}" send="{}" recv="{}" chan="{}">)"
                "\n",
                id, block.send, block.recv, block.channel);
    for (std::size_t s = 0; s < block.steps.size(); ++s) {
      const Instruction& step = block.steps[s];
      print(text_,
            FMT_COMPILE(R"(      <step s="{}" type="{}" srcbuf="{}" srcoff="{}" )"
                        R"(dstbuf="{}" dstoff="{}" cnt="{}" depid="{}" deps="{}" )"
                        R"(hasdep="{}"/>)"
                        "\n"),
            s, name(step.op), name(step.src.buffer), step.src.offset, name(step.dst.buffer),
            step.dst.offset, step.count, step.block, step.step, int{step.awaited});
    }
    text_.put("    </tb>\n");
  }

  const Program& program_;
  Text text_;
};

/// Throws InputError for problems without a program, or without a word in the dialect.
void refuse(const Source& source, const EmitOptions& options) {
  calls(options.parameters, dialect(source.problem, options.parameters));
  program::refuse(source);
}

void write_msccl(const Source& source, const EmitOptions& options, Output& out) {
  const MscclDialect words = dialect(source.problem, options.parameters);
  program::LoweringOptions lowering;
  lowering.calls = calls(options.parameters, words);
  lowering.channels = static_cast<std::uint32_t>(options.parameters.integer("channels"));
  lowering.protocol = options.parameters.text("protocol");
  if (for_rccl(options.parameters)) lowering.runtime = "rccl";
  Program program = program::lower(source, *options.machine, lowering);
  program.dialect = words;
  if (program.max_bytes > 0 && options.note) {
    options.note(
        fmt::format("the program is for calls of up to {0} bytes (maxBytes=\"{0}\"): larger calls "
                    "would deadlock with full FIFOs",
                    program.max_bytes));
  }
  MscclWriter(program, out).write();
}

}  // namespace

extern const FormatEntry msccl_format;
const FormatEntry msccl_format{
    .name = "msccl",
    .summary = "programs for GPUs, in the XML of MSCCL",
    .extensions = {".xml"},
    .parameters = {{.name = "dialect",
                    .summary = "the runtime: msccl, azure (msccl-executor-nccl), or rccl",
                    .kind = Parameter::Kind::text,
                    .choices = {"msccl", "azure", "rccl"}},
                   {.name = "place",
                    .summary = "calls: out of place, in place, or both (azure)",
                    .kind = Parameter::Kind::text,
                    .choices = {"out", "in", "both"},
                    .default_value = "out"},
                   {.name = "protocol",
                    .summary = "the protocol of NCCL",
                    .kind = Parameter::Kind::text,
                    .choices = {protocol_words[0].word, protocol_words[1].word,
                                protocol_words[2].word},
                    .default_value = "Simple"},
                   {.name = "channels",
                    .summary = "channels to spread the chunks over, at least",
                    .min = 1,
                    .max = 32,
                    .default_value = "1"}},
    .refuse = refuse,
    .write = write_msccl,
    .read = read_msccl,
    .recognises = is_msccl,
};

}  // namespace schedcc
