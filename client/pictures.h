// SPDX-License-Identifier: Apache-2.0
// Reads single pictures of the inputs and outputs of jobs.
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
  std::string samples;  // samples in the format of the description
};

// Blocks until the picture arrives or `stop` is requested (CANCELLED). Errors are the daemon's
// (picture_service.proto) or is_unreachable(). DATA_LOSS: fewer bytes arrived than described.
StatusOr<JobPicture> read_picture(Connection& connection, const v1::ReadPictureRequest& request,
                                  const std::stop_token& stop = {});

}  // namespace weft::client
