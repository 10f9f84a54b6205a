// Pictures of a schedule, which Graphviz draws: those of the format `dot`.

#include <string>
#include <string_view>

#include "format/dot/writer.hpp"
#include "format/entry.hpp"
#include "format/picture/graphviz.hpp"

namespace schedcc {

namespace {

class TextOutput : public Output {
 public:
  void write(std::string_view text) override { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void refuse(const Source& source, const EmitOptions& options) {
  require_graphviz();
  dot::refuse_picture(source, options);
}

/// The same command gives the same bytes: a document's date is a constant, of the same length.
std::string without_date(std::string picture) {
  constexpr std::string_view key = "/CreationDate (D:", date = "19700101000000";
  const std::size_t at = picture.find(key);
  if (at != std::string::npos && at + key.size() + date.size() <= picture.size())
    picture.replace(at + key.size(), date.size(), date);
  return picture;
}

template <const char* type>
void write(const Source& source, const EmitOptions& options, Output& out) {
  refuse(source, options);
  TextOutput dot;
  dot::write_picture(source, options, dot);
  out.write(without_date(draw_with_graphviz(type, dot.text())));
}

constexpr char svg[] = "svg", png[] = "png", pdf[] = "pdf";

}  // namespace

extern const FormatEntry svg_format, png_format, pdf_format;
const FormatEntry svg_format{
    .name = "svg",
    .summary = "the picture of `dot`, drawn by Graphviz, for pages and papers",
    .extensions = {".svg"},
    .parameters = dot::picture_parameters(),
    .refuse = refuse,
    .write = write<svg>,
};
const FormatEntry png_format{
    .name = "png",
    .summary = "the picture of `dot` as pixels, drawn by Graphviz",
    .extensions = {".png"},
    .parameters = dot::picture_parameters(),
    .refuse = refuse,
    .write = write<png>,
};
const FormatEntry pdf_format{
    .name = "pdf",
    .summary = "the picture of `dot` as a document, drawn by Graphviz",
    .extensions = {".pdf"},
    .parameters = dot::picture_parameters(),
    .refuse = refuse,
    .write = write<pdf>,
};

}  // namespace schedcc
