// Reads schedules in JSON, as strictly as docs/schedule.schema.json describes them. The fields of
// an object may come in any order, so a schedule is read as a whole; it takes less memory than its
// text.

#include "format/json/reader.hpp"

#include <memory>
#include <optional>

#include <fmt/core.h>

#include "format/header.hpp"
#include "format/json_schema.hpp"
#include "model/problem_text.hpp"

namespace schedcc {

namespace {

using Kind = JsonSchema::Kind;
using enum JsonSchema::Presence;

class JsonSchedule {
 public:
  JsonSchedule(const InputText& text, const std::string& file) : in_(text.view(), file) {}

  Source read() {
    in_.read(root_);
    const CollectiveInfo& collective = info(header_.source.problem.collective);
    if (collective.rooted && header_.root.line == 0) {
      throw InputError(begin_, fmt::format("{} needs the field 'root'", collective.name));
    }
    if (collective.declared && !(header_.mentioned("pre") && header_.mentioned("post"))) {
      throw InputError(begin_, "a custom collective needs the fields 'pre' and 'post'");
    }
    Source source = header_.finish(begin_);
    source.open = [schedule = schedule_] {
      return stream(std::shared_ptr<const Schedule>(schedule));
    };
    return source;
  }

 private:
  // Numbers that schedcc counts with.
  static JsonSchema number(std::string_view what, std::uint64_t least,
                           std::function<void(std::uint64_t)> take) {
    return {.kind = Kind::number,
            .what = what,
            .min = least,
            .max = UINT32_MAX,
            .number = std::move(take)};
  }
  JsonSchema number(std::string_view what, std::uint32_t& to, std::uint64_t least = 0) {
    return number(what, least, [&to](std::uint64_t n) { to = static_cast<std::uint32_t>(n); });
  }
  /// A field of the header, which is also recorded.
  JsonSchema noted(std::string_view field, std::string_view what, std::uint32_t& to,
                   std::uint64_t least) {
    return number(what, least, [this, field, &to](std::uint64_t n) {
      header_.mention(field, in_.location());
      to = static_cast<std::uint32_t>(n);
    });
  }
  JsonSchema text(std::string_view what, std::function<void(std::string&)> take) {
    return {.kind = Kind::text, .what = what, .text = std::move(take)};
  }
  /// `true`, the only value allowed.
  JsonSchema only_true(std::string_view what, std::function<void()> take) {
    return {.kind = Kind::boolean,
            .what = what,
            .number = [this, what, take = std::move(take)](std::uint64_t value) {
              if (value == 0) in_.fail(fmt::format("{} must be true or omitted", what));
              take();
            }};
  }

  /// It must fit in a line of the .sched format, too.
  void title(std::string& name) {
    if (!fits_a_line(name)) {
      in_.fail(
          "a name must be one line of text without '#' and control characters, and without a blank "
          "at either end");
    }
    header_.source.title = name;
  }

  void end_run(std::uint32_t last) {
    if (last < first_)
      in_.fail(fmt::format("the run [{}, {}] is empty: the first chunk is above the last", first_,
                           last));
    const std::uint64_t count = std::uint64_t{last} - first_ + 1;
    if (count > UINT32_MAX) in_.fail("a run must have at most 2^32 - 1 chunks");
    runs_.push_back({first_, static_cast<std::uint32_t>(count)});
  }

  void begin_item() {
    location_ = in_.location();
    runs_.clear();
    rank_ = src_ = dst_ = 0;
    flag_ = false;
  }
  void end_holding(std::vector<Header::PlacedHolding>& to) {
    to.push_back({location_, {rank_, runs_, flag_}});
  }

  void begin_step() {
    step_ = {in_.location(), 0, 1};
    transfers_.clear();
    lines_.clear();
  }
  void end_transfer() {
    add_transfers(src_, dst_, runs_, flag_, [&](const Transfer& transfer) {
      transfers_.push_back(transfer);
      lines_.push_back(line_);
    });
  }
  void end_step() {
    if (last_step_ && step_.number <= *last_step_) {
      throw InputError(step_.location, step_out_of_order(step_.number, *last_step_));
    }
    last_step_ = step_.number;
    schedule_->begin_step(step_.number, step_.rounds);
    for (std::size_t i = 0; i < transfers_.size(); ++i) schedule_->add(transfers_[i], lines_[i]);
  }

  JsonReader in_;
  Header header_;
  SourceLocation begin_;
  std::shared_ptr<Schedule> schedule_ = std::make_shared<Schedule>();

  // The current `pre`, `post` or transfer.
  SourceLocation location_;
  std::uint32_t line_ = 0;
  std::uint32_t rank_ = 0, src_ = 0, dst_ = 0, first_ = 0;
  bool flag_ = false;
  std::vector<Run> runs_;

  // The current step.
  struct {
    SourceLocation location;
    std::uint32_t number, rounds;
  } step_{};
  Transfers transfers_;
  std::vector<std::uint32_t> lines_;
  std::optional<std::uint32_t> last_step_;

