// SPDX-License-Identifier: Apache-2.0
#include "client_gui/connection/rows.h"

#include <algorithm>

#include "client/text.h"
#include "options/job_kinds.h"
#include "weft/v1/device_service.pb.h"

namespace weft::gui {
namespace {

double done_of(const v1::Job& job) {
  if (job.state() == v1::JOB_STATE_SUCCEEDED) return 1;
  const v1::JobProgress& progress = job.progress();
  if (progress.units_total() <= 0) return -1;
  return std::clamp(double(progress.units_done()) / double(progress.units_total()), 0.0, 1.0);
}

}  // namespace

JobRow row_of(const v1::Job& job) {
  const auto kind = options::job_kind_of(job.spec());
  const v1::JobProgress& progress = job.progress();
  const bool running = job.state() == v1::JOB_STATE_RUNNING;
  JobRow row;
  row.id = QString::fromStdString(job.id());
  row.revision = job.revision();
  row.state = job.state();
  row.job_class = job.settings().job_class();
  row.priority = job.settings().priority();
  row.attempt = job.attempt();
  row.max_attempts = job.settings().max_attempts();
  row.done = done_of(job);
  if (running && progress.units_per_second() > 0) row.rate = progress.units_per_second();
  if (running && progress.has_eta()) row.eta_seconds = client::seconds_of(progress.eta());
  row.submit_time = client::seconds_of(job.submit_time());
  if (kind) row.kind = QString::fromStdString(kind->name);
  row.files = QString::fromStdString(client::job_files(job));
  row.device = QString::fromStdString(job.device());
  row.owner = QString::fromStdString(job.settings().owner());
  row.note = QString::fromStdString(job.has_error() ? job.error().message() : job.waiting_reason());
  return row;
}

DeviceRow row_of(const v1::Device& device) {
  return {QString::fromStdString(device.id()), QString::fromStdString(device.name()), device.state(),
          QString::fromStdString(device.reason())};
}

}  // namespace weft::gui
