// SPDX-License-Identifier: Apache-2.0
// Runs a worker: reports that it is ready, executes the daemon's requests from the channel, and
// ends on request or when the daemon has ended.
#pragma once

#include <string>
#include <vector>

#include "server/channel/channel.h"
#include "server/device/device.h"
#include "server/worker/device/device_tuning.h"
#include "server/worker/device/presence_watch.h"

namespace weft::worker {

// Exit statuses of the process.
inline constexpr int kExitDone = 0;
inline constexpr int kExitDaemonGone = 10;  // the channel was closed
// the device could not be opened, or its self-test failed; Ready contains the reason
inline constexpr int kExitNoDevice = 11;
// the device was lost, or its context is unusable; a new process may succeed
inline constexpr int kExitDeviceBroken = 12;

struct SessionOptions {
  std::string device_id;
  device::OpenOptions open;
  schedule::ExternalLoadMode external_load =
      schedule::ExternalLoadMode::kYield;  // behaviour towards other programs on the device
  // gaps of the process's confinement, one sentence for each
  std::vector<std::string> not_confined{};
  bool uses_tables = true;       // whether tuning tables of kernels are used
  std::string shipped_tables{};  // a folder; empty: no shipped tables

  // number of segments of a video that a job renders at the same time; 0: chosen by measurement
  int segments_at_once = 0;
  std::string scratch_folder{};   // a private folder of the process; empty: none
  std::vector<int> processors{};  // as in DeviceShare

  TuningSource tables() const { return {open.cache_folder, shipped_tables, uses_tables}; }
};

// Opens and tests the device, and runs jobs and streams on it. Returns the exit status. If the
// daemon has ended, the function ends the process immediately, in any state of its threads.
int run_device_session(channel::Channel& channel, const SessionOptions& options);

// Answers ProbeJob and ReadPicture; needs no device.
int run_probe_session(channel::Channel& channel);

}  // namespace weft::worker
