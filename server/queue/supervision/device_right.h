// SPDX-License-Identifier: Apache-2.0
// Who may use a device, by the permissions of its node in /dev: the same users may hold its lock.
#pragma once

#include <span>
#include <string>

#include <sys/types.h>

#include "weft/v1/device_service.pb.h"

namespace weft::queue {

// As the permissions of a file: owner, group, and the bits of group and others.
struct DeviceRight {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t mode = 0666;  // everybody may
  bool is_everybodys() const;
};

// Of an NVIDIA GPU by the first /dev/nvidiaN, of another GPU by the first render node. Everybody may use the CPU, and what has no node
// that this process may open (Vulkan in software). `nodes`: where the nodes lie.
DeviceRight right_to_use(const v1::DeviceStatus& device, const std::string& nodes = "/dev");

// `groups`: all of the user's.
bool may_use(const DeviceRight& right, uid_t user, std::span<const gid_t> groups);
// The same by the groups that the user has in the user database.
bool may_use(const DeviceRight& right, uid_t user);

// "ada (user id 1000)"
std::string name_of_user(uid_t user);

}  // namespace weft::queue
