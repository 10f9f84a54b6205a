// The schedule as a timeline in the Trace Event Format, which Perfetto (ui.perfetto.dev) and
// chrome://tracing open: a track for each rank, on it its sends and receives, and an arrow for each
// message. A step, or a cycle on LogP, is a microsecond; a step of R rounds is R.

#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "format/compiled_text.hpp"
#include "format/entry.hpp"
#include "format/header_text.hpp"
#include "format/limits.hpp"
#include "format/text.hpp"

namespace schedcc {

namespace {

/// Throws InputError for more tracks than a viewer shows.
void refuse(const Source& source, const EmitOptions&) {
  most::check("a timeline", most::tracks, source.has_routers() ? "nodes" : "ranks",
              source.node_count());
}

class TraceWriter {
 public:
  TraceWriter(const EmitOptions& options, Output& out) : machine_(*options.machine), text_(out) {}

  void write(const Source& source) {
    text_.print(R"({{"displayTimeUnit": "ns", "otherData": {{"schedule": {}, "problem": {}, )"
                "\"machine\": {}}},\n\"traceEvents\": [\n",
                quoted(source.name), quoted(describe(source.problem)), quoted(machine_.spec()));
    text_.print(R"({{"ph": "M", "name": "process_name", "pid": 0, "args": {{"name": {}}}}})",
                quoted(source.name));
    for (std::uint64_t node = 0; node < source.node_count(); ++node)
      name_track(node, source.problem.ranks);
    for_each_written(source, [&](const Step& step, auto each_message) {
      each_message([&](const WrittenMessage& m) { write_message(step, m); });
      late_ += step.rounds - 1;
    });
    text_.put("\n]}\n");
    text_.flush();
  }

 private:
  void name_track(std::uint64_t node, Rank ranks) {
    const std::string_view what = node < ranks ? "rank" : "node";
    text_.print(
        ",\n{{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": {0}, \"args\": "
        R"({{"name": "{1} {0}"}}}})",
        node, what);
    text_.print(
        ",\n{{\"ph\": \"M\", \"name\": \"thread_sort_index\", \"pid\": 0, \"tid\": {0}, "
        R"("args": {{"sort_index": {0}}}}})",
        node);
  }

  void write_message(const Step& step, const WrittenMessage& m) {
    const std::uint64_t start = step.number + late_;
    const std::uint64_t lasts = machine_.timing() ? machine_.timing()->o : step.rounds;
    const std::uint64_t delay = machine_.receive_delay();
    ++count_;
    begin_slice(m.src, start, lasts);
    print(text_, FMT_COMPILE(R"("cat": "send", "name": "send to {}", "flow_out": true, )"), m.dst);
    end_slice(step, m);
    begin_slice(m.dst, start + delay, lasts);
    print(text_, FMT_COMPILE(R"("cat": "{0}", "name": "{0} from {1}", "flow_in": true, )"),
          m.reduce ? "reduce" : "receive", m.src);
    end_slice(step, m);
  }

  void begin_slice(Rank track, std::uint64_t start, std::uint64_t lasts) {
    print(text_,
          FMT_COMPILE(",\n{{\"ph\": \"X\", \"pid\": 0, \"tid\": {}, \"ts\": {}, \"dur\": {}, "),
          track, start, lasts);
  }
  /// The two ends of an arrow have the same bind_id.
  void end_slice(const Step& step, const WrittenMessage& m) {
    print(text_, FMT_COMPILE(R"("bind_id": "{:#x}", "args": {{"step": {}, "chunks": ")"), count_,
          step.number);
    write_ranges(text_, m.runs);
    text_.put(R"("}})");
  }

  const Machine& machine_;
  Text text_;
  std::uint64_t count_ = 0;  ///< of messages
  std::uint64_t late_ = 0;   ///< the excess of rounds over steps so far
};

void write_trace(const Source& source, const EmitOptions& options, Output& out) {
  refuse(source, options);
  TraceWriter(options, out).write(source);
}

}  // namespace

extern const FormatEntry trace_format;
const FormatEntry trace_format{
    .name = "trace",
    .summary = "a timeline for Perfetto and chrome://tracing, a track for each rank",
    .extensions = {".trace.json"},
    .refuse = refuse,
    .write = write_trace,
    .recognises =
        [](std::string_view text) {
          return text.starts_with("{") && text.substr(0, 4096).find("\"traceEvents\"") < 4096;
        },
};

}  // namespace schedcc
