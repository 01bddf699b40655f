// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/bar_chart.h"

#include <QEvent>
#include <algorithm>

#include <QtCharts/QBarSet>
#include <QtCharts/QCategoryAxis>
#include <QtCharts/QChart>
#include <QtCharts/QHorizontalStackedBarSeries>
#include <QtCharts/QLegend>
#include <QtCharts/QStackedBarSeries>
#include <QtCharts/QValueAxis>

namespace weft::gui {
namespace {

constexpr int kMostLabels = 10;  // limit of shown labels
constexpr int kMarks = 5;        // approximate number of marks on the axis of values

}  // namespace

BarChart::BarChart(const QString& title, Qt::Orientation orientation, QWidget* parent)
    : QChartView(new QChart, parent), title_(title), orientation_(orientation) {
  setAccessibleName(title);
  setFocusPolicy(Qt::NoFocus);
  chart()->setTitle(title);
  chart()->setMargins({4, 4, 4, 4});
  chart()->legend()->setAlignment(Qt::AlignBottom);
  chart()->setBackgroundRoundness(0);
  take_colours();
}

void BarChart::show_bars(const QStringList& labels, const std::vector<Bars>& bars) {
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    chart()->removeAxis(axis);
    delete axis;
  }
  QAbstractBarSeries* series = nullptr;
  if (orientation_ == Qt::Vertical)
    series = new QStackedBarSeries;
  else
    series = new QHorizontalStackedBarSeries;
  series->setBarWidth(0.8);
  std::vector<double> sums(size_t(labels.size()), 0.0);
  for (const Bars& each : bars) {
    auto* set = new QBarSet(each.name);
    set->setColor(each.colour);
    set->setBorderColor(each.colour);
    for (size_t i = 0; i < sums.size(); i++) {
      set->append(each.values[i]);
      sums[i] += each.values[i];
    }
    series->append(set);
  }
  chart()->addSeries(series);
  add_axes(*series, labels, sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end()));
  chart()->legend()->setVisible(bars.size() > 1);
  QStringList words;
  for (qsizetype i = 0; i < labels.size(); i++)
    if (sums[size_t(i)] > 0) words.push_back(QStringLiteral("%1: %2").arg(labels[i]).arg(sums[size_t(i)]));
  setAccessibleDescription(words.join(QStringLiteral(", ")));
  take_colours();
}

void BarChart::add_axes(QAbstractSeries& series, const QStringList& labels, double highest) {
  auto* names = new QCategoryAxis;
  names->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  names->setRange(-0.5, std::max(0.5, double(labels.size()) - 0.5));
  const qsizetype step = (labels.size() + kMostLabels - 1) / kMostLabels;
  for (qsizetype i = 0; i < labels.size(); i++)
    if ((labels.size() - 1 - i) % step == 0) names->append(labels[i], double(i));
  names->setGridLineVisible(false);
  auto* values = new QValueAxis;
  values->setRange(0, highest > 0 ? highest : 1);
  values->setTickCount(kMarks);
  values->applyNiceNumbers();
  values->setLabelFormat(values->max() < kMarks ? QStringLiteral("%.1f") : QStringLiteral("%.0f"));
  const bool is_vertical = orientation_ == Qt::Vertical;
  // The first bar is at the top.
  names->setReverse(!is_vertical);
  chart()->addAxis(names, is_vertical ? Qt::AlignBottom : Qt::AlignLeft);
  chart()->addAxis(values, is_vertical ? Qt::AlignLeft : Qt::AlignBottom);
  series.attachAxis(names);
  series.attachAxis(values);
}

void BarChart::take_colours() {
  const QColor text = palette().color(QPalette::Text);
  chart()->setBackgroundBrush(palette().base());
  chart()->setTitleBrush(text);
  chart()->legend()->setLabelColor(text);
  for (QAbstractAxis* axis : chart()->axes()) {
    axis->setLabelsBrush(text);
    axis->setLinePenColor(palette().color(QPalette::Mid));
    axis->setGridLineColor(palette().color(QPalette::AlternateBase).darker(115));
    axis->setLabelsFont(font());
  }
}

void BarChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) take_colours();
}

}  // namespace weft::gui
