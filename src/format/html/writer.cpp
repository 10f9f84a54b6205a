// A page to look at a schedule: HTML in one file, without anything from the network. The page's own
// script draws (page.js), with D3; here the schedule becomes the data that it reads, a JSON
// document with a row [src, dst, first, count, reduce, line, arrival] for each transfer.
// docs/formats.md, "html", describes what the page shows.

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/core.h>

#include "analysis/report_text.hpp"
#include "check/levels.hpp"
#include "format/compiled_text.hpp"
#include "format/entry.hpp"
#include "format/html/cost_data.hpp"
#include "format/html/network_picture.hpp"
#include "format/html/page.hpp"
#include "format/html/page_files.hpp"
#include "format/html/script_text.hpp"
#include "format/html/tracks.hpp"
#include "format/limits.hpp"
#include "format/selection.hpp"
#include "format/text.hpp"
#include "schedcc/error.hpp"
#include "schedcc/version.hpp"

namespace schedcc {

namespace html {

namespace {

/// Throws InputError for more than a page can hold.
void refuse(const Source& source, const EmitOptions& options) {
  if (!has_d3()) {
    throw InputError(
        "this schedcc was built without D3 (Debian: libjs-d3), which pages need: install it, and "
        "build again; pictures (-o x.svg) do not need it");
  }
  most::check("a page", most::picture_nodes, source.has_routers() ? "nodes" : "ranks",
              source.node_count());
  selection_of(options.parameters, source);
}

[[noreturn]] void refuse_transfers() {
  throw InputError(
      fmt::format("a page holds at most {} transfers: show a part of the schedule, with --steps "
                  "A..B or --ranks A..B",
                  most::page_transfers));
}

class PageWriter {
 public:
  PageWriter(const Source& source, const EmitOptions& options, const CostReport* cost, Output& out)
      : selection_(selection_of(options.parameters, source)),
        source_(selected(source, selection_, Ends::any)),
        options_(options),
        cost_(cost),
        machine_(*options.machine),
        text_(out) {}

  void write() {
    text_.print(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<meta name=\"generator\" content=\"schedcc {}\">\n<title>{}</title>\n<style>\n",
        SCHEDCC_VERSION, element_text(source_.name));
    text_.put(page_file("page.css"));
    text_.put("</style>\n");
    text_.put(page_file("page.html"));
    text_.put("<script id=\"data\" type=\"application/json\">\n");
    write_data();
    text_.put("</script>\n<script id=\"licence\" type=\"text/plain\">\n");
    text_.put(page_file("copyright"));
    text_.put("</script>\n");
    for (const std::string_view script :
         {"d3.min.js", "model.js", "diagram.js", "network.js", "page.js"}) {
      text_.put("<script>\n");
      text_.put(page_file(script));
      text_.put("</script>\n");
    }
    text_.put("</html>\n");
    text_.flush();
  }

 private:
  void write_data() {
    const Problem& problem = source_.problem;
    text_.print("{{\"schedule\": {}, \"problem\": {}, \"machine\": {}, \"file\": {},\n",
                script_string(source_.name), script_string(describe(problem)),
                script_string(machine_.spec()), script_string(source_.file));
    text_.print("\"command\": {}, \"version\": \"{}\", \"unit\": \"{}\", \"latency\": {},\n",
                script_string(options_.command), SCHEDCC_VERSION,
                source_.program || source_.plan ? "time" : machine_.step_unit(),
                machine_.latency());
    if (source_.program || source_.plan) {
      write_tracks(source_.program ? tracks_of(*source_.program) : tracks_of(*source_.plan),
                   selection_, options_.report.get(), text_);
      text_.put("\"network\": null,\n\"report\": ");
    } else {
      write_schedule();
    }
    text_.put(options_.report ? embedded(dump_line(json(*options_.report))) : "null");
    if (cost_ != nullptr) {
      text_.put(",\n\"cost\": ");
      write_cost(*cost_, text_);
    }
    text_.put("}\n");
  }

  void write_schedule() {
    const Problem& problem = source_.problem;
    text_.print("\"ranks\": {}, \"nodes\": {}, \"chunks\": {}, \"root\": {}, \"reduction\": {},\n",
                problem.ranks, source_.node_count(), problem.total_chunks(),
                problem.rooted() ? std::to_string(problem.root) : "null", problem.reduction());
    write_selection();
    write_start();
    write_steps();
    text_.put("\"network\": ");
    write_network(machine_, problem.ranks, text_);
    text_.put(",\n\"report\": ");
  }

  void write_selection() {
    text_.print(R"("shown": {{"ranks": [{}, {}])", selection_.ranks.first, selection_.ranks.last);
    if (!selection_.all_steps)
      text_.print(", \"steps\": [{}, {}]", selection_.steps.first, selection_.steps.last);
    text_.put("},\n");
  }

  /// The chunks that ranks hold at the start, as [rank, first, count].
  void write_start() {
    text_.put("\"start\": [");
    std::string_view comma = "";
    source_.problem.for_each_start([&](Rank rank, const Runs& runs) {
      for (const Run& run : runs) {
        print(text_, FMT_COMPILE("{}[{},{},{}]"), comma, rank, run.first, run.count);
        comma = ",";
      }
    });
    text_.put("],\n");
  }

  /// Each step as [number, rounds, transfers].
  void write_steps() {
    const auto arrives = arrival_time(source_, machine_);
    std::uint64_t transfers = 0;
    std::string_view comma = "\n";
    text_.put("\"steps\": [");
    const auto stream = source_.open();
    for (Step step; stream->next(step);) {
      transfers += step.transfers.size();
      if (transfers > most::page_transfers) refuse_transfers();
      print(text_, FMT_COMPILE("{}[{},{},["), comma, step.number, step.rounds);
      for (std::size_t i = 0; i < step.transfers.size(); ++i) {
        const Transfer& t = step.transfers[i];
        print(text_, FMT_COMPILE("{}[{},{},{},{},{},{},{}]"), i == 0 ? "" : ",", t.src, t.dst,
              t.first, std::uint32_t{t.count}, std::uint32_t{t.reduce},
              step.lines.empty() ? 0 : step.lines[i], arrival(arrives, step.number, t));
      }
      text_.put("]]");
      comma = ",\n";
    }
    text_.put("],\n");
  }

  /// A wrong schedule may name nodes that do not exist, which have no route.
  std::uint64_t arrival(const provenance::ArrivalTime& arrives, std::uint64_t step,
                        const Transfer& t) const {
    const std::uint64_t nodes = source_.node_count();
    const bool routed = t.src < nodes && t.dst < nodes && t.src != t.dst;
    return routed ? arrives(step, t) : step + machine_.latency();
  }

  Selection selection_;
  Source source_;
  const EmitOptions& options_;
  const CostReport* cost_;
  const Machine& machine_;
  Text text_;
};

void write(const Source& source, const EmitOptions& options, Output& out) {
  write_page(source, options, nullptr, out);
}

}  // namespace

void write_page(const Source& source, const EmitOptions& options, const CostReport* cost,
                Output& out) {
  refuse(source, options);
  PageWriter(source, options, cost, out).write();
}

}  // namespace html

extern const FormatEntry html_format;
const FormatEntry html_format{
    .name = "html",
    .summary = "a page to look at the schedule, its network and its findings in a browser",
    .extensions = {".html", ".htm"},
    .parameters = {ranks_parameter(), steps_parameter()},
    .refuse = html::refuse,
    .write = html::write,
    .recognises =
        [](std::string_view text) { return text.starts_with("<!DOCTYPE html>\n<html lang"); },
};

}  // namespace schedcc
