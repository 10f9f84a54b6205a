#include "format/sccl/document.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "core/scanner.hpp"
#include "format/json_schema.hpp"
#include "model/problem_text.hpp"

namespace schedcc {

namespace {

using Kind = JsonSchema::Kind;
using enum JsonSchema::Presence;
using Document = ScclDocument;

class ScclParser {
 public:
  ScclParser(std::string_view text, const std::string& file) : in_(text, file) {}

  Document parse() {
    in_.read(algorithm_);
    return std::move(document_);
  }

 private:
  Position here() const { return in_.position(); }

  JsonSchema number(std::string_view what, std::function<void(std::uint64_t)> take,
                    std::uint64_t least = 0, std::uint64_t most = UINT32_MAX - 1) {
    return {
        .kind = Kind::number, .what = what, .min = least, .max = most, .number = std::move(take)};
  }
  JsonSchema text(std::string_view what, std::string& to) {
    return {.kind = Kind::text, .what = what, .text = [&to](std::string& value) { to = value; }};
  }
  JsonSchema text(std::string_view what, std::string& to, Position& at) {
    return {.kind = Kind::text, .what = what, .text = [this, &to, &at](std::string& value) {
              to = value;
              at = here();
            }};
  }
  /// "msccl_type": of each object.
  JsonSchema type(std::string_view wanted) {
    return {
        .kind = Kind::text, .what = "'msccl_type'", .text = [this, wanted](std::string& value) {
          if (value == wanted) return;
          in_.fail(fmt::format("'msccl_type' must be '{}', not '{}'", wanted, printable(value)));
        }};
  }
  JsonSchema ranks(std::string_view what, const JsonSchema& items) {
    return {.kind = Kind::array, .what = what, .items = &items};
  }
  JsonSchema ranks(std::string_view what, const JsonSchema& items,
                   std::vector<Document::LocatedRank>& to) {
    JsonSchema schema = ranks(what, items);
    schema.begin = [this] { ranks_.clear(); };
    schema.end = [this, &to] { to = ranks_; };
    return schema;
  }

  /// By rank, the addresses that it has.
  JsonSchema map(std::string_view what, Document::Map& to) {
    return {.kind = Kind::map,
            .what = what,
            .items = &addresses_,
            .text =
                [this](std::string& key) {
                  map_->entries.push_back({rank_of(key), here(), {}});
                },
            .begin =
                [this, &to] {
                  map_ = &to;
                  map_->at = here();
                }};
  }
  Rank rank_of(std::string_view key) const {
    Rank rank = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), rank);
    if (error == std::errc() && end == key.data() + key.size()) return rank;
    in_.fail(fmt::format("'{}' is not a rank", printable(key)));
  }

  JsonReader in_;
  Document document_;
  Document::Map* map_ = nullptr;  ///< that is read
  std::vector<Document::LocatedRank> ranks_;
  Document::ScclChunk chunk_{};
  Document::Send send_{};
  Document::ScclStep step_{};
  Document::Switch switch_{};

  // The form of the text, from the inside out.
  const JsonSchema any_number_ = number("a number", nullptr);
  const JsonSchema any_number_or_null_{.kind = Kind::number, .what = "a number", .or_null = true};
  const JsonSchema any_flag_{.kind = Kind::boolean, .what = "'allow_exchange'"};
  const JsonSchema rank_ = number("a rank", [this](std::uint64_t n) {
    ranks_.push_back({static_cast<Rank>(n), here()});
  });

