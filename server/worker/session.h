// SPDX-License-Identifier: Apache-2.0
// A worker's life: says that it is ready, does what the daemon asks over the channel, ends when told to or when
// the daemon is gone.
#pragma once

#include <string>
#include <vector>

#include "server/channel/channel.h"
#include "server/device/device.h"
#include "server/worker/device/device_tuning.h"
#include "server/worker/device/presence_watch.h"

namespace weft::worker {

// What the process ends with.
inline constexpr int kExitDone = 0;
inline constexpr int kExitDaemonGone = 10;    // the channel ended
inline constexpr int kExitNoDevice = 11;      // not opened, or its self-test failed; said in Ready
inline constexpr int kExitDeviceBroken = 12;  // lost, or its context is poisoned; a new process may go on

struct SessionOptions {
  std::string device_id;
  device::OpenOptions open;
  schedule::ForeignMode foreign =
      schedule::ForeignMode::kYield;        // the regard for other programs on the device
  std::vector<std::string> not_confined{};  // gaps of its confinement, a sentence each
  bool uses_tables = true;                  // of tuned kernels
  std::string shipped_tables{};             // a folder; empty: none

  TuningSource tables() const { return {open.cache_folder, shipped_tables, uses_tables}; }
};

// Opens the device, tests it, runs jobs on it. Returns what the process ends with; when the daemon is gone, it ends
// the process at once instead, whatever its threads are at.
int run_device_session(channel::Channel& channel, const SessionOptions& options);

// Answers ProbeJob and ReadPicture; needs no device.
int run_probe_session(channel::Channel& channel);

}  // namespace weft::worker
