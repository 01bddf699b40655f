// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/job_properties.h"

#include <QCoreApplication>
#include <QDateTime>

#include "client_gui/models/text.h"
#include "client_gui/texts/declared.h"
#include "options/option.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

struct PropertyList {
  Q_DECLARE_TR_FUNCTIONS(PropertyList)

 public:
  void add(const QString& name, const QString& value) {
    if (!value.isEmpty()) lines.push_back({name, value});
  }
  void add_part(const QString& name, const QString& value) { lines.push_back({name, value, true}); }
  void add_title(const QString& name) { lines.push_back({name, {}}); }

  std::vector<Property> lines;
};

QString date(double seconds) {
  if (seconds <= 0) return {};
  return QDateTime::fromMSecsSinceEpoch(qint64(seconds * 1000))
      .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString sentence_of(const AttemptRow& attempt) {
  const QString where = attempt.device.isEmpty() ? PropertyList::tr("on no device") : attempt.device;
  QString text = PropertyList::tr("%1, started %2").arg(where, date(attempt.start_time));
  if (attempt.end_time > 0)
    text += PropertyList::tr(", took %1").arg(duration_text(attempt.end_time - attempt.start_time));
  if (!attempt.error.isEmpty()) text += ": " + attempt.error;
  return text;
}

// Adds the job's current activity or the reason for its wait.
void add_present(PropertyList& properties, const JobDetail& detail, const JobRow& row) {
  properties.add(PropertyList::tr("State"), name_of(row.state));
  if (row.units_total > 0 && row.state != v1::JOB_STATE_SUCCEEDED)
    properties.add(PropertyList::tr("Progress"),
                   PropertyList::tr("%1 of %2 %3, %4%", "frames done, frames in all, unit, percentage")
                       .arg(row.units_done)
                       .arg(row.units_total)
                       .arg(detail.unit + 's')
                       .arg(100 * row.done, 0, 'f', 1));
  if (row.state == v1::JOB_STATE_RUNNING) {
    properties.add(PropertyList::tr("Stage"), detail.stage);
    if (row.rate >= 0)
      properties.add(PropertyList::tr("Rate"), PropertyList::tr("%1 per second").arg(row.rate, 0, 'f', 1));
    if (row.eta_seconds >= 0) properties.add(PropertyList::tr("Time left"), clock_text(row.eta_seconds));
  }
  if (row.state != v1::JOB_STATE_QUEUED || detail.reasons.isEmpty())
    properties.add(row.state == v1::JOB_STATE_FAILED ? PropertyList::tr("Why it failed")
                                                     : PropertyList::tr("Why it waits"),
                   row.note);
}

// Adds the explanation of the wait, the same as of `weft explain`. It is newer than that of the
// row.
void add_queue(PropertyList& properties, const JobDetail& detail) {
  for (const QString& reason : detail.reasons)
    properties.add(reason == detail.reasons.front() ? PropertyList::tr("Why it waits") : QString(), reason);
  if (detail.begins_in_seconds >= 0)
    properties.add(PropertyList::tr("Starts in"),
                   PropertyList::tr("about %1").arg(clock_text(detail.begins_in_seconds)));
  if (detail.own_seconds >= 0)
    properties.add(
        PropertyList::tr("Duration"),
        PropertyList::tr("about %1 on %2").arg(clock_text(detail.own_seconds), detail.chosen_device));
}

void add_request(PropertyList& properties, const JobDetail& detail, const JobRow* row) {
  properties.add(PropertyList::tr("ID"), detail.id);
  for (const QString& path : detail.input_paths) properties.add(PropertyList::tr("Input file"), path);
  properties.add(PropertyList::tr("Input"), detail.input);
  for (const QString& path : detail.output_paths) properties.add(PropertyList::tr("Output file"), path);
  properties.add(PropertyList::tr("Output"), detail.output);
  if (row != nullptr) {
    properties.add(PropertyList::tr("Owner"), row->owner);
    properties.add(PropertyList::tr("Labels"), row->labels);
    properties.add(PropertyList::tr("Class"), PropertyList::tr("%1, priority %2", "a class of jobs")
                                                  .arg(choice_text(options::choice_name(row->job_class)))
                                                  .arg(row->priority));
  }
  properties.add(PropertyList::tr("Submitted"), date(detail.submit_time));
  properties.add(PropertyList::tr("Started"), date(detail.start_time));
  properties.add(PropertyList::tr("Ended"), date(detail.end_time));
}

void add_result(PropertyList& properties, const JobDetail& detail) {
  if (detail.wall_seconds < 0) return;
  properties.add(PropertyList::tr("Time"),
                 PropertyList::tr("%1 (%2 on the device)")
                     .arg(duration_text(detail.wall_seconds), duration_text(detail.gpu_seconds)));
  const QString units = detail.unit + 's';
  properties.add(
      PropertyList::tr("Processed"),
      detail.reads_files
          ? PropertyList::tr("%1 %3 in, %2 out").arg(detail.units_in).arg(detail.units_out).arg(units)
          : QStringLiteral("%1 %2").arg(detail.units_in).arg(units));
  if (detail.writes_files) properties.add(PropertyList::tr("Size"), bytes_text(detail.output_bytes));
  if (detail.segments > 0)
    properties.add(PropertyList::tr("Segments"), PropertyList::tr("%1 (%2 reused from earlier attempts)")
                                                     .arg(detail.segments)
                                                     .arg(detail.segments_resumed));
}

QString sentence_of(const FindingRow& finding) {
  if (finding.cases == 0) {
    return finding.speed_up > 0 ? PropertyList::tr("%1, %2 times as fast as the default", "a shape of blocks")
                                      .arg(finding.shape)
                                      .arg(finding.speed_up, 0, 'f', 2)
                                : finding.shape;
  }
  QString text = counted(finding.cases, PropertyList::tr("1 case"), PropertyList::tr("%1 cases"));
  if (finding.faults > 0) text += PropertyList::tr(", %1 not timed").arg(finding.faults);
  if (finding.share >= 0)
    text += PropertyList::tr(", best at %1% of the limit (%2)")
                .arg(100 * finding.share, 0, 'f', 0)
                .arg(finding.limit);
  return text;
}

}  // namespace