  const JsonSchema stated_steps_ =
      number("'steps'", [this](std::uint64_t n) { document_.stated_steps = n; });
  const JsonSchema stated_extra_{
      .kind = Kind::number, .what = "'extra_rounds'", .number = [this](std::uint64_t n) {
        document_.stated_extra_rounds = n;
      }};
  const JsonSchema parts_ = number(
      "'chunks'", [this](std::uint64_t n) { document_.parts = n; }, 1);
  const JsonSchema instance_type_ = type("instance");
  const JsonSchema instance_{.kind = Kind::object,
                             .what = "an instance",
                             .fields = {{"msccl_type", &instance_type_},
                                        {"steps", &stated_steps_},
                                        {"extra_rounds", &stated_extra_},
                                        {"chunks", &parts_},
                                        {"pipeline", &any_number_or_null_, optional},
                                        {"extra_memory", &any_number_or_null_, optional},
                                        {"allow_exchange", &any_flag_, optional}},
                             .begin = [this] { document_.instance_at = here(); }};

  const JsonSchema mapped_ = number("an address", [this](std::uint64_t n) {
    map_->entries.back().addresses.push_back({static_cast<std::uint32_t>(n), here()});
  });
  const JsonSchema addresses_ = ranks("the addresses of a rank", mapped_);
  const JsonSchema input_ = map("'input_map'", document_.input);
  const JsonSchema output_ = map("'output_map'", document_.output);

  const JsonSchema send_address_ = number(
      "the address of a send", [this](std::uint64_t n) { send_.address = static_cast<Rank>(n); });
  const JsonSchema send_src_ =
      number("the sender", [this](std::uint64_t n) { send_.src = static_cast<Rank>(n); });
  const JsonSchema send_dst_ =
      number("the receiver", [this](std::uint64_t n) { send_.dst = static_cast<Rank>(n); });
  const JsonSchema send_schema_{
      .kind = Kind::array,
      .what = "a send",
      .fields = {{"", &send_address_}, {"", &send_src_}, {"", &send_dst_}},
      .begin = [this] { send_.at = here(); },
      .end = [this] { document_.sends.push_back(send_); }};
  const JsonSchema sends_{.kind = Kind::array, .what = "'sends'", .items = &send_schema_};
  const JsonSchema rounds_ = number(
      "'rounds'", [this](std::uint64_t n) { step_.rounds = static_cast<std::uint32_t>(n); }, 1,
      UINT32_MAX);
  const JsonSchema step_type_ = type("step");
  const JsonSchema step_schema_{
      .kind = Kind::object,
      .what = "a step",
      .fields = {{"msccl_type", &step_type_}, {"rounds", &rounds_}, {"sends", &sends_}},
      .begin =
          [this] {
            step_ = {1, document_.sends.size(), here()};
          },
      .end = [this] { document_.steps.push_back(step_); }};
  const JsonSchema steps_{.kind = Kind::array, .what = "'steps'", .items = &step_schema_};

  const JsonSchema pre_ = ranks("'pre'", rank_, chunk_.pre);
  const JsonSchema post_ = ranks("'post'", rank_, chunk_.post);
  const JsonSchema address_ =
      number("'addr'", [this](std::uint64_t n) { chunk_.address = static_cast<std::uint32_t>(n); });
  const JsonSchema chunk_type_ = type("chunk");
  const JsonSchema chunk_schema_{.kind = Kind::object,
                                 .what = "a chunk",
                                 .fields = {{"msccl_type", &chunk_type_},
                                            {"pre", &pre_},
                                            {"post", &post_},
                                            {"addr", &address_}},
                                 .begin = [this] { chunk_.at = here(); },
                                 .end = [this] { document_.chunks.push_back(chunk_); }};
  const JsonSchema chunks_{
      .kind = Kind::array, .what = "'chunks'", .min = 1, .items = &chunk_schema_};
  const JsonSchema trigger_{
      .kind = Kind::map, .what = "a trigger", .items = &any_number_, .text = [this](std::string&) {
        in_.fail("triggers are not supported");
      }};
  const JsonSchema triggers_{
      .kind = Kind::map, .what = "'triggers'", .items = &trigger_, .text = [this](std::string&) {
        in_.fail("triggers are not supported");
      }};
  const JsonSchema runtime_name_ =
      text("'runtime_name'", document_.runtime_name, document_.runtime_at);
  const JsonSchema collective_name_ = text("'name'", document_.collective, document_.collective_at);
  const JsonSchema nodes_ = number(
      "'nodes'",
      [this](std::uint64_t n) {
        document_.nodes = static_cast<Rank>(n);
        document_.nodes_at = here();
      },
      1);
  const JsonSchema collective_type_ = type("collective");
  const JsonSchema collective_{.kind = Kind::object,
                               .what = "a collective",
                               .fields = {{"msccl_type", &collective_type_},
                                          {"name", &collective_name_},
                                          {"nodes", &nodes_},
                                          {"chunks", &chunks_},
                                          {"triggers", &triggers_},
                                          {"runtime_name", &runtime_name_}}};

