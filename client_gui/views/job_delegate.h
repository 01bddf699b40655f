// SPDX-License-Identifier: Apache-2.0
// Draws a job's state with its colour, and how much of it is done as a bar.
#pragma once

#include <QStyledItemDelegate>

namespace weft::gui {

class JobDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace weft::gui