std::vector<Property> info_of(const JobDetail& detail, const JobRow* row) {
  PropertyList properties;
  if (row != nullptr) add_present(properties, detail, *row);
  if (row == nullptr || row->state == v1::JOB_STATE_QUEUED) add_queue(properties, detail);
  add_request(properties, detail, row);
  add_result(properties, detail);
  for (const QString& note : detail.notes) properties.add(PropertyList::tr("Note"), note);
  if (!detail.findings.empty()) properties.add_title(PropertyList::tr("Results"));
  for (const FindingRow& finding : detail.findings) properties.add_part(finding.name, sentence_of(finding));
  if (!detail.stages.empty()) properties.add_title(PropertyList::tr("Stages"));
  for (const StageRow& stage : detail.stages)
    properties.add_part(stage.name, PropertyList::tr("%1 per second, busy %2% of the time")
                                        .arg(stage.rate, 0, 'f', 1)
                                        .arg(100 * stage.part, 0, 'f', 0));
  if (!detail.attempts.empty()) properties.add_title(PropertyList::tr("Attempts"));
  for (const AttemptRow& attempt : detail.attempts)
    properties.add_part(QString::number(attempt.number), sentence_of(attempt));
  return properties.lines;
}

QString missing_log_text(const JobRow* row) {
  if (row == nullptr) return {};
  if (row->attempt == 0) return PropertyList::tr("No log yet: the job has not started.");
  return PropertyList::tr("The log is empty.");
}

}  // namespace weft::gui
