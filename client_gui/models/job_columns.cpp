// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/job_columns.h"

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>
#include <array>

#include "client_gui/models/text.h"
#include "client_gui/texts/declared.h"
#include "options/option.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

struct Column {
  const char* title;
  const char* help;
  Qt::AlignmentFlag side;
};

constexpr const char* kContext = "JobColumns";
constexpr std::array<Column, kJobColumns> kColumns = {{
    {QT_TRANSLATE_NOOP("JobColumns", "State"), QT_TRANSLATE_NOOP("JobColumns", "Current state."),
     Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "Done"), QT_TRANSLATE_NOOP("JobColumns", "Completed share of the job."),
     Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "Time left"),
     QT_TRANSLATE_NOOP("JobColumns", "Estimated time to completion at the current rate."), Qt::AlignRight},
    {QT_TRANSLATE_NOOP("JobColumns", "Rate"), QT_TRANSLATE_NOOP("JobColumns", "Frames or images per second."),
     Qt::AlignRight},
    {QT_TRANSLATE_NOOP("JobColumns", "Files"), QT_TRANSLATE_NOOP("JobColumns", "Input and output files."),
     Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "Device"), QT_TRANSLATE_NOOP("JobColumns", "Current or last device."),
     Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "Owner"), QT_TRANSLATE_NOOP("JobColumns", "Owner of the job."),
     Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "Labels"),
     QT_TRANSLATE_NOOP("JobColumns", "Labels given at submission."), Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "Reason"),
     QT_TRANSLATE_NOOP("JobColumns", "Reason for the wait or failure."), Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "Priority"),
     QT_TRANSLATE_NOOP("JobColumns", "Jobs with a higher priority run first."), Qt::AlignRight},
    {QT_TRANSLATE_NOOP("JobColumns", "Age"), QT_TRANSLATE_NOOP("JobColumns", "Time since submission."),
     Qt::AlignRight},
    {QT_TRANSLATE_NOOP("JobColumns", "Ended"),
     QT_TRANSLATE_NOOP("JobColumns", "End time, with the date if not today."), Qt::AlignRight},
    {QT_TRANSLATE_NOOP("JobColumns", "Kind"), QT_TRANSLATE_NOOP("JobColumns", "Kind of job."), Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "Class"),
     QT_TRANSLATE_NOOP("JobColumns", "Scheduling class: normal or spare."), Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "Attempts"), QT_TRANSLATE_NOOP("JobColumns", "Attempts made / allowed."),
     Qt::AlignRight},
    {QT_TRANSLATE_NOOP("JobColumns", "Server"), QT_TRANSLATE_NOOP("JobColumns", "Server of the job."),
     Qt::AlignLeft},
    {QT_TRANSLATE_NOOP("JobColumns", "ID"), QT_TRANSLATE_NOOP("JobColumns", "Unique job ID."), Qt::AlignLeft},
}};

const Column& column_of(JobColumn column) { return kColumns[size_t(column)]; }

template <class Value>
int sign(const Value& a, const Value& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// Returns the rank of a state by importance: running, failed, waiting, ended.
int rank_of(v1::JobState state) {
  constexpr std::array<v1::JobState, 6> kOrder = {v1::JOB_STATE_RUNNING,   v1::JOB_STATE_FAILED,
                                                  v1::JOB_STATE_PAUSED,    v1::JOB_STATE_QUEUED,
                                                  v1::JOB_STATE_CANCELLED, v1::JOB_STATE_SUCCEEDED};
  return int(std::find(kOrder.begin(), kOrder.end(), state) - kOrder.begin());
}

// Returns a time: "14:03"; on another day "11-25 14:03"; if the current day is unknown, "2026-11-25
// 14:03".
QString moment_text(double seconds, double now) {
  if (seconds <= 0) return {};
  const auto local = [](double time) { return QDateTime::fromMSecsSinceEpoch(qint64(time * 1000)); };
  const QDateTime moment = local(seconds);
  if (now <= 0) return moment.toString(QStringLiteral("yyyy-MM-dd HH:mm"));
  return moment.toString(moment.date() == local(now).date() ? QStringLiteral("HH:mm")
                                                            : QStringLiteral("MM-dd HH:mm"));
}

}  // namespace

QString title_of(JobColumn column) { return QCoreApplication::translate(kContext, column_of(column).title); }
QString help_of(JobColumn column) { return QCoreApplication::translate(kContext, column_of(column).help); }
Qt::Alignment alignment_of(JobColumn column) { return column_of(column).side | Qt::AlignVCenter; }

QString name_of(v1::JobState state) { return choice_text(options::choice_name(state)); }

QString text_of(const PlacedJob& placed, JobColumn column, double now) {
  const JobRow& job = placed.job;
  switch (column) {
    case JobColumn::kState:
      return name_of(job.state);
    case JobColumn::kDone:
      return job.done < 0 ? QString() : QString::asprintf("%.1f%%", job.done * 100);
    case JobColumn::kEta:
      return job.eta_seconds < 0 ? QString() : clock_text(job.eta_seconds);
    case JobColumn::kRate:
      return job.rate < 0 ? QString() : QString::asprintf("%.1f", job.rate);
    case JobColumn::kFiles:
      return job.files;
    case JobColumn::kKind:
      return job.kind;
    case JobColumn::kDevice:
      return job.device;
    case JobColumn::kClass:
      return choice_text(options::choice_name(job.job_class));
    case JobColumn::kPriority:
      return QString::number(job.priority);
    case JobColumn::kOwner:
      return job.owner;
    case JobColumn::kLabels:
      return job.labels;
    case JobColumn::kEnded:
      return moment_text(job.end_time, now);
    case JobColumn::kNote:
      return job.note;
    case JobColumn::kAttempts:
      return QStringLiteral("%1/%2").arg(job.attempt).arg(job.max_attempts);
    case JobColumn::kAge:
      return age_text(now - job.submit_time);
    case JobColumn::kServer:
      return placed.server_name;
    case JobColumn::kId:
      return job.id;
  }
  return {};
}

int compare(const PlacedJob& a, const PlacedJob& b, JobColumn column) {
  switch (column) {
    case JobColumn::kState:
      return sign(rank_of(a.job.state), rank_of(b.job.state));
    case JobColumn::kDone:
      return sign(a.job.done, b.job.done);
    case JobColumn::kEta:
      return sign(a.job.eta_seconds, b.job.eta_seconds);
    case JobColumn::kRate:
      return sign(a.job.rate, b.job.rate);
    case JobColumn::kFiles:
      return a.job.files.compare(b.job.files);
    case JobColumn::kKind:
      return a.job.kind.compare(b.job.kind);
    case JobColumn::kDevice:
      return a.job.device.compare(b.job.device);
    case JobColumn::kClass:
      return sign(a.job.job_class, b.job.job_class);
    case JobColumn::kPriority:
      return sign(a.job.priority, b.job.priority);
    case JobColumn::kOwner:
      return a.job.owner.compare(b.job.owner);
    case JobColumn::kLabels:
      return a.job.labels.compare(b.job.labels);
    case JobColumn::kEnded:
      return sign(b.job.end_time, a.job.end_time);
    case JobColumn::kNote:
      return a.job.note.compare(b.job.note);
    case JobColumn::kAttempts:
      return sign(a.job.attempt, b.job.attempt);
    case JobColumn::kAge:
      return sign(b.job.submit_time, a.job.submit_time);
    case JobColumn::kServer:
      return a.server_name.compare(b.server_name);
    case JobColumn::kId:
      return a.job.id.compare(b.job.id);
  }
  return 0;
}

}  // namespace weft::gui
