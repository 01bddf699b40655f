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
// input's fraction of the width that the names of input and output share
constexpr double kInputPart = 0.6;
constexpr qsizetype kMostTexts = 4096;  // limit of cached layouts

// Draws a cell's background and focus frame.
void draw_background(QPainter* painter, QStyleOptionViewItem option) {
  option.features &= ~QStyleOptionViewItem::ViewItemFeatures(QStyleOptionViewItem::HasDisplay);
  option.text.clear();
  const QStyle* style = option.widget == nullptr ? QApplication::style() : option.widget->style();
  style->drawControl(QStyle::CE_ItemViewItem, &option, painter, option.widget);
}

QColor text_colour(const QStyleOptionViewItem& option) {
  const bool selected = (option.state & QStyle::State_Selected) != 0;
  return option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
}

// Returns both names, elided in the middle, since numbers and extensions are at the ends of names.
QString elided_files(const QString& files, const QFontMetrics& metrics, int width) {
  static const QString kArrow = QStringLiteral(" -> ");
  if (metrics.horizontalAdvance(files) <= width) return files;
  const auto arrow = files.indexOf(kArrow);
  if (arrow < 0) return metrics.elidedText(files, Qt::ElideMiddle, width);
  const QString input = files.left(arrow), output = files.mid(arrow + kArrow.size());
  const int rest = std::max(0, width - metrics.horizontalAdvance(kArrow));
  const int input_width = metrics.horizontalAdvance(input), output_width = metrics.horizontalAdvance(output);
  const int first = std::min(input_width, std::max(int(rest * kInputPart), rest - output_width));
  return metrics.elidedText(input, Qt::ElideMiddle, first) + kArrow +
         metrics.elidedText(output, Qt::ElideMiddle, rest - first);
}

void draw_bar(QPainter* painter, const QStyleOptionViewItem& option, const QRect& area, double done,
              const QColor& colour) {
  QRectF bar(area.left(), area.center().y() - 3, area.width(), 7);
  if (bar.width() < 2 * kMarkWidth) return;
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  QColor track = text_colour(option);
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
  painter->save();
  painter->setClipRect(option.rect);
  // Selected rows have the text colour of the selection, because state colours are unreadable
  // there.
  const bool selected = (option.state & QStyle::State_Selected) != 0;
  const QColor colour =
      selected ? text_colour(option) : colour_of(v1::JobState(index.data(JobsModel::kStateRole).toInt()));
  QRect area = option.rect.adjusted(kGap / 2, 0, -kGap / 2, 0);
  if (JobColumn(index.column()) == JobColumn::kState) {
    painter->fillRect(QRect(area.left(), area.top() + 3, kMarkWidth, area.height() - 6), colour);
    area.setLeft(area.left() + kMarkWidth + kGap / 2);
  }
  const double done = index.data(JobsModel::kDoneRole).toDouble();
  if (JobColumn(index.column()) == JobColumn::kDone && done >= 0) {
    const int text_width = option.fontMetrics.horizontalAdvance(QStringLiteral("100.0%")) + kGap;
    draw_bar(painter, option, area.adjusted(0, 0, -text_width - kGap, 0), done, colour);
    area.setLeft(area.right() - text_width);
    option.displayAlignment = Qt::AlignRight | Qt::AlignVCenter;
  }
  draw_text(painter, option, area, JobColumn(index.column()) == JobColumn::kFiles);
  painter->restore();
}

void JobDelegate::draw_text(QPainter* painter, const QStyleOptionViewItem& option, const QRect& area,
                            bool is_files) const {
  if (option.text.isEmpty()) return;
  const QStaticText& text = laid_out(option.text, option.font, area.width(), is_files);
  const QSizeF size = text.size();
  const bool right = (option.displayAlignment & Qt::AlignRight) != 0;
  const double x = right ? area.left() + area.width() - size.width() : area.left();
  painter->setFont(option.font);
  painter->setPen(text_colour(option));
  painter->drawStaticText(QPointF(x, area.top() + (area.height() - size.height()) / 2), text);
}

const QStaticText& JobDelegate::laid_out(const QString& text, const QFont& font, int width,
                                         bool is_files) const {
  if (font != font_ || texts_.size() >= kMostTexts) texts_.clear();
  font_ = font;
  QStaticText& known = texts_[{text, is_files ? -width : width}];
  if (known.text().isEmpty()) {
    QString line = text;
    // QStyledItemDelegate replaces line breaks by line separators; the cell has one line.
    line.replace(QChar::LineSeparator, QLatin1Char(' '));
    known.setTextFormat(Qt::PlainText);
    const QFontMetrics metrics(font);
    known.setText(is_files ? elided_files(line, metrics, width)
                           : metrics.elidedText(line, Qt::ElideRight, width));
    known.prepare({}, font);
  }
  return known;
}

}  // namespace weft::gui
