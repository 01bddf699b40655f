// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/benchmark_plot_view.h"

#include <QPainter>
#include <algorithm>

#include "client_gui/views/theme.h"

namespace weft::gui {
namespace {

constexpr int kPlotMargin = 8, kPlotGap = 6;
constexpr int kLineSample = 18;      // length of the line sample in the legend, pixels
constexpr double kMostLegend = 0.4;  // limit of the legend's width as a fraction of the whole width
constexpr double kDotRadius = 3;

QPointF plot_point(const QRectF& area, client::PlotPoint point) {
  return {area.left() + area.width() * point.x, area.bottom() - area.height() * point.y};
}

QString plot_text(const std::string& name) { return QString::fromStdString(name); }

}  // namespace

BenchmarkPlotView::BenchmarkPlotView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Plot"));
  setMinimumHeight(fontMetrics().height() * 9);
}

void BenchmarkPlotView::show_plot(const QString& title, client::BenchmarkPlot plot) {
  title_ = title;
  plot_ = std::move(plot);
  QStringList names;
  for (const client::PlotLine& line : plot_.lines) names += plot_text(line.name);
  setAccessibleDescription(
      names.isEmpty() ? title : QStringLiteral("%1: %2").arg(title, names.join(QStringLiteral("; "))));
  update();
}

void BenchmarkPlotView::stress(const QString& line) {
  if (std::exchange(stressed_, line) != line) update();
}

// Returns the colour of a line. Black and dark blue are replaced on dark grounds, where they are
// invisible.
QColor BenchmarkPlotView::colour(size_t line) const {
  if (line % client::kPlotColours == client::kPlotColours - 1) return palette().color(QPalette::Text);
  const QColor colour(QLatin1String(client::plot_colour(line)));
  return is_dark() && colour.lightnessF() < 0.4f ? colour.lighter(150) : colour;
}

int BenchmarkPlotView::legend_width() const {
  int widest = 0;
  for (const auto* lines : {&plot_.lines, &plot_.others})
    for (const client::PlotLine& line : *lines)
      widest = std::max(widest, fontMetrics().horizontalAdvance(plot_text(line.name)));
  return std::min(widest + kLineSample + 2 * kPlotGap, int(width() * kMostLegend));
}

QRectF BenchmarkPlotView::make_area() const {
  int left = 0;
  for (const client::PlotMark& mark : plot_.value_marks)
    left = std::max(left, fontMetrics().horizontalAdvance(plot_text(mark.text)));
  const int line = fontMetrics().height();
  return QRectF(rect()).adjusted(kPlotMargin + left + kPlotGap, kPlotMargin + line + kPlotGap + line / 2.0,
                                 -kPlotMargin - legend_width() - kPlotGap,
                                 -kPlotMargin - 2 * line - kPlotGap);
}

void BenchmarkPlotView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().base());
  painter.setPen(palette().color(QPalette::Text));
  const QRect inside = rect().adjusted(kPlotMargin, kPlotMargin, -kPlotMargin, -kPlotMargin);
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignTop,
                   fontMetrics().elidedText(title_, Qt::ElideRight, inside.width()));
  if (plot_.value_marks.empty()) {
    if (!title_.isEmpty()) painter.drawText(inside, Qt::AlignCenter, tr("No timed cases."));
    return;
  }
  const QRectF area = make_area();
  if (area.width() < 1 || area.height() < 1) return;
  paint_axes(painter, area);
  painter.setRenderHint(QPainter::Antialiasing);
  for (const client::PlotLine& line : plot_.others) paint_line(painter, area, line, true);
  for (const client::PlotLine& line : plot_.lines) paint_line(painter, area, line, false);
  paint_legend(painter, area);
}

