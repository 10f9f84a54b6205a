#pragma once

// Plane geometry for pictures, in points: where things stand, and the arrows between them. y goes
// up, as it does in Graphviz.

#include <cstddef>
#include <cstdint>
#include <string>

namespace schedcc::dot {

/// A place, or the way from one to another.
struct Point {
  double x = 0, y = 0;
};
inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point operator*(double s, Point a) { return {s * a.x, s * a.y}; }

/// How long the way is.
double length(Point a);
/// The same direction with length 1; of no way at all, to the right.
Point unit(Point a);
/// `a` turned to the right.
Point right_of(Point a);
/// "x,y" in tenths, as Graphviz reads it.
std::string text(Point p);

/// The outline of a node: a circle, or a box.
struct Outline {
  double x, y;  ///< half of width and height
  bool box = false;

  /// How far it reaches from its centre in a direction.
  double reach(Point direction) const;
};

/// An arrow as a Bezier curve from outline to outline.
struct Arrow {
  Point start, c1, c2, base, tip;

  /// The control points are a third of the way from either end, moved by `shift1` and `shift2`.
  Arrow(Point from, Outline a, Point to, Outline b, Point shift1, Point shift2, double head);
  /// The place of a label of some letters: to the right of the curve, `before` points ahead of its
  /// tip or in its middle.
  Point label(double before, std::size_t letters) const;
  /// The curve as Graphviz reads it, with a head at its tip.
  std::string pos() const;
  /// With a head at either end, or at none.
  std::string pos(bool heads) const;
};

}  // namespace schedcc::dot
