#include "core/json.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "schedcc/error.hpp"

namespace schedcc {

/// Converts a document for the JSON library.
struct JsonLibrary {
  using Document = nlohmann::ordered_json;

  static Document document(const Json& json) {
    switch (json.kind_) {
      case Json::Kind::null:
        return nullptr;
      case Json::Kind::boolean:
        return json.integer_ != 0;
      case Json::Kind::integer:
        return json.integer_;
      case Json::Kind::real:
        return json.real_;
      case Json::Kind::string:
        return json.text_;
      case Json::Kind::array:
        return array(json);
      case Json::Kind::object:
        return object(json);
    }
    return nullptr;
  }

 private:
  static Document array(const Json& json) {
    Document result = Document::array();
    for (const Json& element : json.elements_) result.push_back(document(element));
    return result;
  }

  static Document object(const Json& json) {
    Document result = Document::object();
    for (std::size_t i = 0; i < json.keys_.size(); ++i) {
      result[json.keys_[i]] = document(json.elements_[i]);
    }
    return result;
  }
};

Json::Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(Kind kind) : kind_(kind) {}
Json::Json(std::nullptr_t) {}
Json::Json(bool value) : kind_(Kind::boolean), integer_(value ? 1 : 0) {}
Json::Json(double value) : kind_(Kind::real), real_(value) {}
Json::Json(const char* value) : kind_(Kind::string), text_(value) {}
Json::Json(std::string_view value) : kind_(Kind::string), text_(value) {}
Json::Json(std::string value) : kind_(Kind::string), text_(std::move(value)) {}

Json::Json(std::initializer_list<Member> members) : kind_(Kind::object) {
  for (const Member& member : members) (*this)[member.key] = member.value;
}

Json Json::array() { return Json(Kind::array); }
Json Json::object() { return Json(Kind::object); }

void Json::become(Kind kind) {
  if (kind_ == Kind::null) kind_ = kind;
  if (kind_ != kind) throw InternalError("a JSON value of another kind");
}

Json& Json::operator[](std::string_view key) {
  become(Kind::object);
  const auto found = std::ranges::find(keys_, key);
  if (found != keys_.end()) return elements_[static_cast<std::size_t>(found - keys_.begin())];
  keys_.emplace_back(key);
  return elements_.emplace_back();
}

void Json::push_back(Json element) {
  become(Kind::array);
  elements_.push_back(std::move(element));
}

Json& Json::back() { return elements_.back(); }

const Json* Json::find(std::string_view key) const {
  const auto found = std::ranges::find(keys_, key);
  return found == keys_.end() ? nullptr
                              : &elements_[static_cast<std::size_t>(found - keys_.begin())];
}

std::string dump(const Json& document) {
  using Document = JsonLibrary::Document;
  return JsonLibrary::document(document).dump(2, ' ', false, Document::error_handler_t::replace) +
         "\n";
}

std::string dump_line(const Json& document) {
  using Document = JsonLibrary::Document;
  return JsonLibrary::document(document).dump(-1, ' ', false, Document::error_handler_t::replace) +
         "\n";
}

}  // namespace schedcc