// Draws the axes. A label that would touch the previous one is omitted.
void BenchmarkPlotView::paint_axes(QPainter& painter, const QRectF& area) const {
  const QFontMetrics metrics = fontMetrics();
  const QColor ground = palette().color(QPalette::AlternateBase);
  const QColor grid = is_dark() ? ground.lighter(150) : ground.darker(115);
  double free_from = 0;
  for (const client::PlotMark& mark : plot_.size_marks) {
    const QPointF position = plot_point(area, {mark.position, 0});
    painter.setPen(grid);
    painter.drawLine(position, QPointF(position.x(), area.top()));
    const QString words = plot_text(mark.text);
    const double half = metrics.horizontalAdvance(words) / 2.0;
    if (position.x() - half < free_from) continue;
    free_from = position.x() + half + kPlotGap;
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QPointF(position.x() - half, area.bottom() + kPlotGap + metrics.ascent()), words);
  }
  double free_above = height();
  for (const client::PlotMark& mark : plot_.value_marks) {
    const QPointF position = plot_point(area, {0, mark.position});
    painter.setPen(grid);
    painter.drawLine(position, QPointF(area.right(), position.y()));
    if (position.y() + metrics.height() / 2.0 > free_above) continue;
    free_above = position.y() - metrics.height() / 2.0;
    const QString words = plot_text(mark.text);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QPointF(area.left() - kPlotGap - metrics.horizontalAdvance(words),
                             position.y() + (metrics.ascent() - metrics.descent()) / 2.0),
                     words);
  }
  const QRectF below(area.left(), height() - kPlotMargin - metrics.height(), area.width(), metrics.height());
  painter.drawText(below, Qt::AlignCenter, tr("Size in %1s", "a unit: elements").arg(plot_text(plot_.unit)));
}

void BenchmarkPlotView::paint_line(QPainter& painter, const QRectF& area, const client::PlotLine& line,
                                   bool is_other) const {
  // A line of the other run has the colour of the line with the same name in this run.
  const auto own = std::find_if(plot_.lines.begin(), plot_.lines.end(),
                                [&](const client::PlotLine& each) { return each.name == line.name; });
  const auto number = size_t(own - plot_.lines.begin());
  const bool is_known = own != plot_.lines.end();
  QPen pen(is_known ? colour(number) : palette().color(QPalette::PlaceholderText),
           plot_text(line.name) == stressed_ ? 3 : 1.5);
  if (number >= client::kPlotColours) pen.setStyle(Qt::DashLine);
  if (is_other) pen.setStyle(Qt::DotLine);
  QPolygonF positions;
  for (const client::PlotPoint& point : line.points) positions += plot_point(area, point);
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(positions);
  pen.setStyle(Qt::SolidLine);
  pen.setWidthF(1.5);
  painter.setPen(pen);
  painter.setBrush(is_other ? palette().base() : QBrush(pen.color()));
  for (const QPointF& position : positions) painter.drawEllipse(position, kDotRadius, kDotRadius);
}

// Draws the legend with as many entries as fit.
void BenchmarkPlotView::paint_legend(QPainter& painter, const QRectF& area) const {
  const QFontMetrics metrics = fontMetrics();
  const double step = metrics.height() + 2, left = area.right() + 2 * kPlotGap;
  const auto capacity = size_t(std::max(1.0, (height() - area.top()) / step));
  const bool fits = plot_.lines.size() <= capacity;
  const size_t count = fits ? plot_.lines.size() : capacity - 1;
  for (size_t i = 0; i < count; i++) {
    const double middle = area.top() + step * (double(i) + 0.5);
    const QString name = plot_text(plot_.lines[i].name);
    QPen pen(colour(i), name == stressed_ ? 3 : 2);
    if (i >= client::kPlotColours) pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.drawLine(QPointF(left, middle), QPointF(left + kLineSample, middle));
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(
        QPointF(left + kLineSample + kPlotGap, middle + (metrics.ascent() - metrics.descent()) / 2.0),
        metrics.elidedText(name, Qt::ElideRight, legend_width() - kLineSample - kPlotGap));
  }
  if (!fits)
    painter.drawText(QPointF(left, area.top() + step * double(count) + metrics.ascent()),
                     tr("%1 more").arg(plot_.lines.size() - count));
}

}  // namespace weft::gui
