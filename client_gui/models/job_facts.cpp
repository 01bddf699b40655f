// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/job_facts.h"

#include <QCoreApplication>
#include <QDateTime>

#include "client_gui/models/text.h"
#include "client_gui/texts/declared.h"
#include "options/option.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

struct Facts {
  Q_DECLARE_TR_FUNCTIONS(Facts)

 public:
  void add(const QString& name, const QString& value) {
    if (!value.isEmpty()) lines.push_back({name, value});
  }
  void add_part(const QString& name, const QString& value) { lines.push_back({name, value, true}); }
  void add_title(const QString& name) { lines.push_back({name, {}}); }

  std::vector<Fact> lines;
};

QString date(double seconds) {
  if (seconds <= 0) return {};
  return QDateTime::fromMSecsSinceEpoch(qint64(seconds * 1000))
      .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString sentence_of(const AttemptRow& attempt) {
  const QString where = attempt.device.isEmpty() ? Facts::tr("on no device") : attempt.device;
  QString text = Facts::tr("%1, began %2").arg(where, date(attempt.start_time));
  if (attempt.end_time > 0)
    text += Facts::tr(", took %1").arg(duration_text(attempt.end_time - attempt.start_time));
  if (!attempt.error.isEmpty()) text += ": " + attempt.error;
  return text;
}

// What it does now, or why it does nothing.
void add_present(Facts& facts, const JobDetail& detail, const JobRow& row) {
  facts.add(Facts::tr("State"), name_of(row.state));
  if (row.units_total > 0 && row.state != v1::JOB_STATE_SUCCEEDED)
    facts.add(Facts::tr("Progress"), Facts::tr("%1 of %2 %3, %4%", "so many of so many frames, a part")
                                         .arg(row.units_done)
                                         .arg(row.units_total)
                                         .arg(detail.unit + 's')
                                         .arg(100 * row.done, 0, 'f', 1));
  if (row.state == v1::JOB_STATE_RUNNING) {
    facts.add(Facts::tr("Stage"), detail.stage);
    if (row.rate >= 0) facts.add(Facts::tr("Rate"), Facts::tr("%1 a second").arg(row.rate, 0, 'f', 1));
    if (row.eta_seconds >= 0) facts.add(Facts::tr("Left"), clock_text(row.eta_seconds));
  }
  if (row.state != v1::JOB_STATE_QUEUED || detail.reasons.isEmpty())
    facts.add(row.state == v1::JOB_STATE_FAILED ? Facts::tr("Why it failed") : Facts::tr("Why it waits"),
              row.note);
}

// As `weft explain` says it: newer than the row, which is told when the job changes.
void add_queue(Facts& facts, const JobDetail& detail) {
  for (const QString& reason : detail.reasons)
    facts.add(reason == detail.reasons.front() ? Facts::tr("Why it waits") : QString(), reason);
  if (detail.begins_in_seconds >= 0)
    facts.add(Facts::tr("Begins in"), Facts::tr("about %1").arg(clock_text(detail.begins_in_seconds)));
  if (detail.own_seconds >= 0)
    facts.add(Facts::tr("Takes"),
              Facts::tr("about %1 on %2").arg(clock_text(detail.own_seconds), detail.chosen_device));
}

void add_request(Facts& facts, const JobDetail& detail, const JobRow* row) {
  facts.add(Facts::tr("Id"), detail.id);
  for (const QString& path : detail.input_paths) facts.add(Facts::tr("Reads"), path);
  facts.add(Facts::tr("Input"), detail.input);
  for (const QString& path : detail.output_paths) facts.add(Facts::tr("Writes"), path);
  facts.add(Facts::tr("Output"), detail.output);
  if (row != nullptr) {
    facts.add(Facts::tr("Owner"), row->owner);
    facts.add(Facts::tr("Labels"), row->labels);
    facts.add(Facts::tr("Queued as"), Facts::tr("%1, priority %2", "a class of jobs")
                                          .arg(choice_text(options::choice_name(row->job_class)))
                                          .arg(row->priority));
  }
  facts.add(Facts::tr("Submitted"), date(detail.submit_time));
  facts.add(Facts::tr("Started"), date(detail.start_time));
  facts.add(Facts::tr("Ended"), date(detail.end_time));
}

void add_result(Facts& facts, const JobDetail& detail) {
  if (detail.wall_seconds < 0) return;
  facts.add(Facts::tr("Time"),
            Facts::tr("%1, of it %2 on the device")
                .arg(duration_text(detail.wall_seconds), duration_text(detail.gpu_seconds)));
  facts.add(Facts::tr("Units"), detail.reads_files
                                    ? Facts::tr("%1 in, %2 out").arg(detail.units_in).arg(detail.units_out)
                                    : QString::number(detail.units_in));
  if (detail.writes_files) facts.add(Facts::tr("Size"), bytes_text(detail.output_bytes));
  if (detail.segments > 0)
    facts.add(
        Facts::tr("Segments"),
        Facts::tr("%1, of them %2 from earlier attempts").arg(detail.segments).arg(detail.segments_resumed));
}

QString sentence_of(const FindingRow& finding) {
  if (finding.cases == 0) {
    return finding.speed_up > 0 ? Facts::tr("%1, %2 times as fast as the default", "a shape of blocks")
                                      .arg(finding.shape)
                                      .arg(finding.speed_up, 0, 'f', 2)
                                : finding.shape;
  }
  QString text = counted(finding.cases, Facts::tr("1 case"), Facts::tr("%1 cases"));
  if (finding.faults > 0) text += Facts::tr(", %1 not timed").arg(finding.faults);
  if (finding.share >= 0)
    text += Facts::tr(", the best at %1% of the limit (%2)")
                .arg(100 * finding.share, 0, 'f', 0)
                .arg(finding.limit);
  return text;
}

}  // namespace

std::vector<Fact> facts_of(const JobDetail& detail, const JobRow* row) {
  Facts facts;
  if (row != nullptr) add_present(facts, detail, *row);
  if (row == nullptr || row->state == v1::JOB_STATE_QUEUED) add_queue(facts, detail);
  add_request(facts, detail, row);
  add_result(facts, detail);
  for (const QString& note : detail.notes) facts.add(Facts::tr("Note"), note);
  if (!detail.findings.empty()) facts.add_title(Facts::tr("Found"));
  for (const FindingRow& finding : detail.findings) facts.add_part(finding.name, sentence_of(finding));
  if (!detail.stages.empty()) facts.add_title(Facts::tr("Stages"));
  for (const StageRow& stage : detail.stages)
    facts.add_part(stage.name, Facts::tr("%1 a second alone, %2% of the time")
                                   .arg(stage.rate, 0, 'f', 1)
                                   .arg(100 * stage.part, 0, 'f', 0));
  if (!detail.attempts.empty()) facts.add_title(Facts::tr("Attempts"));
  for (const AttemptRow& attempt : detail.attempts)
    facts.add_part(QString::number(attempt.number), sentence_of(attempt));
  return facts.lines;
}

QString missing_log_text(const JobRow* row) {
  if (row == nullptr) return {};
  if (row->attempt == 0) return Facts::tr("There is no log yet: the job has not begun.");
  return Facts::tr("The log has no line yet.");
}

}  // namespace weft::gui
