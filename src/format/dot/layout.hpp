#pragma once

// Plane geometry for pictures, in points: positions, and arrows between them. y increases upwards,
// as in Graphviz.

#include <cstddef>
#include <string>

namespace schedcc::dot {

/// A position, or the vector from one to another.
struct Point {
  double x = 0, y = 0;
};
inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point operator*(double s, Point a) { return {s * a.x, s * a.y}; }

/// Its length.
double length(Point a);
/// The same direction with length 1; to the right if the length is 0.
Point unit(Point a);
/// `a` rotated clockwise by 90 degrees.
Point right_of(Point a);
/// "x,y" in tenths, as Graphviz reads it.
std::string text(Point p);

/// The outline of a node: a circle, or a box.
struct Outline {
  double x, y;  ///< half of width and height
  bool box = false;

  /// The distance from its centre to the outline in a direction.
  double reach(Point direction) const;
};

/// An arrow as a Bezier curve from outline to outline.
struct Arrow {
  Point start, c1, c2, base, tip;

  /// The control points are a third of the way from either end, moved by `shift1` and `shift2`.
  Arrow(Point from, Outline a, Point to, Outline b, Point shift1, Point shift2, double head);
  /// The position of a label of some letters: to the right of the curve, `before` points ahead of
  /// its tip or in its middle.
  Point label(double before, std::size_t letters) const;
  /// The curve as Graphviz reads it, with a head at its tip.
  std::string pos() const;
  /// With a head at either end, or at none.
  std::string pos(bool heads) const;
};

}  // namespace schedcc::dot
