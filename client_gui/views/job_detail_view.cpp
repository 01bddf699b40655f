// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/job_detail_view.h"

#include <QDateTime>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "client_gui/models/text.h"

namespace weft::gui {
namespace {

QString date(double seconds) {
  if (seconds <= 0) return {};
  return QDateTime::fromMSecsSinceEpoch(qint64(seconds * 1000))
      .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

// Nothing for what is not known.
void add_fact(QTreeWidget& tree, const QString& name, const QString& value) {
  if (value.isEmpty()) return;
  auto* item = new QTreeWidgetItem(&tree, {name, value});
  item->setToolTip(1, value);
}

QTreeWidgetItem& add_group(QTreeWidget& tree, const QString& name) {
  auto* group = new QTreeWidgetItem(&tree, {name});
  group->setFirstColumnSpanned(true);
  group->setExpanded(true);
  QFont font = tree.font();
  font.setBold(true);
  group->setFont(0, font);
  return *group;
}

QString sentence_of(const AttemptRow& attempt) {
  const QString where = attempt.device.isEmpty() ? JobDetailView::tr("on no device") : attempt.device;
  QString text = JobDetailView::tr("%1, began %2").arg(where, date(attempt.start_time));
  if (attempt.end_time > 0)
    text += JobDetailView::tr(", took %1").arg(duration_text(attempt.end_time - attempt.start_time));
  if (!attempt.error.isEmpty()) text += ": " + attempt.error;
  return text;
}

QPlainTextEdit* make_text(QWidget* parent, const QString& name) {
  auto* text = new QPlainTextEdit(parent);
  text->setReadOnly(true);
  text->setLineWrapMode(QPlainTextEdit::NoWrap);
  text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text->setAccessibleName(name);
  return text;
}

}  // namespace

JobDetailView::JobDetailView(Fleet& fleet, QWidget* parent)
    : QTabWidget(parent),
      fleet_(fleet),
      invitation_(new QLabel(tr("Choose a job to see what is known of it."))),
      facts_(new QTreeWidget(this)),
      log_(make_text(this, tr("Log"))),
      specification_(make_text(this, tr("Specification"))) {
  setDocumentMode(true);
  facts_->setAccessibleName(tr("Facts"));
  facts_->setHeaderHidden(true);
  facts_->setColumnCount(2);
  facts_->setRootIsDecorated(false);
  facts_->setSelectionMode(QAbstractItemView::NoSelection);
  facts_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  invitation_->setAlignment(Qt::AlignCenter);
  invitation_->setForegroundRole(QPalette::PlaceholderText);
  (new QVBoxLayout(facts_))->addWidget(invitation_);
  log_->setMaximumBlockCount(int(kMostLogLines));
  addTab(facts_, tr("Facts"));
  addTab(log_, tr("Log"));
  addTab(specification_, tr("Specification"));
  connect(&fleet_, &Fleet::detail_came, this, &JobDetailView::show_detail);
  connect(&fleet_, &Fleet::log_came, this, &JobDetailView::add_lines);
}

void JobDetailView::look_at(int server, const QString& id) {
  if (server == server_ && id == id_) return;
  server_ = server;
  id_ = id;
  facts_->clear();
  log_->clear();
  specification_->clear();
  waits_ = !id.isEmpty();
  invitation_->setVisible(id.isEmpty());
  fleet_.look_at(server, id);
}

void JobDetailView::show_log() {
  setCurrentWidget(log_);
  log_->setFocus(Qt::ShortcutFocusReason);
}

void JobDetailView::show_detail(const JobDetail& detail) {
  waits_ = false;
  facts_->clear();
  add_fact(*facts_, tr("Id"), detail.id);
  add_fact(*facts_, tr("Input"), detail.input);
  add_fact(*facts_, tr("Output"), detail.output);
  add_fact(*facts_, tr("Submitted"), date(detail.submit_time));
  add_fact(*facts_, tr("Started"), date(detail.start_time));
  add_fact(*facts_, tr("Ended"), date(detail.end_time));
  if (detail.wall_seconds >= 0) {
    add_fact(*facts_, tr("Time"),
             tr("%1, of it %2 on the device")
                 .arg(duration_text(detail.wall_seconds), duration_text(detail.gpu_seconds)));
    add_fact(*facts_, tr("Units"),
             detail.reads_files ? tr("%1 in, %2 out").arg(detail.units_in).arg(detail.units_out)
                                : QString::number(detail.units_in));
    if (detail.writes_files) add_fact(*facts_, tr("Size"), bytes_text(detail.output_bytes));
    if (detail.segments > 0)
      add_fact(*facts_, tr("Segments"),
               tr("%1, of them %2 from earlier attempts").arg(detail.segments).arg(detail.segments_resumed));
  }
  for (const QString& note : detail.notes) add_fact(*facts_, tr("Note"), note);
  if (!detail.stages.empty()) {
    QTreeWidgetItem& group = add_group(*facts_, tr("Stages"));
    for (const StageRow& stage : detail.stages)
      new QTreeWidgetItem(&group, {stage.name, tr("%1 a second alone, %2% of the time")
                                                   .arg(stage.rate, 0, 'f', 1)
                                                   .arg(100 * stage.part, 0, 'f', 0)});
  }
  if (!detail.attempts.empty()) {
    QTreeWidgetItem& group = add_group(*facts_, tr("Attempts"));
    for (const AttemptRow& attempt : detail.attempts) {
      auto* item = new QTreeWidgetItem(&group, {QString::number(attempt.number), sentence_of(attempt)});
      item->setToolTip(1, sentence_of(attempt));
    }
  }
  if (specification_->toPlainText() != detail.specification)
    specification_->setPlainText(detail.specification);
}

// The view follows the end of the log, unless somebody scrolled away from it.
void JobDetailView::add_lines(const std::deque<LogRow>& lines) {
  QStringList text;
  for (const LogRow& line : lines)
    text.push_back(QStringLiteral("%1  %2  %3").arg(line.time, line.level.leftJustified(7), line.text));
  log_->appendPlainText(text.join('\n'));
}

}  // namespace weft::gui
