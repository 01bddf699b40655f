// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/statistics_view.h"

#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "client_gui/models/text.h"
#include "client_gui/views/bar_chart.h"
#include "client_gui/views/row_table.h"
#include "client_gui/views/save_table.h"
#include "client_gui/views/theme.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

constexpr int kRanges[] = {7, 30, 90, 365};  // possible numbers of days
constexpr int kFirstRange = 1;
constexpr size_t kMostBars = 8;  // limit of bars per chart; the table shows the other rows
constexpr std::chrono::seconds kAgain(60);

// Shows the first rows as horizontal bars.
template <class Row, class Value>
void show_rows(BarChart& chart, const std::vector<Row>& rows, const QColor& colour, const Value& value) {
  QStringList labels;
  Bars bars{chart.accessibleName(), colour, {}};
  for (const Row& row : rows) {
    if (bars.values.size() == kMostBars) break;
    const auto [name, height] = value(row);
    labels.push_back(name.isEmpty() ? QStringLiteral("-") : name);
    bars.values.push_back(height);
  }
  chart.show_bars(labels, {bars});
}

}  // namespace

StatisticsView::StatisticsView(Fleet& fleet, QWidget* parent)
    : QWidget(parent),
      fleet_(fleet),
      days_(new QComboBox(this)),
      measure_(new QComboBox(this)),
      said_(new QLabel(this)),
      by_day_(new BarChart(tr("Per day"), Qt::Vertical, this)),
      by_owner_(new BarChart(tr("GPU seconds by owner"), Qt::Horizontal, this)),
      by_kind_(new BarChart(tr("GPU seconds by kind of job"), Qt::Horizontal, this)),
      by_failure_(new BarChart(tr("Failed jobs by reason"), Qt::Horizontal, this)),
      table_(new QTableView(this)) {
  for (const int days : kRanges) days_->addItem(tr("Last %1 days").arg(days), days);
  days_->setCurrentIndex(kFirstRange);
  days_->setAccessibleName(tr("Days"));
  measure_->addItems({tr("Jobs"), tr("Units"), tr("GPU seconds")});
  measure_->setAccessibleName(tr("Value shown per day"));
  said_->setAccessibleName(tr("Statistics"));
  said_->setTextFormat(Qt::PlainText);
  said_->setWordWrap(true);
  auto* save = new QPushButton(tr("&Export ..."), this);
  save->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
  auto* line = new QHBoxLayout;
  line->addWidget(said_, 1);
  line->addWidget(measure_);
  line->addWidget(days_);
  line->addWidget(save);
  auto* charts = new QWidget(this);
  auto* grid = new QGridLayout(charts);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->addWidget(by_day_, 0, 0, 1, 3);
  grid->addWidget(by_owner_, 1, 0);
  grid->addWidget(by_kind_, 1, 1);
  grid->addWidget(by_failure_, 1, 2);
  grid->setRowStretch(0, 3);
  grid->setRowStretch(1, 2);
  auto* splitter = new QSplitter(Qt::Vertical, this);
  splitter->addWidget(charts);
  splitter->addWidget(table_);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->addLayout(line);
  layout->addWidget(splitter, 1);
  table_->setAccessibleName(tr("Statistics"));
  table_->setModel(&model_);
  make_row_table(*table_, 6);
  table_->setAlternatingRowColors(true);
  table_->horizontalHeader()->setStretchLastSection(true);
  connect(days_, &QComboBox::currentIndexChanged, this, &StatisticsView::ask);
  connect(measure_, &QComboBox::currentIndexChanged, this, &StatisticsView::show_statistics);
  connect(save, &QPushButton::clicked, this, &StatisticsView::export_rows);
  connect(&fleet_, &Fleet::statistics_came, this, &StatisticsView::take);
  // Requests data from a new server.
  connect(&fleet_, &Fleet::links_changed, this, [this] {
    if (isVisible() && !is_announced_) ask();
  });
  connect(&again_, &QTimer::timeout, this, [this] {
    if (isVisible()) ask();
  });
  again_.start(kAgain);
}

int StatisticsView::shown_server() const {
  const std::vector<int> servers = fleet_.servers();
  if (std::find(servers.begin(), servers.end(), server_) != servers.end()) return server_;
  return servers.empty() ? 0 : servers.front();
}

