// SPDX-License-Identifier: Apache-2.0
// A device belongs to one daemon of the machine: a lock on a file named by the device's UUID, in a folder that all users
// share. The file says who has it.
#pragma once

#include <string>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "weft/v1/device_service.pb.h"

namespace weft::queue {

class DeviceLock {
 public:
  // Takes the lock and writes `holder` ("weftd, process 812, unix:/run/weft/weft.sock") for others to read.
  // ABORTED: somebody has it, and the message says who. Anything else: folder or file cannot be used.
  static StatusOr<DeviceLock> take(const std::string& folder, const v1::DeviceStatus& device,
                                   const std::string& holder);

  // For the worker to inherit: the lock lasts until the daemon and the worker are both gone, so that the next daemon does
  // not start on a device, and on work folders, that a dying worker still has.
  int descriptor() const { return file_.get(); }

 private:
  explicit DeviceLock(channel::FileDescriptor file) : file_(std::move(file)) {}
  channel::FileDescriptor file_;
};

// "GPU-5d1c..." as a file's name: letters, digits, '-' and '_' stay. A device without a UUID goes by its id.
std::string lock_name(const v1::DeviceStatus& device);

}  // namespace weft::queue
