// The loaders (microsoft/msccl src/graph/topo.cc; Azure/msccl-executor-nccl and ROCm/rccl
// src/misc/msccl/msccl_parser.cc) look up attributes by their names and visit the elements that
// they know; both are NCCL's parser of topologies, which keeps 16 attributes of an element.

#include "format/msccl/notes.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/names.hpp"
#include "core/printable.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// Attributes of an element that are kept.
constexpr std::size_t max_attributes = 16;

bool contains(const MscclNotes::Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

template <typename F>
void MscclNotes::add(std::string_view kind, const SourceLocation& location, F message) {
  const auto known = index_.find(kind);
  if (known != index_.end()) {
    ++notes_[known->second].more;
    return;
  }
  index_.emplace(kind, notes_.size());
  Note& note = notes_.emplace_back();
  note.message = message();
  note.line = location.line;
  note.column = location.column;
}

void MscclNotes::attributes(const XmlElement& element, Names known, Names optional) {
  std::size_t number = 0;
  for (const auto& attribute : element.attributes()) {
    const std::string_view name = attribute.name;
    ++number;
    if (contains(known, name)) {
      if (number <= max_attributes) continue;
      element.fail(name, fmt::format("'{}' is attribute {} of <{}>, and the runtimes keep {}", name,
                                     number, element.name(), max_attributes));
    }
    const std::vector<std::string_view> names(known);
    const std::string_view meant = nearest(name, names);
    const bool missing = !meant.empty() && !element.has(meant);
    if (missing && !contains(optional, meant)) {
      element.fail(name, unknown(fmt::format("attribute of <{}>", element.name()), name, names));
    }
    add(fmt::format("{} {}", element.name(), name), element.location_of(name), [&] {
      return fmt::format("unknown attribute of <{}> '{}', which the runtimes ignore{}",
                         element.name(), printable(name),
                         missing ? fmt::format("; did you mean '{}'?", meant) : "");
    });
  }
}

void MscclNotes::element(const XmlElement& element, std::string_view within) {
  add(fmt::format("{} <{}>", within, element.name()), element.location(), [&] {
    return fmt::format("there is no <{}> {}, and the runtimes ignore it", printable(element.name()),
                       within);
  });
}

void MscclNotes::form(const SourceLocation& location, std::string_view what) {
  add(what, location,
      [&] { return fmt::format("the parsers of the runtimes do not read {}", what); });
}

void MscclNotes::further(const SourceLocation& location) {
  add("further", location, [] {
    return "there is data after </algo>; the runtimes take the first <algo> and ignore the rest";
  });
}

void MscclNotes::no_name(const XmlElement& algo) {
  add("name", algo.location(), [] {
    return "<algo> has no attribute 'name', without which microsoft/msccl does not load it";
  });
}

void MscclNotes::step_number(const XmlElement& step, std::size_t place) {
  add("s", step.location_of("s"), [&] {
    return fmt::format(
        "'s' is {} here; the runtimes ignore it and count the steps in their order, "
        "of which this is step {}",
        printable(step.text("s")), place);
  });
}

void MscclNotes::no_block(const XmlElement& step) {
  add("deps", step.location_of("deps"), [&] {
    return fmt::format("'deps' is {} here, which the runtimes ignore where 'depid' is -1",
                       printable(step.text("deps")));
  });
}

}  // namespace schedcc
