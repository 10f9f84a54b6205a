#pragma once

// Documents of JSON. The JSON library writes them; its header, which costs seconds in every file
// that includes it, stays in json.cpp.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedcc {

/// A value of JSON: null, a boolean, a number, a string, an array, or an object, whose members keep
/// the order in which they were added.
class Json {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };
  struct Member;

  Json();
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  Json(std::nullptr_t);
  Json(bool value);
  Json(double value);
  template <std::unsigned_integral Integer>
  Json(Integer value) : Json(Kind::integer) {
    integer_ = value;
  }
  Json(const char* value);
  Json(std::string_view value);
  Json(std::string value);
  /// Null for none.
  template <typename T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
  /// An array.
  template <typename T>
  Json(const std::vector<T>& elements) : Json(Kind::array) {
    for (const T& element : elements) push_back(element);
  }
  /// An object.
  Json(std::initializer_list<Member> members);

  static Json array();
  static Json object();

  /// The member `key` of an object, added as null if it is new; a null becomes an object.
  Json& operator[](std::string_view key);
  /// Adds to an array; a null becomes one.
  void push_back(Json element);
  /// The last element of an array that has one.
  Json& back();

  /// The member `key` of an object, or null if there is none.
  const Json* find(std::string_view key) const;
  /// The value of a whole number.
  std::uint64_t integer() const { return integer_; }
  /// The characters of a string.
  const std::string& text() const { return text_; }
  /// The elements of an array, or the values of an object's members.
  const std::vector<Json>& elements() const { return elements_; }
  /// The keys of an object's members, as many as there are elements.
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  friend struct JsonLibrary;
  explicit Json(Kind kind);
  /// Turns a null into an array or an object; throws InternalError for any other value.
  void become(Kind kind);

  Kind kind_ = Kind::null;
  std::uint64_t integer_ = 0;  ///< and boolean
  double real_ = 0;
  std::string text_;
  std::vector<std::string> keys_;
  std::vector<Json> elements_;
};

struct Json::Member {
  std::string key;
  Json value;
};

/// The text of a document, with what is not UTF-8 replaced, and a newline.
std::string dump(const Json& document);
/// The same in one line.
std::string dump_line(const Json& document);

}  // namespace schedcc
