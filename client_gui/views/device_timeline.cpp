// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/device_timeline.h"

#include <QDateTime>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "client_gui/models/device_text.h"
#include "client_gui/models/text.h"
#include "client_gui/views/theme.h"

namespace weft::gui {
namespace {

// Possible ends of the vertical axis, as fractions of the device's time.
constexpr double kScales[] = {0.05, 0.1, 0.2, 0.5, 1};
constexpr int kMark = 4;          // length of an axis mark in pixels
constexpr double kDimmed = 0.35;  // opacity of a dimmed chart
constexpr int kAxisParts = 5;     // number of sections of the time axis

// Classes from bottom to top: first the time not available to jobs, then the time of jobs.
constexpr TimePart kStack[] = {TimePart::kRealtime, TimePart::kExternalLoad, TimePart::kNormal,
                               TimePart::kSpare};

}  // namespace

DeviceTimeline::DeviceTimeline(const DeviceRecords& records, int server, QString device, QWidget* parent)
    : QWidget(parent), records_(records), server_(server), device_(std::move(device)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Device time of %1").arg(device_));
}

int DeviceTimeline::height_of_axes() const { return fontMetrics().height() + kMark; }
QSize DeviceTimeline::sizeHint() const { return {400, graph_height_ + height_of_axes()}; }
QSize DeviceTimeline::minimumSizeHint() const { return {200, graph_height_ + height_of_axes()}; }

void DeviceTimeline::set_available_height(int height) {
  const int graph_height = std::clamp(height - height_of_axes(), kLeastGraph, kMostGraph);
  if (std::exchange(graph_height_, graph_height) != graph_height) updateGeometry();
}

const DeviceHistory* DeviceTimeline::history() const {
  const DeviceRecord* record = records_.find(server_, device_);
  return record == nullptr ? nullptr : &record->history;
}

void DeviceTimeline::advance(double time) {
  time_ = time;
  choose_scale();
  if (const DeviceHistory* known = history(); known != nullptr && !known->samples().empty())
    setAccessibleDescription(words_of(known->samples().back()));
  update(graph());
}

void DeviceTimeline::set_span(double seconds) {
  if (seconds == span_) return;
  span_ = seconds;
  picture_ = {};
  choose_scale();
  update();
}

void DeviceTimeline::choose_scale() {
  double most = 0;
  if (const DeviceHistory* known = history(); known != nullptr)
    for (const DeviceSampleRow& sample : known->samples())
      if (sample.time > time_ - span_) most = std::max(most, 1 - share_of(sample, TimePart::kIdle));
  const double* scale = std::ranges::find_if(kScales, [&](double each) { return each >= most; });
  if (scale == std::end(kScales)) scale--;
  if (*scale == scale_) return;
  scale_ = *scale;
  picture_ = {};
  update();
}

void DeviceTimeline::set_dimmed(bool dimmed) {
  if (std::exchange(dimmed_, dimmed) != dimmed) update();
}

// --- The columns ---------------------------------------------------------------------------------

QRect DeviceTimeline::graph() const {
  const int left = fontMetrics().horizontalAdvance(QStringLiteral("100%")) + 2 * kMark;
  const int half_line = fontMetrics().height() / 2;
  return rect().adjusted(left, half_line, -1, -fontMetrics().height() - kMark);
}

QSize DeviceTimeline::picture_size() const { return graph().size() * devicePixelRatioF(); }

int64_t DeviceTimeline::edge_column(int columns) const {
  return int64_t(std::ceil(time_ / column_seconds(columns))) - 1;
}

const QImage& DeviceTimeline::columns() {
  const QSize size = picture_size();
  const int64_t edge = edge_column(size.width());
  const DeviceHistory* known = history();
  const double newest = known == nullptr || known->samples().empty() ? 0 : known->samples().back().time;
  const int64_t moved = edge - picture_edge_;
  const int64_t unfinished = int64_t(std::floor(painted_to_ / column_seconds(size.width())));
  if (picture_.size() != size || moved < 0 || moved >= size.width() || newest < painted_to_) {
    picture_ = QImage(size, QImage::Format_RGB32);
    paint_columns(picture_, edge - size.width() + 1);
  } else {
    for (int y = 0; y < size.height(); y++) {
      auto* line = reinterpret_cast<QRgb*>(picture_.scanLine(y));
      std::memmove(line, line + moved, size_t(size.width() - moved) * sizeof(QRgb));
    }
    paint_columns(picture_, std::min(picture_edge_ + 1, unfinished));
  }
  picture_edge_ = edge;
  painted_to_ = newest;
  return picture_;
}

QImage DeviceTimeline::columns_painted_anew() const {
  QImage picture(picture_size(), QImage::Format_RGB32);
  paint_columns(picture, edge_column(picture.width()) - picture.width() + 1);
  return picture;
}

// Paints the columns from `first` to the right end. Columns are counted from 1970.
void DeviceTimeline::paint_columns(QImage& picture, int64_t first) const {
  const int width = picture.width(), height = picture.height();
  const double seconds = column_seconds(width);
  const int64_t left = edge_column(width) - width + 1;
  const DeviceHistory* known = history();
  QPainter painter(&picture);
  for (int64_t column = std::max(first, left); column < left + width; column++) {
    const int x = int(column - left);
    painter.fillRect(x, 0, 1, height, palette().base());
    const auto sample = known == nullptr
                            ? std::nullopt
                            : known->average(double(column) * seconds, double(column + 1) * seconds);
    if (!sample) continue;
    painter.fillRect(x, 0, 1, height, colour_of(TimePart::kIdle));
    double sum = 0;
    int bottom = height;
    for (const TimePart part : kStack) {
      sum += share_of(*sample, part);
      const int top = height - int(std::lround(std::min(1.0, sum / scale_) * height));
      painter.fillRect(x, top, 1, bottom - top, colour_of(part));
      bottom = top;
    }
    const double budget = std::min(1.0, sample->realtime + sample->external_load + sample->budget);
    if (sample->budget > 0 && budget <= scale_)
      painter.fillRect(x, std::min(height - 1, height - int(std::lround(budget / scale_ * height))), 1,
                       std::max(1, int(devicePixelRatioF())), palette().color(QPalette::Text));
  }
}

// --- Axes and tool tip ---------------------------------------------------------------------------

void DeviceTimeline::paintEvent(QPaintEvent* event) {
  const QRect area = graph();
  if (area.width() <= 0 || area.height() <= 0) return;
  QPainter painter(this);
  if (dimmed_) painter.setOpacity(kDimmed);
  painter.drawImage(area, columns());
  painter.setOpacity(1);
  if (!area.contains(event->rect())) draw_axes(painter);
}

void DeviceTimeline::draw_axes(QPainter& painter) const {
  const QRect area = graph();
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(area.adjusted(-1, -1, 0, 0));
  const int line = fontMetrics().height();
  const auto mark = [&](int y, const QString& text) {
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(area.left() - kMark, y, area.left() - 1, y);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRect(0, y - line / 2, area.left() - 2 * kMark, line), Qt::AlignRight | Qt::AlignVCenter,
                     text);
  };
  mark(area.top(), percent(scale_));
  if (scale_ >= 0.1) mark(area.center().y(), percent(scale_ / 2));
  mark(area.bottom(), percent(0));
  for (int i = 0; i <= kAxisParts; i++) {
    const int x = area.left() + (area.width() - 1) * i / kAxisParts;
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(x, area.bottom() + 1, x, area.bottom() + kMark);
    painter.setPen(palette().color(QPalette::WindowText));
    const double ago = span_ * (kAxisParts - i) / kAxisParts;
    const QString text = i == kAxisParts ? tr("now") : tr("-%1").arg(age_text(ago));
    const int width = fontMetrics().horizontalAdvance(text);
    const int at = std::clamp(x - width / 2, area.left(), std::max(area.left(), area.right() - width));
    painter.drawText(QPoint(at, area.bottom() + kMark + fontMetrics().ascent()), text);
  }
}

QString DeviceTimeline::words_at(const QPoint& area) const {
  const QRect where = graph();
  const DeviceHistory* known = history();
  if (!where.contains(area) || known == nullptr) return {};
  const double seconds = column_seconds(where.width());
  const double from = double(edge_column(where.width()) - (where.right() - area.x())) * seconds;
  const auto sample = known->average(from, from + seconds);
  const QString when =
      QDateTime::fromMSecsSinceEpoch(qint64(from * 1000)).toString(QStringLiteral("HH:mm:ss"));
  if (!sample) return tr("%1: no data").arg(when);
  return tr("%1: %2; available to jobs %3").arg(when, words_of(*sample), percent(sample->budget));
}

void DeviceTimeline::changeEvent(QEvent* event) {
  picture_ = {};
  QWidget::changeEvent(event);
}

bool DeviceTimeline::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), words_at(help->pos()), this);
  return true;
}

}  // namespace weft::gui
