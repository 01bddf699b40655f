// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/decision_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "client_gui/views/theme.h"

namespace weft::gui {
namespace {

constexpr int kChartGap = 6, kChartMark = 4;
constexpr int kLaneLines = 3, kPictureLaneLines = 5;    // heights of a lane in lines of text
constexpr int kPictureWidth = 1200, kPictureScale = 2;  // pixels, and dots for each of them
constexpr double kChartZoom = 1.25;
constexpr float kRangeOpacity = 0.5f;
constexpr double kLeastSpan = 0.2;  // seconds
constexpr int kMarkDistance = 90;   // least distance of two marks of the axis in pixels

// Values of a quantity in a column of pixels.
struct ColumnValues {
  double least = 0, most = 0;
  double sum = 0, weight = 0;

  bool is_known() const { return weight > 0; }
  double mean() const { return sum / weight; }
  void add(double value, double weight_of_value) {
    least = is_known() ? std::min(least, value) : value;
    most = is_known() ? std::max(most, value) : value;
    sum += value * weight_of_value;
    weight += weight_of_value;
  }
};

}  // namespace

DecisionChart::DecisionChart(DecisionRow decision, QWidget* parent)
    : QWidget(parent), decision_(std::move(decision)), span_(whole()) {
  for (size_t i = 0; i < decision_.series.size(); i++) {
    if (decision_.series[i].is_identifier) continue;
    const auto [least, most] = axis_ends(decision_, i);
    lanes_.push_back({i, least, most});
  }
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Decision of %1").arg(decision_.analysis));
  setAccessibleDescription(decision_.report);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::MinimumExpanding);
}

DecisionChart::Span DecisionChart::whole() const {
  if (decision_.sections.empty()) return {};
  return {decision_.sections.front().begin, decision_.sections.back().end};
}

void DecisionChart::set_span(Span span) {
  const Span all = whole();
  const double length = std::clamp(span.length(), std::min(kLeastSpan, all.length()), all.length());
  span.begin = std::clamp(span.begin, all.begin, all.end - length);
  span.end = span.begin + length;
  if (std::exchange(span_, span) != span) update();
}

void DecisionChart::select(int section) {
  if (std::exchange(selected_, section) == section) return;
  setAccessibleDescription(section < 0 ? decision_.report : words_of(section));
  emit section_selected(section);
  update();
}

QString DecisionChart::words_of(int section) const {
  return words_of_section(decision_, decision_.sections[size_t(section)]);
}

// --- Geometry ------------------------------------------------------------------------------------

int DecisionChart::height_for(int lane_lines) const {
  const int line = fontMetrics().height(), rows = 3;  // title, legend, axis
  return kChartGap + rows * (line + kChartGap) + strip_height() + kChartGap +
         int(lanes_.size()) * (lane_lines * line + kChartGap);
}

QSize DecisionChart::sizeHint() const { return {600, height_for(kLaneLines)}; }
QSize DecisionChart::minimumSizeHint() const { return {300, height_for(1)}; }
int DecisionChart::height_for_picture() const { return height_for(kPictureLaneLines); }

int DecisionChart::strip_height() const { return fontMetrics().height() * 3 / 2; }

int DecisionChart::margin() const {
  int widest = 0;
  for (const Lane& lane : lanes_)
    for (const QString& text :
         {term_text(decision_.series[lane.series].name), value_number(lane.least), value_number(lane.most)})
      widest = std::max(widest, fontMetrics().horizontalAdvance(text));
  return widest + 2 * kChartGap;
}

DecisionChart::Layout DecisionChart::layout_of(const QRect& area) const {
  Layout layout;
  const int line = fontMetrics().height(), count = int(lanes_.size());
  int y = area.top() + kChartGap;
  const auto row = [&](int height, int left = 0) {
    const QRect rect(area.left() + kChartGap + left, y, area.width() - 2 * kChartGap - left, height);
    y += height + kChartGap;
    return rect;
  };
  layout.title = row(line);
  layout.legend = row(line);
  layout.strip = row(strip_height(), margin());
  const int rest = area.bottom() - line - kChartGap - y;
  for (int i = 0; i < count; i++)
    layout.lanes.push_back(row(std::max(rest / count - kChartGap, line), margin()));
  layout.axis = row(line, margin());
  return layout;
}

double DecisionChart::x_of(double time, const QRect& across) const {
  return across.left() + (time - span_.begin) / span_.length() * across.width();
}

double DecisionChart::time_at(double x) const {
  const QRect across = strip();
  return span_.begin + (x - across.left()) / std::max(across.width(), 1) * span_.length();
}

std::pair<size_t, size_t> DecisionChart::visible() const {
  const auto& all = decision_.sections;
  const auto first = std::ranges::upper_bound(all, span_.begin, {}, &DecisionSectionRow::end);
  const auto end = std::ranges::lower_bound(all, span_.end, {}, &DecisionSectionRow::begin);
  return {size_t(first - all.begin()), size_t(std::max(first, end) - all.begin())};
}

