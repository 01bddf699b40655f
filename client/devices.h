// SPDX-License-Identifier: Apache-2.0
// The machine's devices. Each call blocks until its answer or its deadline; thread-safe.
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
  // `ids` empty: all devices.
  StatusOr<std::vector<v1::DeviceStatus>> drain(const std::vector<std::string>& ids);
  // `take`: also from another daemon or program that holds the devices' locks; not of all.
  StatusOr<std::vector<v1::DeviceStatus>> resume(const std::vector<std::string>& ids, bool take = false);

  // What was found of a device's kernels. NOT_FOUND: there is no such device.
  StatusOr<v1::ListTunedKernelsResponse> tuned_kernels(const std::string& id);

  // Calls `receive` for every sample, until it returns false, `stop` is requested or the connection ends.
  Status watch(const std::vector<std::string>& ids,
               const std::function<bool(const v1::DeviceStatus&)>& receive, std::stop_token stop = {});

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace weft::client