  const JsonSchema link_ = number(
      "the bandwidth of a link", [this](std::uint64_t n) { document_.links.back().push_back(n); },
      0, UINT32_MAX);
  const JsonSchema row_{
      .kind = Kind::array, .what = "the links into a rank", .items = &link_, .begin = [this] {
        document_.links.emplace_back();
      }};
  const JsonSchema links_{.kind = Kind::array, .what = "'links'", .items = &row_, .begin = [this] {
                            document_.links_at = here();
                          }};
  const JsonSchema srcs_ = ranks("the senders through a switch", rank_, switch_.srcs);
  const JsonSchema dsts_ = ranks("the receivers through a switch", rank_, switch_.dsts);
  const JsonSchema bandwidth_ = number(
      "the bandwidth of a switch", [this](std::uint64_t n) { switch_.bandwidth = n; }, 1,
      UINT32_MAX);
  const JsonSchema switch_name_ = text("the name of a switch", switch_.name);
  const JsonSchema switch_schema_{
      .kind = Kind::array,
      .what = "a switch",
      .fields = {{"", &srcs_}, {"", &dsts_}, {"", &bandwidth_}, {"", &switch_name_}},
      .end = [this] { document_.switches.push_back(switch_); }};
  const JsonSchema switches_{.kind = Kind::array, .what = "'switches'", .items = &switch_schema_};
  const JsonSchema network_name_ = text("'name'", document_.topology);
  const JsonSchema topology_type_ = type("topology");
  const JsonSchema topology_{.kind = Kind::object,
                             .what = "a topology",
                             .fields = {{"msccl_type", &topology_type_},
                                        {"name", &network_name_},
                                        {"switches", &switches_},
                                        {"links", &links_}}};

  const JsonSchema name_ = text("'name'", document_.name);
  const JsonSchema algorithm_type_ = type("algorithm");
  const JsonSchema algorithm_{.kind = Kind::object,
                              .what = "an algorithm",
                              .fields = {{"msccl_type", &algorithm_type_},
                                         {"name", &name_},
                                         {"instance", &instance_},
                                         {"input_map", &input_},
                                         {"output_map", &output_},
                                         {"steps", &steps_},
                                         {"collective", &collective_},
                                         {"topology", &topology_}}};
};

}  // namespace

std::vector<Rank> sccl_ranks(const std::vector<ScclDocument::LocatedRank>& list, Rank nodes,
                             const std::string& file) {
  std::vector<Rank> result;
  for (const auto& [rank, at] : list) {
    if (rank >= nodes) fail(file, at, no_such_rank("rank", rank, nodes));
    result.push_back(rank);
  }
  std::ranges::sort(result);
  const auto twice = std::ranges::adjacent_find(result);
  if (twice != result.end()) {
    const auto last = std::find_if(list.rbegin(), list.rend(),
                                   [&](const auto& item) { return item.rank == *twice; });
    fail(file, last->at, fmt::format("duplicate rank {}", *twice));
  }
  return result;
}

ScclDocument parse_sccl(std::string_view text, const std::string& file) {
  return ScclParser(text, file).parse();
}

}  // namespace schedcc
