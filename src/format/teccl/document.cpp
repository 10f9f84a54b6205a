#include "format/teccl/document.hpp"

#include <map>
#include <set>

#include <fmt/core.h>

#include "core/printable.hpp"
#include "format/json_schema.hpp"
#include "format/teccl/phrases.hpp"

namespace schedcc::teccl {

namespace {

using Kind = JsonSchema::Kind;
using enum JsonSchema::Presence;

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : in_(text, file), file_(file) {}

  Document parse() {
    in_.read(schedule_);
    if (document_.flows_name.empty())
      fail(file_, document_.begin, "a schedule of TE-CCL needs the field '7-Flows'");
    if (document_.paths_name.empty()) {
      fail(file_, document_.begin,
           "a schedule of TE-CCL needs the field '8-Chunk paths': without it, nothing says which "
           "GPUs must get a chunk, and which nodes are switches");
    }
    return std::move(document_);
  }

 private:
  Position here() const { return in_.position(); }
  Phrase phrase(std::string_view text) const { return {text, in_.location()}; }

  static JsonSchema real(std::string_view what, std::function<void(double)> take) {
    return {.kind = Kind::number, .what = what, .real = std::move(take)};
  }
  /// The field has one of two names.
  void name_once(std::string& name, std::string_view field) const {
    if (!name.empty()) in_.fail(fmt::format("duplicate '{}'", name));
    name = field;
  }
  JsonSchema flows(std::string_view name) {
    return {
        .kind = Kind::array, .what = "the list of flows", .items = &flow_, .begin = [this, name] {
          name_once(document_.flows_name, name);
        }};
  }
  JsonSchema paths(std::string_view name) {
    return {.kind = Kind::map,
            .what = "the list of paths",
            .items = &paths_of_demand_,
            .text = [this](std::string& key) { demand(key); },
            .begin = [this, name] { name_once(document_.paths_name, name); }};
  }

  Hop hop(Phrase& phrase) {
    Hop hop = phrase.hop(switches_);
    phrase.end();
    hop.at = here();
    const auto next = static_cast<std::uint32_t>(document_.switches.size());
    const auto [found, added] = lists_of_switches_.try_emplace(switches_, next);
    if (added) document_.switches.push_back(switches_);
    hop.via = found->second;
    return hop;
  }
  void flow(std::string_view text) {
    Phrase in = phrase(text);
    Document::Flow flow;
    in.expect("Chunk ");
    flow.chunk = in.number("a chunk");
    in.expect(" from ");
    flow.source = in.number("a GPU");
    in.expect(" traveled over ");
    flow.hop = hop(in);
    document_.flows.push_back(flow);
  }

  void demand(std::string_view key) {
    Phrase in = phrase(key);
    Document::Demand demand;
    in.expect("Demand at ");
    demand.gpu = in.number("a GPU");
    in.expect(" for chunk ");
    demand.chunk = in.number("a chunk");
    in.expect(" from ");
    demand.source = in.number("a GPU");
    in.expect(" met by epoch ");
    demand.epoch = in.number("an epoch");
    in.end();
    demand.at = here();
    demand.first = document_.paths.size();
    document_.demands.push_back(demand);
    has_hops_ = has_paths_ = false;
  }
  /// A hop of the only path of a demand, the list being one of hops, and not of paths.
  void only_hop(std::string_view text) {
    if (has_paths_) in_.fail("a hop among paths; the list must contain only paths");
    if (!has_hops_) document_.paths.push_back({document_.hops.size(), here()});
    has_hops_ = true;
    Phrase in = phrase(text);
    document_.hops.push_back(hop(in));
  }
  void begin_path() {
    if (has_hops_) in_.fail("a path among hops; the list must contain only hops");
    has_paths_ = true;
    document_.paths.push_back({document_.hops.size(), here()});
  }
  void hop_of_path(std::string_view text) {
    Phrase in = phrase(text);
    document_.hops.push_back(hop(in));
    const Hop& hop = document_.hops.back();
    if (hop.epoch == stated_epoch_) return;
    in_.fail(fmt::format("the hop states epoch {}, but it is listed under {}", hop.epoch,
                         stated_epoch_));
  }

  /// The number in a key as "GPU 3"; each is there once.
  std::uint32_t number_in(std::string_view key, std::string_view word, std::string_view what,
                          std::set<std::uint32_t>& seen) {
    Phrase in = phrase(key);
    in.expect(word);
    const std::uint32_t number = in.number(what);
    in.end();
    if (!seen.insert(number).second) in_.fail(fmt::format("duplicate '{}'", printable(key)));
    return number;
  }

