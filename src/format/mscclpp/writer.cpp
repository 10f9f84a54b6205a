// Execution plans of MSCCL++: the schedule as a plan; program/plan/lower.cpp makes it. All fields
// that the runtime reads are written.

#include <fmt/core.h>

#include "format/entry.hpp"
#include "format/mscclpp/reader.hpp"
#include "format/text.hpp"
#include "program/plan/lower.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class PlanWriter {
 public:
  PlanWriter(const Plan& plan, Output& out) : plan_(plan), text_(out) {}

  void write() {
    text_.print("{{\"name\": {}, \"collective\": \"{}\", \"protocol\": \"{}\",\n",
                quoted(plan_.name), plan_word(plan_.problem.collective), plan_.protocol);
    if (plan_.problem.rooted()) text_.print("\"root\": {},\n", plan_.problem.root);
    text_.print(
        "\"inplace\": {}, \"reuse_resources\": {}, \"use_double_scratch_buffer\": {},\n"
        "\"num_threads_per_block\": {}, \"buffer_alignment\": {},\n"
        "\"min_message_size\": {}, \"max_message_size\": {},\n\"gpus\": [",
        plan_.in_place, plan_.reuse, plan_.two_halves, plan_.threads, plan_.alignment,
        plan_.min_bytes, plan_.max_bytes);
    for (std::size_t id = 0; id < plan_.gpus.size(); ++id) {
      text_.put(id == 0 ? "\n" : ",\n");
      write(id, plan_.gpus[id]);
    }
    text_.put("\n]}\n");
    text_.flush();
  }

 private:
  template <typename List, typename F>
  void list(const List& items, std::string_view separator, F f) {
    std::string_view between = "";
    for (const auto& item : items) {
      text_.put(between);
      between = separator;
      f(item);
    }
  }
  template <typename List>
  void numbers(const List& items) {
    list(items, ", ", [&](std::uint32_t n) { text_.print("{}", n); });
  }

  void write(std::size_t id, const PlanGpu& gpu) {
    text_.print(
        " {{\"id\": {}, \"input_chunks\": {}, \"output_chunks\": {}, \"scratch_chunks\": {},\n"
        "  \"channels\": [",
        id, gpu.input, gpu.output, gpu.scratch);
    if (!gpu.memory.empty()) {
      text_.put(R"({"channel_type": "memory", "connected_to": [)");
      numbers(gpu.memory);
      text_.put("]}");
    }
    text_.put("],\n  \"remote_buffers\": [");
    list(gpu.remote, ", ", [&](const PlanRemoteBuffer& remote) {
      text_.print(R"({{"rank": {}, "type": "{}", "access_channel_types": ["memory"]}})",
                  remote.rank, name(remote.buffer));
    });
    text_.put("],\n  \"semaphores\": [");
    list(gpu.semaphores, ", ",
         [&](std::uint32_t value) { text_.print(R"({{"init_value": {}}})", value); });
    text_.put("],\n  \"threadblocks\": [");
    for (std::size_t b = 0; b < gpu.blocks.size(); ++b) {
      text_.put(b == 0 ? "\n" : ",\n");
      write(b, gpu.blocks[b]);
    }
    text_.put("]}");
  }

  void write(std::size_t id, const PlanThreadblock& block) {
    text_.print(R"(  {{"id": {}, "channels": [)", id);
    if (!block.memory.empty()) {
      text_.put(R"({"channel_type": "memory", "channel_ids": [)");
      numbers(block.memory);
      text_.put("]}");
    }
    text_.put("], \"remote_buffer_refs\": [");
    if (!block.memory_buffers.empty()) {
      text_.put(R"({"access_channel_type": "memory", "remote_buffer_ids": [)");
      numbers(block.memory_buffers);
      text_.put("]}");
    }
    text_.put("],\n   \"ops\": [");
    list(block.steps, ",\n", [&](const PlanStep& step) { write(step); });
    text_.put("]}");
  }

  void write(const PlanStep& step) {
    text_.print(R"({{"name": "{}")", name(step.op));
    if (step.channel != PlanChannel::none) {
      text_.print(R"(, "channel_type": "{}")", name(step.channel));
    }
    if (!step.channels.empty()) {
      text_.put(R"(, "channel_ids": [)");
      numbers(step.channels);
      text_.put("]");
    }
    if (!step.semaphores.empty()) {
      text_.put(R"(, "semaphore_ids": [)");
      numbers(step.semaphores);
      text_.put("]");
    }
    write("src_buff", step.src);
    write("dst_buff", step.dst);
    if (step.parts > 1) {
      text_.print(R"(, "tbg_info": {{"tb_id": {}, "tbg_size": {}}})", step.part, step.parts);
    }
    text_.put("}");
  }

  void write(std::string_view field, const std::vector<PlanRange>& ranges) {
    if (ranges.empty()) return;
    text_.print(R"(, "{}": [)", field);
    list(ranges, ", ", [&](const PlanRange& range) {
      if (range.where == PlanRange::Where::remote) {
        text_.print(R"({{"buffer_id": {})", range.id);
      } else {
        text_.print(R"({{"type": "{}")", name(range.buffer));
      }
      text_.print(R"(, "index": {}, "size": {}}})", range.index, range.size);
    });
    text_.put("]");
  }

  const Plan& plan_;
  Text text_;
};

program::PlanLoweringOptions lowering(const Parameters& parameters) {
  program::PlanLoweringOptions options;
  if (parameters.text("place") == "in") options.calls = program::Calls::in_place;
  options.packets = parameters.text("protocol") == "ll";
  options.lanes = static_cast<std::uint32_t>(parameters.integer("threadblocks"));
  return options;
}

void refuse(const Source& source, const EmitOptions& options) {
  program::refuse_plan(source, lowering(options.parameters));
}

void write_mscclpp(const Source& source, const EmitOptions& options, Output& out) {
  const Plan plan = program::lower_plan(source, *options.machine, lowering(options.parameters));
  PlanWriter(plan, out).write();
}

}  // namespace

extern const FormatEntry mscclpp_format;
const FormatEntry mscclpp_format{
    .name = "mscclpp",
    .summary = "programs for GPUs, as execution plans of MSCCL++",
    .extensions = {".plan.json", ".json"},
    .parameters = {{.name = "protocol",
                    .summary = "simple (put and signal) or ll (packets)",
                    .kind = Parameter::Kind::text,
                    .choices = {"simple", "ll"},
                    .default_value = "simple"},
                   {.name = "place",
                    .summary = "for calls with two buffers, or with one",
                    .kind = Parameter::Kind::text,
                    .choices = {"out", "in"},
                    .default_value = "out"},
                   {.name = "threadblocks",
                    .summary = "threadblocks that share every operation",
                    .min = 1,
                    .max = 16,
                    .default_value = "1"}},
    .refuse = refuse,
    .write = write_mscclpp,
    .read = read_mscclpp,
    .recognises = is_mscclpp,
};

}  // namespace schedcc
