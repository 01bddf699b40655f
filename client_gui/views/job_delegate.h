// SPDX-License-Identifier: Apache-2.0
// Draws the cells of the jobs table: coloured states, progress bars and text. Layouts of texts are
// cached, since a table that changes ten times a second mostly redraws the same texts.
#pragma once

#include <QFont>
#include <QHash>
#include <QStaticText>
#include <QStyledItemDelegate>
#include <utility>

namespace weft::gui {

class JobDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  void draw_text(QPainter* painter, const QStyleOptionViewItem& option, const QRect& area,
                 bool is_files) const;
  // Returns the layout of a text for a font and a width.
  const QStaticText& laid_out(const QString& text, const QFont& font, int width, bool is_files) const;

  // layouts by text and width; a negative width means file names
  mutable QHash<std::pair<QString, int>, QStaticText> texts_;
  mutable QFont font_;  // font of the cached layouts
};

}  // namespace weft::gui
