// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/contrast.h"

#include <algorithm>
#include <cmath>

namespace weft::gui {
namespace {

constexpr int kSteps = 20;  // number of mixtures that are tried

// Returns the relative luminance of an sRGB colour as defined by the guidelines.
double luminance(const QColor& colour) {
  const auto linear = [](double part) {
    return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

QColor mix(const QColor& from, const QColor& to, double part) {
  const auto between = [part](float a, float b) { return float(a + (b - a) * part); };
  return QColor::fromRgbF(between(from.redF(), to.redF()), between(from.greenF(), to.greenF()),
                          between(from.blueF(), to.blueF()));
}

}  // namespace

double contrast(const QColor& a, const QColor& b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

QColor flattened(const QColor& colour, const QColor& ground) { return mix(ground, colour, colour.alphaF()); }

QColor readable(const QColor& text, std::initializer_list<QColor> grounds) {
  const auto is_seen = [&](const QColor& colour) {
    return std::all_of(grounds.begin(), grounds.end(),
                       [&](const QColor& ground) { return contrast(colour, ground) >= kTextContrast; });
  };
  const bool on_dark = contrast(*grounds.begin(), Qt::white) > contrast(*grounds.begin(), Qt::black);
  const QColor end(on_dark ? Qt::white : Qt::black);
  QColor mixed = text;
  for (int step = 1; step <= kSteps && !is_seen(mixed); step++) mixed = mix(text, end, double(step) / kSteps);
  return mixed;
}

}  // namespace weft::gui
