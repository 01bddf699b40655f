// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/waiting.h"

#include <algorithm>

#include "client/devices.h"
#include "client/jobs.h"

namespace weft::cli {

std::string why_nothing_takes(const std::shared_ptr<client::Connection>& connection, const v1::Job& job) {
  const auto devices = client::Devices(connection).list();
  if (!devices.ok()) return "";
  const std::string& wanted = job.settings().device();
  const bool may_come = std::ranges::any_of(devices->devices(), [&](const v1::DeviceStatus& device) {
    return (wanted.empty() || device.id() == wanted) &&
           (device.state() == v1::DEVICE_STATE_IN_SERVICE || device.state() == v1::DEVICE_STATE_STARTING);
  });
  if (may_come || devices->devices().empty()) return "";
  const auto explained = client::Jobs(connection).explain(job.id());
  if (!explained.ok() || explained->job().state() != v1::JOB_STATE_QUEUED || explained->reasons().empty())
    return "";
  return explained->reasons(0);
}

}  // namespace weft::cli
