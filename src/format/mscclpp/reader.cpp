// Execution plans of MSCCL++ (microsoft/mscclpp 1f5f065, execution_plan.cc), in JSON.
//
// The runtime reads the fields that it needs and ignores the others; so does this reader, with a
// note. Required fields must be present, and every reference must have a target. Plans that do not
// work are left to the checks.

#include "format/mscclpp/reader.hpp"

#include <utility>

#include <fmt/core.h>

#include "core/input_text.hpp"
#include "core/printable.hpp"
#include "format/json/reader.hpp"
#include "format/mscclpp/json.hpp"
#include "format/mscclpp/references.hpp"
#include "format/mscclpp/steps.hpp"
#include "program/plan/forms.hpp"

namespace schedcc {

namespace {

using Kind = JsonSchema::Kind;
using enum JsonSchema::Presence;
using Numbers = PlanJson::Numbers;

class PlanReader {
 public:
  PlanReader(std::string_view text, const std::string& file) : file_(file), json_(text, file) {}

  Plan read() {
    json_.read(plan_schema_);
    check_references(plan_, access_, file_);
    find_problem(plan_, file_);
    return std::move(plan_);
  }
  std::vector<Note> notes() { return json_.notes(); }

 private:
  /// A channel of a GPU or of a threadblock, as it is read.
  struct Channel {
    PlanChannel kind = PlanChannel::none;
    Numbers numbers;  ///< peers, or channels
    BufferKind buffer = BufferKind::input;
    bool has_buffer = false;
    std::vector<std::vector<Rank>> groups;
  };
  void end_block_channel() {
    switch (channel_.kind) {
      case PlanChannel::memory:
        return append(block_.memory, channel_.numbers);
      case PlanChannel::port:
        return append(block_.port, channel_.numbers);
      case PlanChannel::multicast:
        return append(block_.multicast, channel_.numbers);
      case PlanChannel::none:
        break;
    }
    json_.fail("a channel of a threadblock is memory, port or switch");
  }
  static void append(Numbers& to, const Numbers& numbers) {
    to.insert(to.end(), numbers.begin(), numbers.end());
  }

  void end_gpu_channel() {
    switch (channel_.kind) {
      case PlanChannel::memory:
        return append(gpu_.memory, channel_.numbers);
      case PlanChannel::port:
        return append(gpu_.port, channel_.numbers);
      case PlanChannel::multicast:
        if (!channel_.has_buffer) json_.fail("a switch channel needs the field 'buffer_type'");
        for (auto& ranks : channel_.groups) {
          gpu_.multicast.push_back({channel_.buffer, std::move(ranks)});
        }
        return;
      case PlanChannel::none:
        break;
    }
    json_.fail("a channel is memory, port or switch");
  }

  void end_block() {
    const std::size_t expected = gpu_.blocks.size();
    if (block_id_ != expected) {
      throw InputError(
          {file_, block_.line, block_.column},
          fmt::format("this threadblock is number {}, but has the id {}", expected, block_id_));
    }
    gpu_.blocks.push_back(std::move(block_));
  }

  void end_gpu() {
    const std::size_t expected = plan_.gpus.size();
    if (gpu_id_ != expected) {
      throw InputError({file_, gpu_.line, gpu_.column},
                       fmt::format("this GPU is number {}, but has the id {}", expected, gpu_id_));
    }
    for (const ReadRemoteBuffer& remote : remotes_) gpu_.remote.push_back(remote.buffer);
    access_.push_back(std::move(remotes_));
    remotes_.clear();
    plan_.gpus.push_back(std::move(gpu_));
  }

  const std::string& file_;
  PlanJson json_;
  Plan plan_;
  PlanGpu gpu_;
  PlanThreadblock block_;
  Channel channel_;
  RemoteBuffers remotes_;
  std::vector<RemoteBuffers> access_;  ///< by GPU
  std::uint32_t gpu_id_ = 0, block_id_ = 0, init_ = 0;

