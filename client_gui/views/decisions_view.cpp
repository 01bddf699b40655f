// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/decisions_view.h"

#include <QBuffer>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "client_gui/views/decision_chart.h"
#include "client_gui/views/save_table.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

// Interval between requests while a running job has no decisions yet.
constexpr std::chrono::seconds kDecisionsInterval(5);

}  // namespace

DecisionsView::DecisionsView(Fleet& fleet, QWidget* parent)
    : QWidget(parent),
      fleet_(fleet),
      message_(new QLabel(this)),
      save_(new QPushButton(tr("Save as picture ..."), this)) {
  message_->setWordWrap(true);
  message_->setForegroundRole(QPalette::PlaceholderText);
  save_->setEnabled(false);
  message_->setText(tr("Select a job to see its decisions."));
  auto* line = new QHBoxLayout;
  line->addWidget(message_, 1);
  line->addWidget(save_);
  auto* inside = new QWidget;
  list_ = new QVBoxLayout(inside);
  list_->setContentsMargins(0, 0, 0, 0);
  auto* area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);
  area->setWidget(inside);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(line);
  layout->addWidget(area, 1);
  connect(save_, &QPushButton::clicked, this, &DecisionsView::save);
  connect(&fleet_, &Fleet::decisions_came, this,
          [this](int server, const std::shared_ptr<const JobDecisions>& decisions) {
            if (server == server_ && decisions->id == id_) show_decisions(*decisions);
          });
  // The details come again after each change of the job's state.
  connect(&fleet_, &Fleet::detail_came, this, [this] { request(); });
  again_.setSingleShot(true);
  connect(&again_, &QTimer::timeout, this, &DecisionsView::request);
}

void DecisionsView::select_job(int server, const QString& id) {
  server_ = server;
  id_ = id;
  waits_ = exists_ = false;
  again_.stop();
  clear();
  message_->setText(id.isEmpty() ? tr("Select a job to see its decisions.") : QString());
  request();
}

void DecisionsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  request();
}

void DecisionsView::request() {
  if (!isVisible() || waits_ || exists_ || id_.isEmpty()) return;
  waits_ = true;
  fleet_.ask_for_decisions(server_, id_);
}

void DecisionsView::clear() {
  for (DecisionChart* chart : charts_) chart->deleteLater();
  charts_.clear();
  save_->setEnabled(false);
}

void DecisionsView::show_decisions(const JobDecisions& decisions) {
  waits_ = false;
  exists_ = decisions.exist;
  clear();
  for (const DecisionRow& decision : decisions.decisions) {
    charts_.push_back(new DecisionChart(decision, this));
    list_->addWidget(charts_.back());
    connect(charts_.back(), &DecisionChart::section_selected, this, &DecisionsView::show_message);
  }
  save_->setEnabled(!charts_.empty());
  error_ = decisions.error;
  show_message();
  if (!exists_ && may_follow()) again_.start(kDecisionsInterval);
}

// Returns true if the job has not ended.
bool DecisionsView::may_follow() const {
  const JobRow* row = fleet_.jobs().find(server_, id_);
  return row != nullptr && row->end_time <= 0;
}

// Shows the text of the selected section, or the state of the view.
void DecisionsView::show_message() {
  for (const DecisionChart* chart : charts_)
    if (chart->selected() >= 0) return message_->setText(chart->words_of(chart->selected()));
  if (!error_.isEmpty())
    message_->setText(error_);
  else if (!charts_.empty())
    message_->setText(tr("Ctrl+wheel or + and - zoom, drag moves, Left and Right select a section."));
  else if (exists_)
    message_->setText(tr("The decisions of this job have no sections to show."));
  else if (may_follow())
    message_->setText(
        tr("This job has no decisions yet: its filters have no analysis, or it has not ended."));
  else
    message_->setText(tr("This job has no decisions: its filters have no analysis, or they were removed."));
}

void DecisionsView::save() {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  picture_of({charts_.begin(), charts_.end()}).save(&buffer, "PNG");
  save_bytes(*this, tr("Save the decisions"), QStringLiteral("decisions.png"), tr("Pictures (*.png)"), bytes);
}

}  // namespace weft::gui
