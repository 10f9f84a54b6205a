#include "format/dot/layout.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace schedcc::dot {

double length(Point a) { return std::hypot(a.x, a.y); }
Point unit(Point a) { return length(a) > 0 ? (1 / length(a)) * a : Point{1, 0}; }
Point right_of(Point a) { return {a.y, -a.x}; }

std::string text(Point p) {
  const auto tenth = [](double v) { return std::round(10 * v) / 10 + 0.0; };  // no -0
  return fmt::format("{:.1f},{:.1f}", tenth(p.x), tenth(p.y));
}

double Outline::reach(Point direction) const {
  if (!box) return x;
  const double across = std::abs(direction.x) > 0 ? x / std::abs(direction.x) : INFINITY;
  const double up = std::abs(direction.y) > 0 ? y / std::abs(direction.y) : INFINITY;
  return std::min(across, up);
}

Arrow::Arrow(Point from, Outline a, Point to, Outline b, Point shift1, Point shift2, double head) {
  const Point third = (1.0 / 3) * (to - from);
  c1 = from + third + shift1;
  c2 = to - third + shift2;
  start = from + a.reach(unit(c1 - from)) * unit(c1 - from);
  tip = to + b.reach(unit(c2 - to)) * unit(c2 - to);
  base = tip + head * unit(c2 - tip);
}

Point Arrow::label(double before, std::size_t letters) const {
  const double whole = length(tip - start);
  const double s = whole > 2 * before ? 1 - before / whole : 0.5, r = 1 - s;
  const Point on = r * r * r * start + 3 * r * r * s * c1 + 3 * r * s * s * c2 + s * s * s * tip;
  const Point aside = right_of(unit(tip - start));
  const double half_width = 2.9 * static_cast<double>(letters), half_height = 4;
  return on + (2 + half_width * std::abs(aside.x) + half_height * std::abs(aside.y)) * aside;
}

std::string Arrow::pos() const {
  return fmt::format("e,{} {} {} {} {}", text(tip), text(start), text(c1), text(c2), text(base));
}

std::string Arrow::pos(bool heads) const {
  if (!heads) return fmt::format("{} {} {} {}", text(start), text(c1), text(c2), text(tip));
  const Point behind = start + length(base - tip) * unit(c1 - start);
  return fmt::format("s,{} e,{} {} {} {} {}", text(start), text(tip), text(behind), text(c1),
                     text(c2), text(base));
}

}  // namespace schedcc::dot
