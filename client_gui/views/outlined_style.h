// SPDX-License-Identifier: Apache-2.0
// Qt's Fusion style with outlines of boxes, radio buttons and fields that are seen: Fusion darkens the window's colour for them,
// which on dark ground nobody sees.
#pragma once

#include <QProxyStyle>

namespace weft::gui {

class OutlinedStyle : public QProxyStyle {
  Q_OBJECT

 public:
  // `outline`: has kLineContrast on the theme's grounds.
  explicit OutlinedStyle(const QColor& outline);

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;

 private:
  QColor window_;  // of which Fusion makes the outline
};

}  // namespace weft::gui
