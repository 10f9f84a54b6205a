#pragma once

// The operations of a threadblock in the JSON of a plan.

#include <cstddef>
#include <string>
#include <vector>

#include "format/mscclpp/json.hpp"
#include "schedcc/plan.hpp"

namespace schedcc {

/// Appends operations to a list. Pipelines precede the operations in them.
class PlanStepReader {
 public:
  /// The arguments outlive it.
  PlanStepReader(PlanJson& json, const std::string& file, std::vector<PlanStep>& steps)
      : json_(json), file_(file), steps_(steps) {}

  /// The value of the field 'ops' of a threadblock.
  const JsonSchema& schema() const { return all_; }

 private:
  using enum JsonSchema::Presence;

  /// An operand as it is read.
  struct Operand {
    PlanRange range;
    int named = 0;  ///< how many of the three ways to name a buffer
  };

  void begin_step(bool inner);
  void end_step();
  /// A pipeline precedes its body, and may have fields after it.
  void begin_body();
  void end_body();
  void end_operand(std::vector<PlanRange>& to);

  PlanJson& json_;
  const std::string& file_;
  std::vector<PlanStep>& steps_;
  PlanStep step_, pipeline_;
  Operand operand_;
  std::string word_, pipeline_word_;
  std::size_t body_at_ = 0;
  bool inner_ = false, has_body_ = false;

  // The form of the text, from the inside out.
  const JsonSchema operand_type_ = PlanJson::text("'type'", [this](std::string& word) {
    operand_.range.buffer = json_.buffer(word);
    ++operand_.named;
  });
  JsonSchema operand_id(std::string_view what, PlanRange::Where where) {
    return PlanJson::number(what, [this, where](std::uint64_t n) {
      operand_.range.where = where;
      operand_.range.id = static_cast<std::uint32_t>(n);
      ++operand_.named;
    });
  }
  const JsonSchema buffer_id_ = operand_id("'buffer_id'", PlanRange::Where::remote);
  const JsonSchema switch_id_ = operand_id("'switch_channel_id'", PlanRange::Where::multicast);
  const JsonSchema operand_index_ = PlanJson::number("'index'", operand_.range.index);
  const JsonSchema operand_size_ = PlanJson::number("'size'", operand_.range.size);
  JsonSchema operand(std::vector<PlanRange>& to) {
    return json_.object(
        "an operand",
        {{"type", &operand_type_, optional},
         {"buffer_id", &buffer_id_, optional},
         {"switch_channel_id", &switch_id_, optional},
         {"index", &operand_index_},
         {"size", &operand_size_}},
        [this] { operand_ = {}; }, [this, &to] { end_operand(to); });
  }
  const JsonSchema source_ = operand(step_.src);
  const JsonSchema destination_ = operand(step_.dst);
  const JsonSchema sources_ = PlanJson::list("'src_buff'", source_);
  const JsonSchema destinations_ = PlanJson::list("'dst_buff'", destination_);

  const JsonSchema word_schema_ = PlanJson::text("'name'", word_);
  const JsonSchema step_kind_ = PlanJson::text(
      "'channel_type'", [this](std::string& word) { step_.channel = json_.kind(word); });
  const JsonSchema step_channels_ = json_.numbers("'channel_ids'", step_.channels);
  const JsonSchema step_semaphores_ = json_.numbers("'semaphore_ids'", step_.semaphores);
  const JsonSchema barrier_ = PlanJson::number("'barrier_id'", step_.barrier);
  const JsonSchema threadblock_count_ = PlanJson::number("'num_threadblocks'", step_.threadblocks);
  const JsonSchema reduce_op_ =
      PlanJson::text("'reduce_op'", [this](std::string& word) { step_.sums = word == "sum"; });
  const JsonSchema part_ = PlanJson::number("'tb_id'", step_.part);
  const JsonSchema parts_ = PlanJson::number("'tbg_size'", step_.parts);
  const JsonSchema group_ = json_.object("'tbg_info'", {{"tb_id", &part_}, {"tbg_size", &parts_}});
  const JsonSchema unit_ = PlanJson::number("'unit_size'", step_.unit, UINT32_MAX);
  const JsonSchema unit_chunks_ = PlanJson::number("'num_chunks'", step_.chunks);
  const JsonSchema iteration_ =
      json_.object("'iter_context'", {{"unit_size", &unit_}, {"num_chunks", &unit_chunks_}});
  std::vector<JsonSchema::Field> step_fields() {
    return {{"name", &word_schema_},
            {"channel_type", &step_kind_, optional},
            {"channel_ids", &step_channels_, optional},
            {"src_buff", &sources_, optional},
            {"dst_buff", &destinations_, optional},
            {"tbg_info", &group_, optional},
            {"barrier_id", &barrier_, optional},
            {"num_threadblocks", &threadblock_count_, optional},
            {"semaphore_ids", &step_semaphores_, optional},
            {"reduce_op", &reduce_op_, optional}};
  }
  const JsonSchema inner_step_ = json_.object(
      "an operation", step_fields(), [this] { begin_step(true); }, [this] { end_step(); });
  const JsonSchema body_ = PlanJson::list(
      "'ops' of a pipeline", inner_step_, [this] { begin_body(); }, [this] { end_body(); });
  std::vector<JsonSchema::Field> outer_fields() {
    std::vector<JsonSchema::Field> fields = step_fields();
    fields.push_back({"iter_context", &iteration_, optional});
    fields.push_back({"ops", &body_, optional});
    return fields;
  }
  const JsonSchema step_schema_ = json_.object(
      "an operation", outer_fields(), [this] { begin_step(false); }, [this] { end_step(); });
  const JsonSchema all_ = PlanJson::list("'ops'", step_schema_);
};

}  // namespace schedcc
