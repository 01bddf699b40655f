// SPDX-License-Identifier: Apache-2.0
// What tests of the dashboard use: waiting for a condition, and rows made up.
#pragma once

#include <QWidget>

#include "client_gui/connection/values.h"
#include "client_gui/models/wait_until.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {

// Makes it the window that keys go to. Once is not enough: the platform without a screen may take it away again, as after a dialog.
inline bool activate(QWidget& window) {
  return wait_until([&] {
    if (!window.isActiveWindow()) window.activateWindow();
    return window.isActiveWindow();
  });
}

// Submitted in the order of the numbers.
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

// Of the second before `time`.
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

// All jobs there are.
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
