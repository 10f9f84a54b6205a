// Expat parses the text and checks that it is well-formed, without duplicate attributes. It reports
// where an element begins; the location of an attribute is searched for on demand.

#include "format/msccl/xml.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <memory>

#include <expat.h>
#include <fmt/core.h>

#include "core/encoding.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"

namespace schedcc {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Where in a well-formed tag the attribute's name begins; 0 if there is no such attribute.
std::size_t offset_of(std::string_view tag, std::string_view attribute) {
  std::size_t at = tag.find_first_of(" \t\n\r>");
  while (at < tag.size() && tag[at] != '>' && tag[at] != '/') {
    if (is_space(tag[at])) {
      ++at;
      continue;
    }
    const std::size_t equals = tag.find('=', at);
    if (equals == std::string_view::npos) break;
    const std::size_t quote = tag.find_first_of("\"'", equals);
    if (quote == std::string_view::npos) break;
    const std::string_view name = tag.substr(at, tag.find_first_of("= \t\n\r", at) - at);
    if (name == attribute) return at;
    at = tag.find(tag[quote], quote + 1);
    if (at != std::string_view::npos) ++at;
  }
  return 0;
}

/// The part of a well-formed tag that NCCL's parser does not accept, and where it is; "" if there
/// is none. It takes single blanks between attributes, and up to 254 characters of a value, as they
/// are.
std::pair<std::size_t, std::string_view> unusual_form(std::string_view tag) {
  constexpr std::size_t longest = 254;
  for (std::size_t at = 0; at < tag.size() && tag[at] != '>'; ++at) {
    switch (tag[at]) {
      case '\t':
        return {at, "a tab"};
      case '\n':
      case '\r':
        return {at, "the end of a line within a tag"};
      case '\'':
        return {at, "single quotes"};
      case '=':
        if (tag[at - 1] == ' ' || tag[at + 1] == ' ') return {at, "a blank beside '='"};
        break;
      case '"': {
        const std::size_t end = tag.find('"', at + 1);
        if (end == std::string_view::npos) return {};
        if (end - at - 1 > longest) return {at, "a value of more than 254 characters"};
        const std::string_view value = tag.substr(at, end - at);
        if (const std::size_t reference = value.find('&'); reference != std::string_view::npos) {
          return {at + reference,
                  value[reference + 1] == '#' ? "a character reference" : "an entity reference"};
        }
        at = end;
        break;
      }
      default:
        break;
    }
  }
  return {};
}

/// Reads a whole number as C's strtoll with base 0 does, all of it.
std::errc parse(std::string_view text, std::int64_t& number) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, base);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    return std::errc::invalid_argument;
  }
  if (error != std::errc() || size > INT64_MAX) return std::errc::result_out_of_range;
  number = negative ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
  return {};
}

/// Passes on the form of elements only.
class FormHandler : public XmlHandler {
 public:
  explicit FormHandler(XmlHandler& handler) : handler_(handler) {}
  void begin(const XmlElement&) override {}
  void end(std::string_view) override {}
  void unusual(const SourceLocation& location, std::string_view what) override {
    handler_.unusual(location, what);
  }
  void further(const SourceLocation&) override {}

 private:
  XmlHandler& handler_;
};

