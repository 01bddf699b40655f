// SPDX-License-Identifier: Apache-2.0
// Draws the plot of a benchmark over the size, with a labelled line per variant and input. The
// lines of the run compared with are dotted.
#pragma once

#include <QWidget>

#include "client_gui/models/benchmark_cases_model.h"

namespace weft::gui {

class BenchmarkPlotView : public QWidget {
  Q_OBJECT

 public:
  explicit BenchmarkPlotView(QWidget* parent = nullptr);

  void show_plot(const QString& title, client::BenchmarkPlot plot);
  const client::BenchmarkPlot& plot() const { return plot_; }
  // Emphasises the line with this name. An empty name ends the emphasis.
  void stress(const QString& line);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QColor colour(size_t line) const;
  int legend_width() const;
  QRectF make_area() const;
  void paint_axes(QPainter& painter, const QRectF& area) const;
  void paint_line(QPainter& painter, const QRectF& area, const client::PlotLine& line, bool is_other) const;
  void paint_legend(QPainter& painter, const QRectF& area) const;

  QString title_, stressed_;
  client::BenchmarkPlot plot_;
};

}  // namespace weft::gui