int DecisionChart::section_at(const QPoint& position) const {
  const Layout layout = layout_of(rect());
  const QRect charts = layout.lanes.empty() ? layout.strip : layout.strip.united(layout.lanes.back());
  if (!charts.contains(position)) return -1;
  const double time = time_at(position.x() + 0.5);
  const auto& all = decision_.sections;
  const auto found = std::ranges::upper_bound(all, time, {}, &DecisionSectionRow::end);
  return found == all.end() || found->begin > time ? -1 : int(found - all.begin());
}

// --- Painting ------------------------------------------------------------------------------------

void DecisionChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(painter, rect());
  if (selected_ >= 0) paint_selected(painter, layout_of(rect()));
  if (!hasFocus()) return;
  painter.setPen(palette().color(QPalette::Highlight));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void DecisionChart::paint(QPainter& painter, const QRect& area) const {
  painter.fillRect(area, palette().base());
  const Layout layout = layout_of(area);
  const int name = fontMetrics().horizontalAdvance(decision_.analysis);
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(layout.title, Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(decision_.report, Qt::ElideRight,
                                            layout.title.width() - name - 2 * kChartGap));
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(layout.title, Qt::AlignRight | Qt::AlignVCenter, decision_.analysis);
  paint_legend(painter, layout.legend);
  paint_strip(painter, layout.strip);
  for (size_t i = 0; i < lanes_.size(); i++) paint_lane(painter, layout.lanes[i], lanes_[i]);
  paint_axis(painter, layout.axis);
}

void DecisionChart::paint_legend(QPainter& painter, const QRect& area) const {
  int x = area.left();
  const std::vector<double> shares = shares_of(decision_);
  for (qsizetype kind = 0; kind < decision_.kinds.size(); kind++) {
    const QString text =
        QStringLiteral("%1 %2").arg(term_text(decision_.kinds[kind]), share_text(shares[size_t(kind)]));
    painter.fillRect(QRect(x, area.top() + 2, area.height() - 4, area.height() - 4),
                     colour_of_kind(size_t(kind)));
    x += area.height();
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRect(x, area.top(), area.right() - x, area.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     text);
    x += fontMetrics().horizontalAdvance(text) + 3 * kChartGap;
  }
}

// Calls `use` for each visible section and each of its columns, with the share of the section in
// the column.
void DecisionChart::for_columns(
    const QRect& area, const std::function<void(size_t, double, const DecisionSectionRow&)>& use) const {
  const auto [first, end] = visible();
  for (size_t i = first; i < end; i++) {
    const DecisionSectionRow& section = decision_.sections[i];
    const double from = std::max(x_of(section.begin, area) - area.left(), 0.0);
    const double to = std::min(x_of(section.end, area) - area.left(), double(area.width()));
    for (auto column = size_t(from); double(column) < to; column++)
      use(column, std::min(double(column + 1), to) - std::max(double(column), from), section);
  }
}

void DecisionChart::paint_strip(QPainter& painter, const QRect& area) const {
  painter.fillRect(area, palette().alternateBase());
  const auto kinds = size_t(decision_.kinds.size()), columns = size_t(std::max(area.width(), 0));
  std::vector<double> shares(columns * kinds);
  for_columns(area, [&](size_t column, double share, const DecisionSectionRow& section) {
    shares[column * kinds + size_t(section.kind)] += share;
  });
  for (size_t column = 0; column < columns; column++) {
    double sum = 0;
    for (size_t kind = 0; kind < kinds; kind++) {
      const int top = int(std::lround(sum * area.height()));
      sum += shares[column * kinds + kind];
      painter.fillRect(area.left() + int(column), area.top() + top, 1,
                       int(std::lround(std::min(sum, 1.0) * area.height())) - top, colour_of_kind(kind));
    }
  }
}

void DecisionChart::paint_lane(QPainter& painter, const QRect& area, const Lane& lane) const {
  painter.fillRect(area, palette().alternateBase());
  std::vector<ColumnValues> columns(size_t(std::max(area.width(), 0)));
  for_columns(area, [&](size_t column, double share, const DecisionSectionRow& section) {
    columns[column].add(section.values[lane.series], share);
  });
  const auto y_of = [&](double value) {
    const double share = (value - lane.least) / (lane.most - lane.least);
    return area.bottom() - int(std::lround(std::clamp(share, 0.0, 1.0) * (area.height() - 1)));
  };
  const QColor pale = palette().color(QPalette::PlaceholderText), strong = palette().color(QPalette::Text);
  painter.fillRect(area.left(), y_of(0), area.width(), 1, pale);
  QColor faint = pale;
  faint.setAlphaF(kRangeOpacity);
  const auto line = [&](size_t column, double low, double high, const QColor& colour) {
    painter.fillRect(area.left() + int(column), y_of(high), 1, y_of(low) - y_of(high) + 1, colour);
  };
  for (size_t column = 0; column < columns.size(); column++) {
    const ColumnValues& values = columns[column];
    if (!values.is_known()) continue;
    const bool is_joined = column > 0 && columns[column - 1].is_known();
    const double before = is_joined ? columns[column - 1].mean() : values.mean();
    if (values.least < values.most) line(column, values.least, values.most, faint);
    line(column, std::min(before, values.mean()), std::max(before, values.mean()), strong);
  }
  paint_labels(painter, area, lane);
}

