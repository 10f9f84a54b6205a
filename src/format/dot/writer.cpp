// Pictures of a schedule for Graphviz: the communication graph (graph_view.cpp) and the space-time
// graph (steps_view.cpp).
//
// Positions that schedcc computes are passed to Graphviz (layout=nop2), including curves: plain
// `dot -Tsvg` draws either view. Colours are from the palettes of Okabe and Ito and of viridis,
// which colour-blind readers can distinguish.

#include "format/dot/writer.hpp"

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "core/input_text.hpp"
#include "core/join.hpp"
#include "format/entry.hpp"
#include "format/limits.hpp"
#include "format/selection.hpp"
#include "schedcc/error.hpp"
#include "schedcc/version.hpp"

namespace schedcc {

namespace dot {

void check_nodes(Rank src, Rank dst, std::uint64_t nodes) {
  if (std::max(src, dst) < nodes) return;
  throw InputError(fmt::format("a graph of {} nodes has no node {}", nodes, std::max(src, dst)));
}

void refuse_unreadable(const EmitOptions& options, std::uint64_t arrows, std::uint64_t nodes) {
  if (options.parameters.has("large")) return;
  const bool many = arrows > most::picture_arrows;
  if (!many && nodes <= most::readable_nodes) return;
  const std::string& view = options.parameters.text("view");
  throw InputError(
      fmt::format("the picture has more than {} {}: choose a part of it, with --steps A..B or "
                  "--ranks A..B{}, write a page (-o x.html), or force it with the parameter large, "
                  "as in --emit dot:view={},large",
                  many ? most::picture_arrows : most::readable_nodes, many ? "arrows" : "nodes",
                  view == "steps" ? ", the communication graph (view=graph)" : "", view));
}

void add_nodes(std::vector<std::string>& legend, const Problem& problem, std::uint64_t first,
               std::uint64_t last) {
  if (problem.rooted() && first <= problem.root && problem.root <= last)
    legend.emplace_back("yellow: root");
  if (last >= problem.ranks) legend.emplace_back("boxes: routers");
}

namespace {

std::string title(const Source& source, const EmitOptions& options) {
  return fmt::format("{}: {}; {}{}", source.name, describe(source.problem), options.machine->spec(),
                     selection_of(options.parameters, source).text());
}

/// The legend of a view, in one line.
std::string key_of(const View& view, const Source& source, const EmitOptions& options) {
  std::vector<std::string> signs = view.legend();
  if (!selection_of(options.parameters, source).all_ranks)
    signs.emplace_back("messages from and to other ranks are left out");
  return join(signs, "; ");
}

/// The legend in lines, each with as many of its parts as fit.
std::string wrapped(const std::string& legend) {
  constexpr std::size_t columns = 72;
  std::string result;
  std::size_t line = 0;  // where it begins
  for (std::size_t at = 0; at < legend.size();) {
    const std::size_t end = std::min(legend.find(';', at), legend.size());
    if (line < at && end - line > columns) {
      result += "\n";
      line = at = at + 1;  // without the space
    }
    result += legend.substr(at, end + 1 - at);
    at = end + 1;
  }
  return result;
}

/// Text for a label of Graphviz that has elements. What such a label cannot have is left out.
std::string markup(std::string_view text) {
  const std::string json = quoted(text);  // in UTF-8, without control characters
  std::string result;
  for (std::size_t i = 1; i + 1 < json.size(); ++i) {
    const bool escape = json[i] == '\\';
    if (escape) ++i;
    if (escape && json[i] == 'n') {
      result += "<BR/>";
    } else if (escape && json[i] == 'u') {
      i += 4;
    } else if (json[i] == '&' || json[i] == '<' || json[i] == '>') {
      result += json[i] == '&' ? "&amp;" : json[i] == '<' ? "&lt;" : "&gt;";
    } else if (!escape || json[i] == '"' || json[i] == '\\') {
      result += json[i];
    }
  }
  return result;
}

/// The nodes that are shown.
std::uint64_t shown_nodes(const Source& source, const EmitOptions& options) {
  const NumberInterval& ranks = selection_of(options.parameters, source).ranks;
  return ranks.last - ranks.first + 1;
}

/// The number of arrows of view=steps, counted up to one above the limit.
std::uint64_t count_messages(const Source& source, const EmitOptions& options) {
  std::uint64_t messages = 0;
  const auto stream = shown_part(source, options).open();
  for (Step step; messages <= most::picture_arrows && stream->next(step);)
    messages += canonical(step).size();
  return messages;
}

}  // namespace

Source shown_part(const Source& source, const EmitOptions& options) {
  return selected(source, selection_of(options.parameters, source), Ends::both);
}

/// The steps of a file are counted after they have been checked, those of an algorithm before.
void refuse_picture(const Source& source, const EmitOptions& options) {
  most::check("a picture", most::picture_nodes, source.has_routers() ? "nodes" : "ranks",
              source.node_count());
  const bool steps = options.parameters.text("view") == "steps" && source.file.empty();
  refuse_unreadable(options, steps ? count_messages(source, options) : 0,
                    shown_nodes(source, options));
}

std::vector<Parameter> picture_parameters() {
  return {{.name = "view",
           .summary = "graph: edges with the step of their first use; steps: ranks by steps",
           .kind = Parameter::Kind::text,
           .choices = {"graph", "steps"},
           .default_value = "graph"},
          {.name = "large",
           .summary = "draw it with any number of arrows and nodes",
           .kind = Parameter::Kind::flag},
          ranks_parameter(),
          steps_parameter()};
}

void write_picture(const Source& source, const EmitOptions& options, Output& output) {
  refuse_picture(source, options);
  const bool graph = options.parameters.text("view") == "graph";
  if (!graph) refuse_unreadable(options, count_messages(source, options), 0);
  Text out(output);
  const std::unique_ptr<View> view =
      graph ? graph_view(source, options, out) : steps_view(source, options, out);
  const std::string heading = title(source, options), key = key_of(*view, source, options);
  out.print("// {}\n// Made by schedcc {} with\n//   {}\n// Steps count from 0; {}\n",
            comment(heading), SCHEDCC_VERSION, comment(options.command), key);
  out.print("digraph {} {{\n", quoted(options.stem.empty() ? "schedule" : options.stem));
  out.print(
      "  graph [label=<{}<BR/><FONT POINT-SIZE=\"10\">{}</FONT>>, labelloc=t, fontsize=14, "
      "fontname=\"Helvetica\"]\n",
      markup(heading), markup(wrapped(key)));
  out.put("  node [fontname=\"Helvetica\"]\n  edge [fontname=\"Helvetica\"]\n");
  view->write();
  out.put("}\n");
  out.flush();
}

}  // namespace dot

extern const FormatEntry dot_format;
const FormatEntry dot_format{
    .name = "dot",
    .summary = "a picture for Graphviz: the communication graph, or the space-time graph",
    .extensions = {".dot", ".gv"},
    .parameters = dot::picture_parameters(),
    .refuse = dot::refuse_picture,
    .write = dot::write_picture,
    .recognises = [](std::string_view text) { return skip_comments(text).starts_with("digraph"); },
};

}  // namespace schedcc
