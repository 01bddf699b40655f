// SPDX-License-Identifier: Apache-2.0
// Single pictures of what jobs read and wrote.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "client/connection.h"
#include "weft/v1/picture_service.pb.h"

namespace weft::client {

struct JobPicture {
  v1::PictureDescription description;
  std::string samples;  // as it says
};

// Blocks until the picture is there or `stop` is requested (CANCELLED). Errors are the daemon's (picture_service.proto), or
// is_unreachable() ones; DATA_LOSS: less came than the description says.
StatusOr<JobPicture> read_picture(Connection& connection, const v1::ReadPictureRequest& request,
                                  const std::stop_token& stop = {});

}  // namespace weft::client
