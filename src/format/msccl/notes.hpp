#pragma once

// Notes on XML that the runtimes of MSCCL ignore, or read differently from XML.

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/msccl/xml.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Collects one note of each kind, with the number of them.
class MscclNotes {
 public:
  using Names = std::initializer_list<std::string_view>;

  /// Notes the element's attributes that are not in `known`. Throws InputError if one is a
  /// misspelling of a missing attribute that is not `optional`, or a known one is beyond the number
  /// that the runtimes' parsers keep.
  void attributes(const XmlElement& element, Names known, Names optional = {});
  /// An element that the runtimes do not look for in its parent ("in <gpu>").
  void element(const XmlElement& element, std::string_view within);
  /// A form of XML ("a tab") that the runtimes' parsers do not read.
  void form(const SourceLocation& location, std::string_view what);
  /// An element after the program.
  void further(const SourceLocation& location);
  /// A program without a name.
  void no_name(const XmlElement& algo);
  /// A step whose number is not its position in the threadblock.
  void step_number(const XmlElement& step, std::size_t place);
  /// A step that names a step to wait for, and no threadblock.
  void no_block(const XmlElement& step);

  std::vector<Note> take() { return std::move(notes_); }

 private:
  /// `message()` is called for the first of a kind.
  template <typename F>
  void add(std::string_view kind, const SourceLocation& location, F message);

  std::vector<Note> notes_;
  std::map<std::string, std::size_t, std::less<>> index_;  ///< in notes_, by kind
};

}  // namespace schedcc
