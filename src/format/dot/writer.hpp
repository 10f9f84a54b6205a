#pragma once

// Code that the two views of a schedule share, and the views themselves.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/text.hpp"
#include "schedcc/format.hpp"

namespace schedcc::dot {

inline constexpr std::string_view root_colour = "#F0E442";
inline constexpr std::string_view router_colour = "#DDDDDD";

/// Throws InputError unless both are among the nodes of the picture: the ranks, and after them a
/// machine's routers at hop level.
void check_nodes(Rank src, Rank dst, std::uint64_t nodes);

/// Throws InputError, with a remedy, for more arrows or nodes than can be distinguished, unless the
/// parameter `large` is given.
void refuse_unreadable(const EmitOptions& options, std::uint64_t arrows, std::uint64_t nodes);

/// The parameters of pictures: the view, and the part that is shown.
std::vector<Parameter> picture_parameters();

/// Throws InputError for more than a picture can show.
void refuse_picture(const Source& source, const EmitOptions& options);

/// The picture as a text for Graphviz.
void write_picture(const Source& source, const EmitOptions& options, Output& out);

/// The steps, and the transfers among the ranks, that the options ask for.
Source shown_part(const Source& source, const EmitOptions& options);

/// A view of a schedule, laid out.
class View {
 public:
  virtual ~View() = default;
  /// What the signs that occur in it mean.
  virtual std::vector<std::string> legend() const = 0;
  /// Writes its nodes and edges.
  virtual void write() = 0;
};

/// view=graph: the communication graph. The arguments must outlive it.
std::unique_ptr<View> graph_view(const Source& source, const EmitOptions& options, Text& out);

/// view=steps: the space-time graph. The arguments must outlive it.
std::unique_ptr<View> steps_view(const Source& source, const EmitOptions& options, Text& out);

/// Adds the signs of root and routers to a legend, as far as they are among the nodes first..last.
void add_nodes(std::vector<std::string>& legend, const Problem& problem, std::uint64_t first,
               std::uint64_t last);

}  // namespace schedcc::dot
