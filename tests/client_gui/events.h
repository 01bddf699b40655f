// SPDX-License-Identifier: Apache-2.0
// Helpers of the dashboard's tests: functions that wait for conditions, and sample rows.
#pragma once

#include <QWidget>

#include "client_gui/connection/values.h"
#include "client_gui/models/wait_until.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {

// Activates the window, so that it receives keys. Repeats the call, since the offscreen platform
// may deactivate the window, for example after a dialog.
inline bool activate(QWidget& window) {
  return wait_until([&] {
    if (!window.isActiveWindow()) window.activateWindow();
    return window.isActiveWindow();
  });
}

// Makes a job. A larger number has a later submission time.
inline JobRow make_job(int number, v1::JobState state = v1::JOB_STATE_QUEUED, int64_t revision = 1) {
  JobRow job;
  job.id = QStringLiteral("01JB%1").arg(number, 22, 10, QLatin1Char('0'));
  job.revision = revision;
  job.state = state;
  job.submit_time = 1790000000.0 + number;
  job.files = QStringLiteral("in%1.ts -> out%1.mkv").arg(number);
  job.owner = number % 2 == 0 ? QStringLiteral("ann") : QStringLiteral("bob");
  job.priority = number % 7;
  job.device = QStringLiteral("cpu");
  return job;
}

// Makes a sample of the second before `time`.
inline DeviceSampleRow make_sample(double time, double normal) {
  DeviceSampleRow sample;
  sample.time = time;
  sample.interval = 1;
  sample.normal = normal;
  return sample;
}
inline DeviceRow make_device(const QString& id, double time) {
  DeviceRow device;
  device.id = id;
  device.state = v1::DEVICE_STATE_IN_SERVICE;
  device.sample = make_sample(time, 0.5);
  return device;
}

// Makes a snapshot of exactly these jobs.
inline Delivery make_snapshot(std::vector<JobRow> jobs) {
  Delivery delivery;
  delivery.snapshot_begins = delivery.snapshot_ends = true;
  delivery.jobs = std::move(jobs);
  return delivery;
}
inline Delivery make_change(std::vector<JobRow> jobs) {
  Delivery delivery;
  delivery.jobs = std::move(jobs);
  return delivery;
}

}  // namespace weft::gui
