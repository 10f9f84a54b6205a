// Pictures of a schedule for Graphviz: the communication graph (dot_graph_view.cpp) and the
// space-time graph (dot_steps_view.cpp).
//
// Positions that are known here are given to Graphviz as they are (layout=nop2), curves included:
// plain `dot -Tsvg` draws either view. Colours are from the palettes of Okabe and Ito and of
// viridis, which the colour-blind can tell apart.

#include "backend/dot.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "backend/limits.hpp"
#include "frontend/import/text.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace dot {

std::uint64_t node_count(const Source& source) {
  return std::max<std::uint64_t>(source.nodes, source.problem.ranks);
}

void check_nodes(Rank src, Rank dst, std::uint64_t nodes) {
  if (std::max(src, dst) < nodes) return;
  throw InputError(fmt::format("a graph of {} nodes has no node {}", nodes, std::max(src, dst)));
}

namespace {

std::string title(const Source& source, const EmitOptions& options) {
  return fmt::format("{}: {}; {}", source.name, describe(source.problem), options.machine.spec);
}

/// Throws InputError for more nodes than a picture can show.
void refuse(const Source& source, const EmitOptions&) {
  most::check("a picture", most::picture_nodes, source.hop_level() ? "nodes" : "ranks",
              node_count(source));
}

void write(const Source& source, const EmitOptions& options, Output& output) {
  refuse(source, options);
  const std::string& view = options.parameters.text("view");
  const bool graph = view == "graph";
  Text out(output);
  out.print("// {}\n// Made by schedcc {} with\n//   {}\n", comment(title(source, options)),
            SCHEDCC_VERSION, comment(options.command));
  out.put(graph ? "// An edge is labelled with the step of its first use; steps count from 0. "
                  "Reductions are dashed.\n"
                : "// An arrow ends where its chunks are held; their numbers stand there. "
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

extern const Format dot_format;
const Format dot_format{
    .name = "dot",
    .summary = "a picture for Graphviz: the communication graph, or the space-time graph",
    .extensions = {".dot", ".gv"},
    .parameters = {{.name = "view",
                    .summary =
                        "graph: edges with the step of their first use; steps: ranks by steps",
                    .kind = Parameter::Kind::text,
                    .choices = {"graph", "steps"},
                    .standard = "graph"}},
    .refuse = dot::refuse,
    .write = dot::write,
    .recognises =
        [](std::string_view text) { return behind_comments(text).starts_with("digraph"); },
};

}  // namespace schedcc