/// Expat's callbacks. Exceptions do not pass through C: they are kept, and parsing is stopped.
class Reader {
 public:
  /// `begin`: where the text begins.
  Reader(std::string_view text, SourceLocation begin, XmlHandler& handler)
      : text_(text),
        begin_(std::move(begin)),
        handler_(handler),
        parser_(XML_ParserCreate("UTF-8")) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* name, const XML_Char** attributes) {
          static_cast<Reader*>(self)->guard([&](Reader& r) { r.begin(name, attributes); });
        },
        [](void* self, const XML_Char* name) {
          static_cast<Reader*>(self)->guard([&](Reader& r) { r.handler_.end(name); });
        });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const XML_Char* data, int size) {
      static_cast<Reader*>(self)->guard(
          [&](Reader& r) { r.between(std::string_view(data, static_cast<std::size_t>(size))); });
    });
    XML_SetStartDoctypeDeclHandler(
        parser_.get(), [](void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
          static_cast<Reader*>(self)->guard([](Reader& r) {
            throw InputError(r.location(), "a document type is not allowed here");
          });
        });
    XML_SetXmlDeclHandler(parser_.get(), [](void* self, const XML_Char*, const XML_Char*, int) {
      unusual(self, "an XML declaration");
    });
    XML_SetProcessingInstructionHandler(parser_.get(),
                                        [](void* self, const XML_Char*, const XML_Char*) {
                                          unusual(self, "a processing instruction");
                                        });
  }

  /// `alone`: an element after the first is an error.
  void read(bool alone = false) {
    constexpr std::size_t piece = std::size_t{1} << 24;
    for (std::size_t at = 0;; at += piece) {
      const std::string_view part = text_.substr(at, piece);
      const bool last = at + part.size() == text_.size();
      const XML_Status status =
          XML_Parse(parser_.get(), part.data(), static_cast<int>(part.size()), last);
      if (error_) std::rethrow_exception(error_);
      if (status != XML_STATUS_OK) {
        if (!alone && is_before_element()) return read_further();
        throw InputError(location(), fmt::format("invalid XML: {}",
                                                 XML_ErrorString(XML_GetErrorCode(parser_.get()))));
      }
      if (last) return;
    }
  }

 private:
  template <typename F>
  void guard(F call) {
    if (error_) return;
    try {
      call(*this);
    } catch (...) {
      error_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  /// Whether the parser stopped at an element that follows the first one.
  bool is_before_element() const {
    return XML_GetErrorCode(parser_.get()) == XML_ERROR_JUNK_AFTER_DOC_ELEMENT &&
           rest().starts_with('<');
  }

  /// The text that begins at the parser's position.
  std::string_view rest() const {
    const XML_Index at = XML_GetCurrentByteIndex(parser_.get());
    return at < 0 ? std::string_view() : text_.substr(static_cast<std::size_t>(at));
  }

  /// Reads the rest as the content of an element, of which the handler learns only the form.
  void read_further() {
    constexpr std::string_view open = "<all>";
    constexpr std::string_view close = "</all>";
    SourceLocation begin = location();
    handler_.further(begin);
    begin.column -= static_cast<std::uint32_t>(open.size());
    const std::string whole = fmt::format("{}{}{}", open, rest(), close);
    FormHandler form(handler_);
    Reader(whole, std::move(begin), form).read(true);
  }

  static void unusual(void* self, std::string_view what) {
    static_cast<Reader*>(self)->guard([&](Reader& r) { r.handler_.unusual(r.location(), what); });
  }

  SourceLocation location() const {
    const auto number = [](XML_Size n) {
      return static_cast<std::uint32_t>(std::min<XML_Size>(n, UINT32_MAX));
    };
    const std::uint32_t line = number(XML_GetCurrentLineNumber(parser_.get()));
    const std::uint32_t column = number(XML_GetCurrentColumnNumber(parser_.get()));
    return {begin_.file, begin_.line + line - 1, line == 1 ? begin_.column + column : column + 1};
  }

  void begin(const XML_Char* name, const XML_Char** attributes) {
    std::vector<XmlElement::Attribute> list;
    for (; *attributes != nullptr; attributes += 2) list.push_back({attributes[0], attributes[1]});
    const std::string_view tag = rest();
    const XmlElement element(location(), name, tag, std::move(list));
    if (const auto [offset, what] = unusual_form(tag); !what.empty()) {
      handler_.unusual(element.location_at(offset), what);
    }
    handler_.begin(element);
  }

  void between(std::string_view text) {
    if (!std::ranges::all_of(text, is_space)) {
      throw InputError(location(),
                       fmt::format("there is text between elements: '{}'", printable(text)));
    }
    if (text.find('\t') != std::string_view::npos) handler_.unusual(location(), "a tab");
  }

  struct ParserDeleter {
    void operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }
  };
  std::string_view text_;
  SourceLocation begin_;
  XmlHandler& handler_;
  std::unique_ptr<XML_ParserStruct, ParserDeleter> parser_;
  std::exception_ptr error_;
};

}  // namespace

const XmlElement::Attribute* XmlElement::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes_, attribute, &Attribute::name);
  return found == attributes_.end() ? nullptr : &*found;
}

std::string_view XmlElement::text(std::string_view attribute) const {
  const Attribute* found = find(attribute);
  if (found == nullptr) fail(fmt::format("<{}> has no attribute '{}'", name_, attribute));
  return found->value;
}

std::int64_t XmlElement::number(std::string_view attribute, std::int64_t least,
                                std::int64_t most) const {
  const std::string_view value = text(attribute);
  std::int64_t number = 0;
  const std::errc error = parse(value, number);
  if (error == std::errc::invalid_argument) {
    fail(attribute, fmt::format("'{}' is a whole number, not '{}'", attribute, printable(value)));
  }
  if (error != std::errc() || number < least || number > most) {
    fail(attribute,
         fmt::format("'{}' must be in {}..{}, not {}", attribute, least, most, printable(value)));
  }
  return number;
}

void XmlElement::no_choice(std::string_view attribute,
                           const std::vector<std::string_view>& choices) const {
  fail(attribute, unknown(fmt::format("value of '{}'", attribute), text(attribute), choices));
}

void XmlElement::fail(std::string_view attribute, const std::string& message) const {
  throw InputError(location_of(attribute), message);
}

SourceLocation XmlElement::location_of(std::string_view attribute) const {
  return location_at(offset_of(tag_, attribute));
}

SourceLocation XmlElement::location_at(std::size_t offset) const {
  SourceLocation location = location_;
  const std::string_view before = tag_.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  if (newline == std::string_view::npos) {
    location.column += static_cast<std::uint32_t>(before.size());
  } else {
    location.line += static_cast<std::uint32_t>(std::ranges::count(before, '\n'));
    location.column = static_cast<std::uint32_t>(before.size() - newline);
  }
  return location;
}

void read_xml(std::string_view text, const std::string& file, XmlHandler& handler) {
  refuse_utf16(text, file);
  if (text.starts_with(byte_order_mark)) handler.unusual({file, 1, 1}, "a byte order mark");
  Reader(without_byte_order_mark(text), {file, 1, 1}, handler).read();
}

}  // namespace schedcc
