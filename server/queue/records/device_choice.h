// SPDX-License-Identifier: Apache-2.0
// Parses the devices that a job's settings permit.
//
// A preference is a text: empty (any device), the id of a device, ids separated by commas, or "all"
// (all GPUs; those that render one video together have the same kind and name).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

inline constexpr std::string_view kAllDevices = "all";
inline constexpr int kMostDevices = 64;  // limit of the ids in JobSettings.devices

// Returns the preference of a job. Spaces around commas are removed.
std::string preference_of(const v1::JobSettings& settings);
// Returns true if the preference permits several devices by name, or is "all".
bool names_several(std::string_view preference);
// Returns true if the preference names this device.
bool names_device(std::string_view preference, std::string_view device);
// Returns true if a preference permits a device. `only_by_name`: the device is used only by jobs
// that name it.
bool permits(std::string_view preference, std::string_view device, bool is_gpu, bool only_by_name);
// INVALID_ARGUMENT: both `device` and `devices` are set, the job is not a video, or an id is empty
// or occurs twice.
Status check_devices(const v1::JobSpec& spec, const v1::JobSettings& settings);

}  // namespace weft::queue
