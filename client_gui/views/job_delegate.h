// SPDX-License-Identifier: Apache-2.0
// Draws the cells of the table of jobs: a state with its colour, how much is done as a bar, all else as text. What was laid
// out is kept, as a table that changes ten times a second mostly draws the same texts again.
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
  void draw_text(QPainter* painter, const QStyleOptionViewItem& option, const QRect& place,
                 bool is_files) const;
  // The text as it is drawn with the font in a place of that width.
  const QStaticText& laid_out(const QString& text, const QFont& font, int width, bool is_files) const;

  mutable QHash<std::pair<QString, int>, QStaticText>
      texts_;           // by text and width, which is below 0 for files
  mutable QFont font_;  // of all of them
};

}  // namespace weft::gui