  JsonReader in_;
  const std::string& file_;
  Document document_;
  std::vector<std::uint32_t> switches_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> lists_of_switches_{{{}, 0}};
  bool has_hops_ = false, has_paths_ = false;  ///< of the current demand
  std::uint64_t stated_epoch_ = 0;
  std::set<std::uint32_t> gpus_, sources_, chunks_;  ///< the keys of the current maps
  Document::DemandTime met_now_;

  // The form of the text, from the inside out.
  const JsonSchema flow_{
      .kind = Kind::text, .what = "a flow", .text = [this](std::string& text) { flow(text); }};
  const JsonSchema older_flows_ = flows("6-Flows"), flows_ = flows("7-Flows");

  const JsonSchema epoch_of_hop_{.kind = Kind::number,
                                 .what = "the epoch of a hop",
                                 .max = UINT32_MAX - 1,
                                 .number = [this](std::uint64_t n) { stated_epoch_ = n; }};
  const JsonSchema hop_of_path_{.kind = Kind::text,
                                .what = "a hop",
                                .text = [this](std::string& text) { hop_of_path(text); }};
  const JsonSchema pair_{.kind = Kind::array,
                         .what = "a hop of a path",
                         .fields = {{"", &epoch_of_hop_}, {"", &hop_of_path_}}};
  const JsonSchema path_{
      .kind = Kind::array, .what = "a path", .min = 1, .items = &pair_, .begin = [this] {
        begin_path();
      }};
  const JsonSchema hop_or_path_{
      .kind = Kind::text, .what = "a hop", .otherwise = &path_, .text = [this](std::string& text) {
        only_hop(text);
      }};
  const JsonSchema paths_of_demand_{
      .kind = Kind::array, .what = "the paths of a demand", .items = &hop_or_path_};
  const JsonSchema older_paths_ = paths("7-chunk paths"), paths_ = paths("8-Chunk paths");

  const JsonSchema time_ = real("the time of a demand", [this](double time) {
    met_now_.time = time;
    document_.met->push_back(met_now_);
  });
  const JsonSchema times_{.kind = Kind::map,
                          .what = "the chunks of a GPU",
                          .items = &time_,
                          .text =
                              [this](std::string& key) {
                                met_now_.chunk = number_in(key, "Chunk ", "a chunk", chunks_);
                                met_now_.at = here();
                              },
                          .begin = [this] { chunks_.clear(); }};
  const JsonSchema sources_schema_{
      .kind = Kind::map,
      .what = "the sources of a GPU",
      .items = &times_,
      .text =
          [this](std::string& key) { met_now_.source = number_in(key, "GPU ", "a GPU", sources_); },
      .begin = [this] { sources_.clear(); }};
  const JsonSchema demand_met_{
      .kind = Kind::map,
      .what = "'6-Demand_Met'",
      .items = &sources_schema_,
      .text = [this](std::string& key) { met_now_.gpu = number_in(key, "GPU ", "a GPU", gpus_); },
      .begin =
          [this] {
            document_.met.emplace();
            document_.met_at = here();
          }};

  const JsonSchema duration_ =
      real("'1-Epoch_Duration'", [this](double time) { document_.duration = time; });
  const JsonSchema epochs_{.kind = Kind::number,
                           .what = "'3-Epochs_Required'",
                           .min = 1,
                           .max = UINT32_MAX,
                           .number = [this](std::uint64_t n) {
                             document_.epochs = n;
                             document_.epochs_at = here();
                           }};
  const JsonSchema finish_ = real("'4-Collective_Finish_Time'", [this](double time) {
    document_.finish = time;
    document_.finish_at = here();
  });
  const JsonSchema any_ = real("a figure", [](double) {});
  const JsonSchema schedule_{.kind = Kind::object,
                             .what = "a schedule of TE-CCL",
                             .fields = {{"1-Epoch_Duration", &duration_},
                                        {"2-Expected_Epoch_Duration", &any_, optional},
                                        {"3-Epochs_Required", &epochs_},
                                        {"4-Collective_Finish_Time", &finish_, optional},
                                        {"5-Algo_Bandwidth", &any_, optional},
                                        {"6-Demand_Met", &demand_met_, optional},
                                        {"6-Flows", &older_flows_, optional},
                                        {"7-Flows", &flows_, optional},
                                        {"7-chunk paths", &older_paths_, optional},
                                        {"8-Chunk paths", &paths_, optional},
                                        {"Solver_Time", &any_, optional}},
                             .begin = [this] { document_.begin = here(); }};
};

}  // namespace

Document parse(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

}  // namespace schedcc::teccl