  // The form of the text, from the inside out.
  PlanStepReader steps_{json_, file_, block_.steps};
  const JsonSchema channel_kind_ = PlanJson::text(
      "'channel_type'", [this](std::string& word) { channel_.kind = json_.kind(word); });
  const JsonSchema channel_buffer_ =
      PlanJson::text("the buffer of a channel", [this](std::string& word) {
        channel_.buffer = json_.buffer(word);
        channel_.has_buffer = true;
      });
  const JsonSchema channel_numbers_ = json_.numbers("'channel_ids'", channel_.numbers);
  const JsonSchema peers_ = json_.numbers("'connected_to'", channel_.numbers);
  const JsonSchema block_channel_ = json_.object(
      "a channel of a threadblock",
      {{"channel_type", &channel_kind_},
       {"channel_ids", &channel_numbers_},
       {"buff", &channel_buffer_, optional},
       {"buffer_type", &channel_buffer_, optional}},
      [this] { channel_ = {}; }, [this] { end_block_channel(); });
  const JsonSchema block_channels_ = PlanJson::list("'channels'", block_channel_);
  const JsonSchema ref_buffers_ = json_.numbers("'remote_buffer_ids'", channel_.numbers);
  const JsonSchema block_ref_ = json_.object(
      "a remote buffer of a threadblock",
      {{"access_channel_type", &channel_kind_}, {"remote_buffer_ids", &ref_buffers_}},
      [this] { channel_ = {}; },
      [this] {
        if (channel_.kind == PlanChannel::memory) append(block_.memory_buffers, channel_.numbers);
        if (channel_.kind == PlanChannel::port) append(block_.port_buffers, channel_.numbers);
      });
  const JsonSchema block_refs_ = PlanJson::list("'remote_buffer_refs'", block_ref_);
  const JsonSchema block_id_schema_ = PlanJson::number("'id'", block_id_);
  const JsonSchema block_schema_ = json_.object(
      "a threadblock",
      {{"id", &block_id_schema_},
       {"ops", &steps_.schema()},
       {"channels", &block_channels_},
       {"remote_buffer_refs", &block_refs_, optional}},
      [this] {
        block_ = {};
        json_.here(block_);
      },
      [this] { end_block(); });
  const JsonSchema blocks_ = PlanJson::list("'threadblocks'", block_schema_);

  const JsonSchema group_size_ = PlanJson::number("'size'", nullptr, UINT64_MAX);
  const JsonSchema group_ranks_ = json_.numbers("'ranks'", [this](const Numbers& ranks) {
    channel_.groups.emplace_back(ranks.begin(), ranks.end());
  });
  const JsonSchema rank_group_ =
      json_.object("a group of ranks", {{"size", &group_size_}, {"ranks", &group_ranks_}});
  const JsonSchema rank_groups_ = PlanJson::list("'rank_groups'", rank_group_);
  const JsonSchema gpu_channel_ = json_.object(
      "a channel",
      {{"channel_type", &channel_kind_},
       {"connected_to", &peers_, optional},
       {"buffer_type", &channel_buffer_, optional},
       {"buff", &channel_buffer_, optional},
       {"rank_groups", &rank_groups_, optional}},
      [this] { channel_ = {}; }, [this] { end_gpu_channel(); });
  const JsonSchema gpu_channels_ = PlanJson::list("'channels'", gpu_channel_);
  const JsonSchema remote_rank_ = PlanJson::number(
      "'rank'", [this](std::uint64_t n) { remotes_.back().buffer.rank = static_cast<Rank>(n); });
  const JsonSchema remote_type_ = PlanJson::text(
      "'type'", [this](std::string& word) { remotes_.back().buffer.buffer = json_.buffer(word); });
  const JsonSchema access_kind_ = PlanJson::text("a kind of channel", [this](std::string& word) {
    remotes_.back().kinds.push_back(json_.kind(word));
  });
  const JsonSchema access_kinds_ = PlanJson::list("'access_channel_types'", access_kind_);
  const JsonSchema remote_ = json_.object(
      "a remote buffer",
      {{"rank", &remote_rank_}, {"type", &remote_type_}, {"access_channel_types", &access_kinds_}},
      [this] { remotes_.emplace_back(); });
  const JsonSchema remotes_schema_ = PlanJson::list("'remote_buffers'", remote_);
  const JsonSchema init_value_ = PlanJson::number("'init_value'", init_);
  const JsonSchema semaphore_ = json_.object("a semaphore", {{"init_value", &init_value_}}, nullptr,
                                             [this] { gpu_.semaphores.push_back(init_); });
  const JsonSchema semaphores_ = PlanJson::list("'semaphores'", semaphore_);
  const JsonSchema gpu_id_schema_ = PlanJson::number("'id'", gpu_id_);
  const JsonSchema input_ = PlanJson::number("'input_chunks'", gpu_.input);
  const JsonSchema output_ = PlanJson::number("'output_chunks'", gpu_.output);
  const JsonSchema scratch_ = PlanJson::number("'scratch_chunks'", gpu_.scratch);
  const JsonSchema gpu_schema_ = json_.object(
      "a GPU",
      {{"id", &gpu_id_schema_},
       {"input_chunks", &input_},
       {"output_chunks", &output_},
       {"scratch_chunks", &scratch_},
       {"threadblocks", &blocks_},
       {"channels", &gpu_channels_},
       {"remote_buffers", &remotes_schema_},
       {"semaphores", &semaphores_, optional}},
      [this] {
        gpu_ = {};
        json_.here(gpu_);
      },
      [this] { end_gpu(); });
  const JsonSchema gpus_{.kind = Kind::array, .what = "'gpus'", .min = 1, .items = &gpu_schema_};

