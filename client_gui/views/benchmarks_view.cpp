// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/benchmarks_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "client_gui/views/benchmark_plot_view.h"
#include "client_gui/views/row_table.h"
#include "client_gui/views/save_table.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

constexpr int kRunsWidth = 330, kRunWidth = 710;
constexpr int kPlotHeight = 280, kCasesHeight = 340;
constexpr int kMostColumnWidth = 260;

QTableView* make_case_table(QWidget* parent, const QString& name) {
  auto* table = new QTableView(parent);
  table->setAccessibleName(name);
  make_row_table(*table, 6);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setAlternatingRowColors(true);
  table->setWordWrap(false);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  return table;
}

// Sets the widths of the columns. The last column gets the remaining width, or more if its texts,
// which contain errors, need it.
void fit_case_columns(QTableView& table) {
  const int last = table.model()->columnCount() - 1;
  int used = 0;
  for (int column = 0; column < last; column++) {
    if (table.isColumnHidden(column)) continue;
    table.resizeColumnToContents(column);
    if (table.columnWidth(column) > kMostColumnWidth) table.setColumnWidth(column, kMostColumnWidth);
    used += table.columnWidth(column);
  }
  table.horizontalHeader()->setSectionResizeMode(last, QHeaderView::Interactive);
  table.resizeColumnToContents(last);
  if (used + table.columnWidth(last) <= table.viewport()->width())
    table.horizontalHeader()->setSectionResizeMode(last, QHeaderView::Stretch);
}

}  // namespace

BenchmarksView::BenchmarksView(Fleet& fleet, QWidget* parent)
    : QWidget(parent),
      fleet_(fleet),
      said_(new QLabel(this)),
      runs_(make_case_table(this, tr("Runs"))),
      invitation_(new QLabel(tr("No benchmark runs yet."))),
      export_(make_export()),
      compare_(new QComboBox(this)),
      benchmark_(new QComboBox(this)),
      value_(new QComboBox(this)),
      plot_(new BenchmarkPlotView(this)),
      cases_(make_case_table(this, tr("Cases"))) {
  said_->setAccessibleName(tr("Selected run"));
  said_->setTextFormat(Qt::PlainText);
  said_->setWordWrap(true);
  auto* run = new QPushButton(tr("&Run benchmarks ..."), this);
  run->setObjectName(QStringLiteral("run"));
  auto* line = new QHBoxLayout;
  line->addWidget(said_, 1);
  line->addWidget(run);
  line->addWidget(export_);
  auto* splitter = new QSplitter(this);
  splitter->addWidget(make_left());
  splitter->addWidget(make_right());
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({kRunsWidth, kRunWidth});
  splitter->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->addLayout(line);
  layout->addWidget(splitter, 1);
  setFocusProxy(runs_);
  connect(run, &QPushButton::clicked, this, [this] { emit run_wanted(shown_server()); });
  connect(&fleet_, &Fleet::benchmarks_came, this, &BenchmarksView::take);
  connect(&fleet_, &Fleet::jobs_came, this, &BenchmarksView::hear);
  // Requests data from new servers and clears those of removed servers.
  connect(&fleet_, &Fleet::links_changed, this, [this] {
    if (isVisible() && !is_announced_) ask();
  });
  connect(&fleet_, &Fleet::server_left, this, [this](int server) {
    if (server == server_ || fleet_.servers().empty()) set_server(0);
  });
  show_run();
}

QWidget* BenchmarksView::make_left() {
  runs_->setModel(&runs_model_);
  invitation_->setAlignment(Qt::AlignCenter);
  invitation_->setWordWrap(true);
  invitation_->setForegroundRole(QPalette::PlaceholderText);
  (new QVBoxLayout(runs_))->addWidget(invitation_);
  connect(runs_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    list_rest();
    show_run();
  });
  return runs_;
}

QWidget* BenchmarksView::make_right() {
  sorted_cases_.setSourceModel(&cases_model_);
  sorted_cases_.setSortRole(BenchmarkCasesModel::kSortRole);
  cases_->setModel(&sorted_cases_);
  // The third click on a title restores the order of measurement.
  cases_->horizontalHeader()->setSortIndicatorClearable(true);
  cases_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  cases_->setSortingEnabled(true);
  connect(cases_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &BenchmarksView::show_plot);
  auto* both = new QSplitter(Qt::Vertical, this);
  both->addWidget(plot_);
  both->addWidget(cases_);
  both->setSizes({kPlotHeight, kCasesHeight});
  both->setChildrenCollapsible(false);
  auto* right = new QWidget(this);
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(6, 0, 0, 0);
  column->addLayout(make_choices());
  column->addWidget(both, 1);
  return right;
}

