// SPDX-License-Identifier: Apache-2.0
// A device belongs to one daemon of the machine: a lock on a file named by the device's UUID, in a folder that all users
// share. Its permissions are those of the device's node in /dev: who may not use the device cannot hold its lock
// (docs/decisions/0005).
#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/supervision/device_right.h"
#include "weft/v1/device_service.pb.h"

namespace weft::queue {

// What is asked for.
struct LockRequest {
  std::string folder;
  v1::DeviceStatus device;
  std::string holder;  // what the file says of us: "weftd, process 812, unix:/run/weft/weft.sock"
  std::string worker = "weft-worker";  // the worker's program, by which a holder with a worker is known
  bool by_order = false;               // takes it from whoever has it
  std::string nodes = "/dev";          // where the devices' nodes lie
};

class DeviceLock {
 public:
  // Takes the lock and writes the holder's line for others to read. From a holder without the right to use the device it is taken as by
  // order. ABORTED: somebody has it, and the message says who. Anything else: folder or file cannot be used. By order the file
  // is replaced; where that is not permitted (another user's file in another user's folder), the lock is one that only daemons
  // of this user respect.
  static StatusOr<DeviceLock> take(const LockRequest& request);

  // For the worker to inherit: the lock lasts until the daemon and the worker are both gone, so that the next daemon does
  // not start on a device, and on work folders, that a dying worker still has.
  int descriptor() const { return file_.get(); }
  // Whether it still is the device's lock: nobody took it by order.
  bool is_valid() const;

 private:
  DeviceLock(channel::FileDescriptor file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}
  friend class LockFile;
  channel::FileDescriptor file_;
  std::string path_;
};

// Whether the device's lock is held and no process that can be seen to hold it runs a worker. False: it is free, somebody works with it,
// or that cannot be told.
bool is_held_without_worker(const LockRequest& request);

// "GPU-5d1c..." as a file's name: letters, digits, '-' and '_' stay. A device without a UUID goes by its id.
std::string lock_name(const v1::DeviceStatus& device);

}  // namespace weft::queue
