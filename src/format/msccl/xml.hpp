#pragma once

// XML, strictly: elements with attributes, and their locations. There are no document types, so no
// entities but the predefined ones, and no text between the elements.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/error.hpp"

namespace schedcc {

/// An element as it begins; valid during XmlHandler::begin. Its functions throw InputError with the
/// attribute's location.
class XmlElement {
 public:
  struct Attribute {
    std::string_view name, value;
  };

  XmlElement(SourceLocation location, std::string_view name, std::string_view tag,
             std::vector<Attribute> attributes)
      : location_(std::move(location)),
        name_(name),
        tag_(tag),
        attributes_(std::move(attributes)) {}

  const SourceLocation& location() const { return location_; }
  std::string_view name() const { return name_; }

  const std::vector<Attribute>& attributes() const { return attributes_; }
  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  /// Throws if there is no such attribute.
  std::string_view text(std::string_view attribute) const;
  /// A whole number in least..most, in the notation of C: 010 is 8, and so is 0x8.
  std::int64_t number(std::string_view attribute, std::int64_t least, std::int64_t most) const;
  /// The meaning of the attribute's value, by a table of words (`word`, `means`).
  template <typename Words>
  auto choice(std::string_view attribute, const Words& words) const {
    const auto found = std::ranges::find(words, text(attribute), [](auto& w) { return w.word; });
    if (found == words.end()) {
      std::vector<std::string_view> names;
      names.reserve(words.size());
      for (const auto& w : words) names.push_back(w.word);
      no_choice(attribute, names);
    }
    return found->means;
  }

  SourceLocation location_at(std::size_t offset) const;  ///< in the tag
  /// The location of the attribute's name, or of the element if it has no such attribute.
  SourceLocation location_of(std::string_view attribute) const;
  /// Throws InputError at the attribute's name, or at the element if it has no such attribute.
  [[noreturn]] void fail(std::string_view attribute, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const { throw InputError(location_, message); }

 private:
  const Attribute* find(std::string_view attribute) const;
  [[noreturn]] void no_choice(std::string_view attribute,
                              const std::vector<std::string_view>& choices) const;

  SourceLocation location_;
  std::string_view name_, tag_;  ///< `tag_`: the text that begins with '<'
  std::vector<Attribute> attributes_;
};

class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual void begin(const XmlElement& element) = 0;
  virtual void end(std::string_view name) = 0;
  /// A form of XML that NCCL's parser, and those made from it, do not accept: "a tab".
  virtual void unusual(const SourceLocation& location, std::string_view what) = 0;
  /// An element follows the first one, which XML does not allow and NCCL's parser does. Of all that
  /// follow the handler gets no more than their unusual forms.
  virtual void further(const SourceLocation& location) = 0;
};

/// Reads a text in UTF-8 and calls the handler for each element. Throws InputError with the
/// location for invalid XML, also in elements after the first; exceptions of the handler pass
/// through.
void read_xml(std::string_view text, const std::string& file, XmlHandler& handler);

}  // namespace schedcc