QLayout* BenchmarksView::make_choices() {
  benchmark_->setAccessibleName(tr("Benchmark"));
  benchmark_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  value_->setAccessibleName(tr("Plotted value"));
  value_->addItems({tr("Time"), tr("Share of the limit")});
  auto* label = new QLabel(tr("&Compare with:"), this);
  label->setBuddy(compare_);
  compare_->setAccessibleName(tr("Compare with"));
  compare_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* line = new QHBoxLayout;
  line->addWidget(benchmark_);
  line->addWidget(value_);
  line->addStretch(1);
  line->addWidget(label);
  line->addWidget(compare_);
  connect(benchmark_, &QComboBox::activated, this, &BenchmarksView::show_cases);
  connect(value_, &QComboBox::activated, this, &BenchmarksView::show_plot);
  connect(compare_, &QComboBox::activated, this, &BenchmarksView::show_cases);
  return line;
}

QPushButton* BenchmarksView::make_export() {
  auto* button = new QPushButton(tr("&Export"), this);
  auto* menu = new QMenu(button);
  QAction* csv = menu->addAction(tr("Cases as &CSV ..."), this, [this] { save(BenchmarkFile::kCsv); });
  csv->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
  addAction(csv);  // its key works while the menu is closed
  menu->addAction(tr("Result as &JSON ..."), this, [this] { save(BenchmarkFile::kJson); });
  menu->addAction(tr("Report as &HTML ..."), this, [this] { save(BenchmarkFile::kHtml); });
  button->setMenu(menu);
  return button;
}

// --- The server ----------------------------------------------------------------------------------

int BenchmarksView::shown_server() const {
  const std::vector<int> servers = fleet_.servers();
  if (std::find(servers.begin(), servers.end(), server_) != servers.end()) return server_;
  return servers.empty() ? 0 : servers.front();
}

bool BenchmarksView::is_settled() const {
  const int server = shown_server();
  return !isVisible() || server == 0 || fleet_.link(server).state != LinkState::kLive ||
         (is_announced_ && !waits_);
}

void BenchmarksView::set_server(int server) {
  const int before = shown_server();
  server_ = server;
  if (shown_server() == before && before != 0) return;
  is_announced_ = waits_ = false;
  runs_model_.set_runs(nullptr);
  list_rest();
  show_run();
  if (isVisible()) ask();
}

void BenchmarksView::ask() {
  const int server = shown_server();
  if (server == 0 || fleet_.link(server).state != LinkState::kLive) return;
  is_old_ = waits_;
  if (waits_) return;
  waits_ = true;
  fleet_.ask_for_benchmarks(server);
}

void BenchmarksView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  ask();
}

// Requests new data after the end of a benchmark job or the removal of a shown result.
void BenchmarksView::hear(int server, const Delivery& delivery) {
  if (!isVisible() || server != shown_server()) return;
  const bool has_ended = std::any_of(delivery.jobs.begin(), delivery.jobs.end(), [&](const JobRow& job) {
    return job.kind == benchmark_kind() && job.state == v1::JOB_STATE_SUCCEEDED &&
           runs_model_.row_of(job.id) < 0;
  });
  const bool is_forgotten = std::any_of(delivery.forgotten.begin(), delivery.forgotten.end(),
                                        [&](const QString& id) { return runs_model_.row_of(id) >= 0; });
  if (has_ended || is_forgotten) ask();
}

void BenchmarksView::take(int server, const std::shared_ptr<const BenchmarkRuns>& runs) {
  if (server != shown_server()) return;
  waits_ = false;
  is_announced_ = true;
  if (!runs->error.isEmpty()) return said_->setText(runs->error);  // the former data stay
  // If the newest run is selected, a newer run becomes selected, unless runs are compared.
  const bool follows = runs_->currentIndex().row() <= 0 && other() == nullptr;
  const QString before = chosen() == nullptr ? QString() : QString::fromStdString(chosen()->job);
  runs_model_.set_runs(runs);
  const int row = follows ? 0 : std::max(0, runs_model_.row_of(before));
  if (runs_model_.rowCount() > 0 && runs_->currentIndex().row() != row) runs_->selectRow(row);
  fit_case_columns(*runs_);
  list_rest();
  show_run();
  if (is_old_) ask();
}

// --- Display -------------------------------------------------------------------------------------

const client::BenchmarkRun* BenchmarksView::chosen() const {
  return runs_model_.run(runs_->currentIndex().row());
}

const client::BenchmarkRun* BenchmarksView::other() const {
  return runs_model_.run(runs_model_.row_of(compare_->currentData().toString()));
}

