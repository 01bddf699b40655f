// SPDX-License-Identifier: Apache-2.0
// Lists, drains, resumes and watches the devices of a machine. Each call blocks until its answer or
// its deadline. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/device_service.pb.h"

namespace weft::client {

class Devices {
 public:
  explicit Devices(std::shared_ptr<Connection> connection);

  StatusOr<v1::ListDevicesResponse> list();
  // Drains the devices. Empty `ids`: all devices.
  StatusOr<std::vector<v1::DeviceStatus>> drain(const std::vector<std::string>& ids);
  // Resumes the devices. Empty `ids`: all devices. `take`: also takes the locks of the devices from
  // another daemon or program; then `ids` may not be empty.
  StatusOr<std::vector<v1::DeviceStatus>> resume(const std::vector<std::string>& ids, bool take = false);

  // Returns the tuning results of a device's kernels. NOT_FOUND: the device is unknown.
  StatusOr<v1::ListTunedKernelsResponse> tuned_kernels(const std::string& id);

  // Calls `receive` for every sample. Blocks until `receive` returns false, `stop` is requested or
  // the connection ends.
  Status watch(const std::vector<std::string>& ids,
               const std::function<bool(const v1::DeviceStatus&)>& receive, std::stop_token stop = {});

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace weft::client