  const JsonSchema name_ = PlanJson::text("'name'", plan_.name);
  const JsonSchema collective_ = PlanJson::text("'collective'", plan_.collective);
  const JsonSchema protocol_ = PlanJson::text("'protocol'", plan_.protocol);
  const JsonSchema in_place_ = PlanJson::flag("'inplace'", plan_.in_place);
  const JsonSchema reuse_ = PlanJson::flag("'reuse_resources'", plan_.reuse);
  const JsonSchema halves_ = PlanJson::flag("'use_double_scratch_buffer'", plan_.two_halves);
  const JsonSchema alignment_ = PlanJson::number("'buffer_alignment'", plan_.alignment);
  const JsonSchema threads_ = PlanJson::number("'num_threads_per_block'", plan_.threads);
  const JsonSchema root_ = PlanJson::number("'root'", plan_.problem.root);
  const JsonSchema min_bytes_ = PlanJson::number(
      "'min_message_size'", [this](std::uint64_t n) { plan_.min_bytes = n; }, UINT64_MAX);
  const JsonSchema max_bytes_ = PlanJson::number(
      "'max_message_size'", [this](std::uint64_t n) { plan_.max_bytes = n; }, UINT64_MAX);
  const JsonSchema plan_schema_ = json_.object("a plan",
                                               {{"name", &name_},
                                                {"collective", &collective_},
                                                {"protocol", &protocol_},
                                                {"inplace", &in_place_},
                                                {"gpus", &gpus_},
                                                {"reuse_resources", &reuse_, optional},
                                                {"use_double_scratch_buffer", &halves_, optional},
                                                {"buffer_alignment", &alignment_, optional},
                                                {"num_threads_per_block", &threads_, optional},
                                                {"min_message_size", &min_bytes_, optional},
                                                {"max_message_size", &max_bytes_, optional},
                                                {"root", &root_, optional}},
                                               [this] { json_.here(plan_); });
};

}  // namespace

Source read_mscclpp(const InputText& text, const std::string& file) {
  PlanReader reader(text.view(), file);
  auto plan = std::make_shared<Plan>(reader.read());
  Source source = plan_source(std::move(plan), file);
  source.notes = reader.notes();
  return source;
}

bool is_mscclpp(std::string_view text) { return is_json_with(text, "gpus") && !is_json(text); }

}  // namespace schedcc
