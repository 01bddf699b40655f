// SPDX-License-Identifier: Apache-2.0
// Draws a bar chart with a title and axes in the colours of the theme.
#pragma once

#include <QColor>
#include <QString>
#include <vector>

#include <QtCharts/QChartView>

namespace weft::gui {

struct Bars {
  QString name;  // name in the legend of several series
  QColor colour;
  std::vector<double> values;  // one value per label
};

class BarChart : public QChartView {
  Q_OBJECT

 public:
  // `orientation` is the direction of the bars.
  BarChart(const QString& title, Qt::Orientation orientation, QWidget* parent = nullptr);

  // Shows bars; several series are stacked. Some labels are omitted if there are many.
  void show_bars(const QStringList& labels, const std::vector<Bars>& bars);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void add_axes(QAbstractSeries& series, const QStringList& labels, double highest);
  void take_colours();

  const QString title_;
  const Qt::Orientation orientation_;
};

}  // namespace weft::gui