  // The form of the text, from the inside out.
  const JsonSchema flag_schema_ = only_true("'reduce' or 'reduced'", [this] { flag_ = true; });
  const JsonSchema first_schema_ = number("the first chunk of a run", first_);
  const JsonSchema last_schema_ = number("the last chunk of a run", 0, [this](std::uint64_t n) {
    end_run(static_cast<std::uint32_t>(n));
  });
  const JsonSchema run_{.kind = Kind::array,
                        .what = "a run of chunks",
                        .fields = {{"", &first_schema_}, {"", &last_schema_}}};
  const JsonSchema runs_schema_{.kind = Kind::array, .what = "'chunks'", .min = 1, .items = &run_};

  const JsonSchema rank_schema_ = number("'rank'", rank_);
  const JsonSchema pre_item_{.kind = Kind::object,
                             .what = "an item of 'pre'",
                             .fields = {{"rank", &rank_schema_}, {"chunks", &runs_schema_}},
                             .begin = [this] { begin_item(); },
                             .end = [this] { end_holding(header_.pre); }};
  const JsonSchema post_item_{.kind = Kind::object,
                              .what = "an item of 'post'",
                              .fields = {{"rank", &rank_schema_},
                                         {"chunks", &runs_schema_},
                                         {"reduced", &flag_schema_, optional}},
                              .begin = [this] { begin_item(); },
                              .end = [this] { end_holding(header_.post); }};
  const JsonSchema pre_{.kind = Kind::array, .what = "'pre'", .items = &pre_item_, .begin = [this] {
                          header_.mention("pre", in_.location());
                        }};
  const JsonSchema post_{
      .kind = Kind::array, .what = "'post'", .items = &post_item_, .begin = [this] {
        header_.mention("post", in_.location());
      }};

  const JsonSchema src_schema_ = number("'src'", src_);
  const JsonSchema dst_schema_ = number("'dst'", dst_);
  const JsonSchema transfer_{.kind = Kind::object,
                             .what = "a transfer",
                             .fields = {{"src", &src_schema_},
                                        {"dst", &dst_schema_},
                                        {"chunks", &runs_schema_},
                                        {"reduce", &flag_schema_, optional}},
                             .begin =
                                 [this] {
                                   line_ = in_.line();
                                   runs_.clear();
                                   flag_ = false;
                                 },
                             .end = [this] { end_transfer(); }};
  const JsonSchema transfers_schema_{
      .kind = Kind::array, .what = "'transfers'", .items = &transfer_};
  const JsonSchema step_number_ = number("'step'", step_.number);
  const JsonSchema rounds_ = number("'rounds'", step_.rounds, 2);
  const JsonSchema step_schema_{.kind = Kind::object,
                                .what = "a step",
                                .fields = {{"step", &step_number_},
                                           {"rounds", &rounds_, optional},
                                           {"transfers", &transfers_schema_}},
                                .begin = [this] { begin_step(); },
                                .end = [this] { end_step(); }};
  const JsonSchema steps_{.kind = Kind::array, .what = "'steps'", .items = &step_schema_};

  const JsonSchema version_{
      .kind = Kind::number, .what = "'schedcc', the format's version,", .min = 1, .max = 1};
  const JsonSchema collective_ = text("'collective'", [this](std::string& name) {
    header_.mention("collective", in_.location());
    header_.collective(name, in_.location());
  });
  const JsonSchema ranks_ = noted("ranks", "'ranks'", header_.source.problem.ranks, 1);
  const JsonSchema root_number_ = number("'root'", 0, [this](std::uint64_t n) {
    header_.mention("root", in_.location());
    header_.root = in_.location();
    header_.source.problem.root = static_cast<Rank>(n);
  });
  const JsonSchema chunks_ = noted("chunks", "'chunks'", header_.source.problem.chunks, 1);
  const JsonSchema machine_ =
      text("'machine'", [this](std::string& name) { header_.machine(name, in_.location()); });
  const JsonSchema title_ = text("'name'", [this](std::string& name) { title(name); });
  const JsonSchema ordered_ = only_true("'ordered'", [this] {
    header_.mention("ordered", in_.location());
    header_.source.problem.ordered = true;
  });
  const JsonSchema nodes_schema_ = number("'nodes'", 1, [this](std::uint64_t n) {
    header_.mention("nodes", in_.location());
    header_.source.nodes = n;
  });
  const JsonSchema root_{.kind = Kind::object,
                         .what = "a schedule",
                         .fields = {{"schedcc", &version_},
                                    {"collective", &collective_},
                                    {"ranks", &ranks_},
                                    {"root", &root_number_, optional},
                                    {"chunks", &chunks_},
                                    {"machine", &machine_, optional},
                                    {"name", &title_, optional},
                                    {"ordered", &ordered_, optional},
                                    {"nodes", &nodes_schema_, optional},
                                    {"pre", &pre_, optional},
                                    {"post", &post_, optional},
                                    {"steps", &steps_}},
                         .begin = [this] { begin_ = in_.location(); }};
};

}  // namespace

Source read_json(const InputText& text, const std::string& file) {
  Source source = JsonSchedule(text, file).read();
  set_file(source, file);
  return source;
}

bool is_json(std::string_view text) { return is_json_with(text, "schedcc"); }

}  // namespace schedcc
