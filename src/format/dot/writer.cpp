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
#include "format/entry.hpp"
#include "format/limits.hpp"
#include "schedcc/error.hpp"
#include "schedcc/version.hpp"

namespace schedcc {

namespace dot {

std::uint64_t node_count(const Source& source) { return source.node_count(); }

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
      fmt::format("the picture has more than {} {}: use fewer ranks or chunks{}, or force it with "
                  "--emit dot:view={},large",
                  many ? most::picture_arrows : most::readable_nodes, many ? "arrows" : "nodes",
                  view == "steps" ? ", or the communication graph (view=graph)" : "", view));
}

namespace {

std::string title(const Source& source, const EmitOptions& options) {
  return fmt::format("{}: {}; {}", source.name, describe(source.problem), options.machine->spec());
}

/// The number of arrows of view=steps, counted up to one above the limit.
std::uint64_t count_messages(const Source& source) {
  std::uint64_t messages = 0;
  const auto stream = source.open();
  for (Step step; messages <= most::picture_arrows && stream->next(step);)
    messages += canonical(step).size();
  return messages;
}

/// Throws InputError for more than a picture can show. The steps of a file are counted after they
/// have been checked, those of an algorithm before.
void refuse(const Source& source, const EmitOptions& options) {
  most::check("a picture", most::picture_nodes, source.has_routers() ? "nodes" : "ranks",
              node_count(source));
  const bool steps = options.parameters.text("view") == "steps" && source.file.empty();
  refuse_unreadable(options, steps ? count_messages(source) : 0, node_count(source));
}

void write(const Source& source, const EmitOptions& options, Output& output) {
  refuse(source, options);
  const bool graph = options.parameters.text("view") == "graph";
  if (!graph) refuse_unreadable(options, count_messages(source), 0);
  Text out(output);
  out.print("// {}\n// Made by schedcc {} with\n//   {}\n", comment(title(source, options)),
            SCHEDCC_VERSION, comment(options.command));
  out.put(graph ? "// An edge is labelled with the step of its first use; steps count from 0. "
                  "Reductions are dashed.\n"
                : "// An arrow ends where its chunks are held; their numbers are shown there. "
                  "Reductions are dashed, and have a +.\n");
  out.print("digraph {} {{\n", quoted(options.stem.empty() ? "schedule" : options.stem));
  out.print("  graph [label={}, labelloc=t, fontsize=14, fontname=\"Helvetica\"]\n",
            quoted(title(source, options)));
  out.put("  node [fontname=\"Helvetica\"]\n  edge [fontname=\"Helvetica\"]\n");
  if (graph) {
    write_graph(source, options, out);
  } else {
    write_steps(source, options, out);
  }
  out.put("}\n");
  out.flush();
}

}  // namespace

}  // namespace dot

extern const FormatEntry dot_format;
const FormatEntry dot_format{
    .name = "dot",
    .summary = "a picture for Graphviz: the communication graph, or the space-time graph",
    .extensions = {".dot", ".gv"},
    .parameters = {{.name = "view",
                    .summary =
                        "graph: edges with the step of their first use; steps: ranks by steps",
                    .kind = Parameter::Kind::text,
                    .choices = {"graph", "steps"},
                    .default_value = "graph"},
                   {.name = "large",
                    .summary = "draw it with any number of arrows and nodes",
                    .kind = Parameter::Kind::flag}},
    .refuse = dot::refuse,
    .write = dot::write,
    .recognises = [](std::string_view text) { return skip_comments(text).starts_with("digraph"); },
};

}  // namespace schedcc