void DecisionChart::paint_labels(QPainter& painter, const QRect& area, const Lane& lane) const {
  const QRect left(area.left() - margin(), area.top(), margin() - kChartGap, area.height());
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(left, Qt::AlignRight | Qt::AlignVCenter, term_text(decision_.series[lane.series].name));
  if (area.height() < 3 * fontMetrics().height()) return;
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(left, Qt::AlignRight | Qt::AlignTop, value_number(lane.most));
  painter.drawText(left, Qt::AlignRight | Qt::AlignBottom, value_number(lane.least));
}

void DecisionChart::paint_axis(QPainter& painter, const QRect& area) const {
  const double step = axis_step(span_.length() * kMarkDistance / std::max(area.width(), kMarkDistance));
  for (double number = std::ceil(span_.begin / step); number * step <= span_.end; number++) {
    const double x = x_of(number * step, area);
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawLine(QPointF(x, area.top() - kChartGap), QPointF(x, area.top() - kChartGap + kChartMark));
    const QString text = axis_text(number * step, step);
    const int width = fontMetrics().horizontalAdvance(text);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QPointF(std::clamp(x - width / 2.0, double(area.left()), double(area.right() - width)),
                             area.top() + fontMetrics().ascent()),
                     text);
  }
}

void DecisionChart::paint_selected(QPainter& painter, const Layout& layout) const {
  const DecisionSectionRow& section = decision_.sections[size_t(selected_)];
  const QRect last = layout.lanes.empty() ? layout.strip : layout.lanes.back();
  const double from = std::max(x_of(section.begin, layout.strip), double(layout.strip.left()));
  const double to = std::min(x_of(section.end, layout.strip), layout.strip.right() + 1.0);
  if (from >= to) return;
  painter.setPen(palette().color(QPalette::Highlight));
  painter.drawRect(
      QRectF(from, layout.strip.top(), std::max(to - from - 1, 1.0), last.bottom() - layout.strip.top()));
}

// --- Input ---------------------------------------------------------------------------------------

void DecisionChart::zoom(double factor, double time) {
  set_span({time - (time - span_.begin) / factor, time + (span_.end - time) / factor});
}

// Selects another section, and moves the range to it.
void DecisionChart::select_next(int step) {
  const int count = int(decision_.sections.size());
  if (count == 0) return;
  const int start = selected_ >= 0 ? selected_ + step : int(visible().first);
  select(std::clamp(start, 0, count - 1));
  const DecisionSectionRow& section = decision_.sections[size_t(selected_)];
  const double length = span_.length();
  if (section.begin < span_.begin) set_span({section.begin, section.begin + length});
  if (section.end > span_.end) set_span({section.end - length, section.end});
}

void DecisionChart::wheelEvent(QWheelEvent* event) {
  if (!(event->modifiers() & Qt::ControlModifier)) return event->ignore();  // scrolls the view
  zoom(std::pow(kChartZoom, event->angleDelta().y() / 120.0), time_at(event->position().x()));
}

void DecisionChart::mousePressEvent(QMouseEvent* event) { dragged_from_ = time_at(event->position().x()); }

void DecisionChart::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) {
    const double moved = dragged_from_ - time_at(event->position().x());
    set_span({span_.begin + moved, span_.end + moved});
  }
  select(section_at(event->position().toPoint()));
}

void DecisionChart::leaveEvent(QEvent* event) {
  if (!hasFocus()) select(-1);
  QWidget::leaveEvent(event);
}

void DecisionChart::mouseDoubleClickEvent(QMouseEvent*) { set_span(whole()); }

void DecisionChart::keyPressEvent(QKeyEvent* event) {
  const double middle = (span_.begin + span_.end) / 2;
  switch (event->key()) {
    case Qt::Key_Left:
      return select_next(-1);
    case Qt::Key_Right:
      return select_next(1);
    case Qt::Key_Plus:
      return zoom(kChartZoom, middle);
    case Qt::Key_Minus:
      return zoom(1 / kChartZoom, middle);
    case Qt::Key_Home:
      return set_span(whole());
    default:
      QWidget::keyPressEvent(event);
  }
}

bool DecisionChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int section = section_at(help->pos());
  QToolTip::showText(help->globalPos(), section < 0 ? QString() : words_of(section), this);
  return true;
}

QImage picture_of(const std::vector<const DecisionChart*>& charts) {
  int height = 0;
  for (const DecisionChart* chart : charts) height += chart->height_for_picture();
  QImage image(QSize(kPictureWidth, height) * kPictureScale, QImage::Format_RGB32);
  image.setDevicePixelRatio(kPictureScale);
  QPainter painter(&image);
  int top = 0;
  for (const DecisionChart* chart : charts) {
    const QRect area(0, top, kPictureWidth, chart->height_for_picture());
    painter.setFont(chart->font());
    chart->paint(painter, area);
    top += area.height();
  }
  return image;
}

}  // namespace weft::gui
