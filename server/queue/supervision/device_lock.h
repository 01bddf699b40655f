// SPDX-License-Identifier: Apache-2.0
// Reserves a device for one daemon of the machine. The lock is held on a file named by the device's
// UUID, in a folder shared by all users. The file has the permissions of the device's node in /dev,
// so that users without access to the device cannot hold its lock (docs/decisions/0005).
#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/supervision/device_right.h"
#include "weft/v1/device_service.pb.h"

namespace weft::queue {

// Parameters of a lock.
struct LockRequest {
  std::string folder;
  v1::DeviceStatus device;
  // Text of the holder in the lock file: "weftd, process 812, unix:/run/weft/weft.sock".
  std::string holder;
  // Name of the worker program. A holder with such a child process runs a worker.
  std::string worker = "weft-worker";
  bool by_order = false;       // true to take the lock from any holder
  std::string nodes = "/dev";  // folder of the devices' nodes
};

class DeviceLock {
 public:
  // Takes the lock and writes the holder's text. A holder without the right to use the device loses
  // the lock, as does every holder if `by_order` is set. The lock is taken from a holder by
  // replacing the file. If `by_order` is set and the file cannot be replaced (another user's file
  // in another user's folder), a lock is taken that only daemons of this user respect. ABORTED: the
  // device is taken; the message contains the holder. Other codes: the folder or file cannot be
  // used.
  static StatusOr<DeviceLock> take(const LockRequest& request);

  // Returns the descriptor, which the worker inherits. The lock lasts until the daemon and the
  // worker have both ended, so that the next daemon does not use the device and its work folders
  // while this worker is ending.
  int descriptor() const { return file_.get(); }
  // Returns true if the file is still the device's lock, that is, if no other daemon has replaced
  // it.
  bool is_valid() const;

 private:
  DeviceLock(channel::FileDescriptor file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}
  friend class LockFile;
  channel::FileDescriptor file_;
  std::string path_;
};

// Returns true if the lock is held and no visible holder runs a worker. Returns false if the lock
// is free, a holder runs a worker, or a holder is not visible.
bool is_held_without_worker(const LockRequest& request);

// Returns the file name for a device: its UUID, or its id if it has none. Letters, digits, '-' and
// '_' stay, other characters become '_'.
std::string lock_name(const v1::DeviceStatus& device);

}  // namespace weft::queue
