// SPDX-License-Identifier: Apache-2.0
// Determines the users with the right to use a device, by the permissions of its node in /dev. The
// same users may hold its lock.
#pragma once

#include <span>
#include <string>

#include <sys/types.h>

#include "weft/v1/device_service.pb.h"

namespace weft::queue {

// The right as permissions of a file: owner, group, and the mode bits of group and others.
struct DeviceRight {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t mode = 0666;  // by default every user
  bool is_everybodys() const;
};

// Returns the right to a device. It follows from the first /dev/nvidiaN for an NVIDIA GPU, and from
// the first render node for another GPU. Every user may use the CPU, and devices without a node
// that this process may open (Vulkan in software). `nodes` is the folder of the nodes.
DeviceRight right_to_use(const v1::DeviceStatus& device, const std::string& nodes = "/dev");

// Returns true if the user may use the device. `groups` contains all groups of the user.
bool may_use(const DeviceRight& right, uid_t user, std::span<const gid_t> groups);
// Returns the same for the groups that the user has in the user database.
bool may_use(const DeviceRight& right, uid_t user);

// Returns a text such as "ada (user id 1000)".
std::string name_of_user(uid_t user);

}  // namespace weft::queue
