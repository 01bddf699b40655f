// SPDX-License-Identifier: Apache-2.0
#include "client/user.h"

#include <pwd.h>
#include <unistd.h>

namespace weft::client {

std::string user_name() {
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(geteuid(), &entry, buffer, sizeof(buffer), &found) == 0 && found != nullptr)
    return found->pw_name;
  return std::to_string(geteuid());
}

}  // namespace weft::client
