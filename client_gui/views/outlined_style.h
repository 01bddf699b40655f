// SPDX-License-Identifier: Apache-2.0
// Adds visible outlines to Qt's Fusion style. Fusion darkens the window's colour for outlines, so
// that they are invisible on dark grounds.
#pragma once

#include <QProxyStyle>

namespace weft::gui {

class OutlinedStyle : public QProxyStyle {
  Q_OBJECT

 public:
  // `outline` has kLineContrast on the grounds of the theme.
  explicit OutlinedStyle(const QColor& outline);

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;

 private:
  QColor window_;  // colour that makes Fusion draw `outline`
};

}  // namespace weft::gui