std::optional<v1::BenchmarkName> BenchmarksView::benchmark() const {
  if (benchmark_->currentIndex() <= 0) return std::nullopt;
  return v1::BenchmarkName(benchmark_->currentData().toInt());
}

void BenchmarksView::list_rest() {
  const QString before = compare_->currentData().toString();
  compare_->clear();
  compare_->addItem(tr("none"));
  for (int row = 0; row < runs_model_.rowCount(); row++)
    if (row != runs_->currentIndex().row())
      compare_->addItem(short_title(*runs_model_.run(row)),
                        QString::fromStdString(runs_model_.run(row)->job));
  compare_->setCurrentIndex(before.isEmpty() ? 0 : std::max(0, compare_->findData(before)));
  compare_->setEnabled(compare_->count() > 1);
}

void BenchmarksView::list_benchmarks() {
  const QVariant before = benchmark_->currentData();
  benchmark_->clear();
  benchmark_->addItem(tr("All benchmarks"));
  if (const client::BenchmarkRun* run = chosen())
    for (const v1::BenchmarkName each : client::benchmarks_of(run->result))
      benchmark_->addItem(benchmark_name(each), int(each));
  benchmark_->setCurrentIndex(before.isValid() ? std::max(0, benchmark_->findData(before)) : 0);
}

void BenchmarksView::show_run() {
  const client::BenchmarkRun* run = chosen();
  invitation_->setVisible(is_announced_ && runs_model_.rowCount() == 0);
  said_->setText(run == nullptr ? QString() : conditions_text(*run));
  export_->setEnabled(run != nullptr);
  list_benchmarks();
  show_cases();
}

void BenchmarksView::show_cases() {
  const client::BenchmarkRun* run = chosen();
  const client::BenchmarkRun* second = other();
  cases_model_.show(run == nullptr ? v1::BenchmarkResult() : run->result, benchmark(),
                    second == nullptr ? nullptr : &second->result);
  // The column is hidden if the choice above shows the benchmark's name or there is a single
  // benchmark.
  cases_->setColumnHidden(int(CaseColumn::kBenchmark), benchmark().has_value() || benchmark_->count() <= 2);
  cases_->setColumnHidden(int(CaseColumn::kFactor), second == nullptr);
  cases_->setColumnHidden(int(CaseColumn::kInput), !cases_model_.has_inputs());
  fit_case_columns(*cases_);
  show_plot();
}

// Plots the selected benchmark. If all are listed, plots the benchmark of the current case.
void BenchmarksView::show_plot() {
  const client::BenchmarkRun* run = chosen();
  if (run == nullptr || cases_model_.rowCount() == 0) return plot_->show_plot({}, {});
  const int row = std::max(0, sorted_cases_.mapToSource(cases_->currentIndex()).row());
  const v1::Measurement& current = cases_model_.at(row);
  const auto value = client::PlottedValue(value_->currentIndex());
  const client::BenchmarkRun* second = other();
  const QString title =
      second == nullptr
          ? QStringLiteral("%1: %2").arg(benchmark_name(current.benchmark()), value_->currentText())
          : tr("%1: %2; dotted: %3", "benchmark, value, another run")
                .arg(benchmark_name(current.benchmark()), value_->currentText(), short_title(*second));
  plot_->show_plot(title, client::plot_of(run->result, current.benchmark(), value,
                                          second == nullptr ? nullptr : &second->result));
  plot_->stress(cases_->currentIndex().isValid() ? QString::fromStdString(client::plot_line_name(current))
                                                 : QString());
}

// --- Files ---------------------------------------------------------------------------------------

QByteArray BenchmarksView::file(BenchmarkFile type) const {
  const client::BenchmarkRun* run = chosen();
  return run == nullptr ? QByteArray() : file_of(type, *runs_model_.runs(), *run, other());
}

void BenchmarksView::save(BenchmarkFile type) {
  if (chosen() == nullptr) return;
  const QString title = tr("Export benchmarks");
  switch (type) {
    case BenchmarkFile::kCsv:
      return save_bytes(*this, title, QStringLiteral("benchmarks.csv"), tr("Comma-separated values (*.csv)"),
                        file(type));
    case BenchmarkFile::kJson:
      return save_bytes(*this, title, QStringLiteral("benchmarks.json"), tr("JSON (*.json)"), file(type));
    case BenchmarkFile::kHtml:
      return save_bytes(*this, title, QStringLiteral("benchmarks.html"), tr("Web pages (*.html)"),
                        file(type));
  }
}

}  // namespace weft::gui
