// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/job_delegate.h"

#include <QApplication>
#include <QPainter>

#include "client_gui/models/jobs_model.h"
#include "client_gui/views/theme.h"

namespace weft::gui {
namespace {

constexpr int kMarkWidth = 4;
constexpr int kGap = 6;

// What the style draws of a cell without a text: its background.
void draw_background(QPainter* painter, QStyleOptionViewItem option) {
  option.text.clear();
  const QStyle* style = option.widget == nullptr ? QApplication::style() : option.widget->style();
  style->drawControl(QStyle::CE_ItemViewItem, &option, painter, option.widget);
}

QColor text_colour(const QStyleOptionViewItem& option) {
  const bool selected = (option.state & QStyle::State_Selected) != 0;
  return option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
}

void draw_state(QPainter* painter, const QStyleOptionViewItem& option, const QColor& colour) {
  const QRect mark(option.rect.left() + kGap / 2, option.rect.top() + 3, kMarkWidth,
                   option.rect.height() - 6);
  painter->fillRect(mark, colour);
  painter->setPen(text_colour(option));
  const QRect place = option.rect.adjusted(kGap + kMarkWidth, 0, -kGap / 2, 0);
  painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter, option.text);
}

void draw_bar(QPainter* painter, const QStyleOptionViewItem& option, double done, const QColor& colour) {
  const int text_width = option.fontMetrics.horizontalAdvance(QStringLiteral("100.0%")) + kGap;
  const QRect place = option.rect.adjusted(kGap / 2, 0, -kGap / 2, 0);
  painter->setPen(text_colour(option));
  painter->drawText(QRect(place.right() - text_width, place.top(), text_width, place.height()),
                    Qt::AlignRight | Qt::AlignVCenter, option.text);
  QRectF bar(place.left(), place.center().y() - 3, place.width() - text_width - kGap, 7);
  if (bar.width() < 2 * kMarkWidth) return;
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  QColor track = option.palette.color(QPalette::Text);
  track.setAlphaF(0.15f);
  painter->setBrush(track);
  painter->drawRoundedRect(bar, 3, 3);
  bar.setWidth(bar.width() * done);
  painter->setBrush(colour);
  painter->drawRoundedRect(bar, 3, 3);
}

}  // namespace

void JobDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given,
                        const QModelIndex& index) const {
  QStyleOptionViewItem option = given;
  initStyleOption(&option, index);
  draw_background(painter, option);
  const QColor colour = colour_of(v1::JobState(index.data(JobsModel::kStateRole).toInt()));
  painter->save();
  painter->setClipRect(option.rect);
  if (JobColumn(index.column()) == JobColumn::kState)
    draw_state(painter, option, colour);
  else if (const double done = index.data(JobsModel::kDoneRole).toDouble(); done >= 0)
    draw_bar(painter, option, done, colour);
  painter->restore();
}

}  // namespace weft::gui