bool StatisticsView::is_settled() const {
  const int server = shown_server();
  return !isVisible() || is_announced_ || server == 0 || fleet_.link(server).state != LinkState::kLive;
}

void StatisticsView::set_server(int server) {
  if (std::exchange(server_, server) == server) return;
  is_announced_ = false;
  if (isVisible()) ask();
}

void StatisticsView::ask() {
  const int server = shown_server();
  if (server != 0 && fleet_.link(server).state == LinkState::kLive)
    fleet_.ask_for_statistics(server, days_->currentData().toInt());
}

void StatisticsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  ask();
}

void StatisticsView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_statistics();
}

void StatisticsView::take(int server, const Statistics& statistics) {
  if (server != shown_server()) return;
  is_announced_ = true;
  if (!statistics.error.isEmpty()) return said_->setText(statistics.error);  // the former data stay
  statistics_ = statistics;
  show_statistics();
}

// --- Display -------------------------------------------------------------------------------------

void StatisticsView::show_statistics() {
  if (!is_announced_) return;
  TotalsRow sum;
  for (const TotalsRow& day : statistics_.days) {
    sum.succeeded += day.succeeded;
    sum.failed += day.failed;
    sum.cancelled += day.cancelled;
    sum.units += day.units;
    sum.gpu_seconds += day.gpu_seconds;
  }
  said_->setText(
      tr("%1: %2 succeeded, %3 failed, %4 cancelled; %5, %6 GPU seconds", "numbers of jobs, number of units")
          .arg(fleet_.address(shown_server()), counted(sum.succeeded, tr("1 job"), tr("%1 jobs")))
          .arg(sum.failed)
          .arg(sum.cancelled)
          .arg(counted(sum.units, tr("1 unit"), tr("%1 units")))
          .arg(sum.gpu_seconds, 0, 'f', 1));
  show_days(Measure(measure_->currentIndex()));
  const auto gpu_seconds = [](const TotalsRow& row) { return std::pair(row.name, row.gpu_seconds); };
  show_rows(*by_owner_, statistics_.owners, colour_of(TimePart::kNormal), gpu_seconds);
  show_rows(*by_kind_, statistics_.kinds, colour_of(TimePart::kRealtime), gpu_seconds);
  show_rows(*by_failure_, statistics_.failures, colour_of(v1::JOB_STATE_FAILED),
            [](const FailureRow& row) { return std::pair(row.reason, double(row.jobs)); });
  const int before = model_.rowCount();
  model_.set_statistics(statistics_);
  if (model_.rowCount() != before) table_->resizeColumnsToContents();
}

void StatisticsView::show_days(Measure measure) {
  const auto bars_of = [&](const QString& name, const QColor& colour, const auto& value) {
    Bars bars{name, colour, {}};
    for (const TotalsRow& day : statistics_.days) bars.values.push_back(double(value(day)));
    return bars;
  };
  QStringList labels;
  // The labels omit the year.
  for (const TotalsRow& day : statistics_.days) labels.push_back(day.name.mid(5));
  std::vector<Bars> bars;
  if (measure == Measure::kJobs) {
    bars.push_back(bars_of(tr("succeeded"), colour_of(v1::JOB_STATE_SUCCEEDED),
                           [](const TotalsRow& day) { return day.succeeded; }));
    bars.push_back(bars_of(tr("failed"), colour_of(v1::JOB_STATE_FAILED),
                           [](const TotalsRow& day) { return day.failed; }));
    bars.push_back(bars_of(tr("cancelled"), colour_of(v1::JOB_STATE_CANCELLED),
                           [](const TotalsRow& day) { return day.cancelled; }));
  } else if (measure == Measure::kUnits) {
    bars.push_back(
        bars_of(tr("units"), colour_of(TimePart::kNormal), [](const TotalsRow& day) { return day.units; }));
  } else {
    bars.push_back(bars_of(tr("GPU seconds"), colour_of(TimePart::kNormal),
                           [](const TotalsRow& day) { return day.gpu_seconds; }));
  }
  by_day_->show_bars(labels, bars);
}

void StatisticsView::export_rows() {
  std::vector<int> rows;
  for (int row = 0; row < model_.rowCount(); row++) rows.push_back(row);
  save_table(*this, tr("Export statistics"), QStringLiteral("statistics.csv"), model_, rows);
}

}  // namespace weft::gui
