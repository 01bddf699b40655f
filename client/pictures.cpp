// SPDX-License-Identifier: Apache-2.0
#include "client/pictures.h"

#include <functional>

#include "client/channel.h"

namespace weft::client {
namespace {

int64_t sample_bytes(v1::PictureSamples samples) {
  switch (samples) {
    case v1::PICTURE_SAMPLES_BYTE:
      return 1;
    case v1::PICTURE_SAMPLES_SHORT:
    case v1::PICTURE_SAMPLES_HALF:
      return 2;
    default:
      return 4;
  }
}

}  // namespace

StatusOr<JobPicture> read_picture(Connection& connection, const v1::ReadPictureRequest& request,
                                  const std::stop_token& stop) {
  JobPicture picture;
  const std::function<bool(const v1::ReadPictureResponse&)> receive =
      [&](const v1::ReadPictureResponse& response) {
        if (response.has_description()) picture.description = response.description();
        picture.samples += response.samples();
        return true;
      };
  const Stubs& stubs = connection.stubs();
  RETURN_IF_ERROR(
      read_stream(stubs, *stubs.pictures, &v1::PictureService::Stub::ReadPicture, request, receive, stop));
  if (stop.stop_requested()) return cancelled("The request of the picture was cancelled.");
  const v1::PictureDescription& what = picture.description;
  const int64_t modes =
      what.has_block_modes() ? int64_t((what.width() + 3) / 4) * ((what.height() + 3) / 4) : 0;
  const int64_t expected = int64_t{3} * what.width() * what.height() * sample_bytes(what.samples()) + modes;
  if (int64_t(picture.samples.size()) != expected)
    return data_loss("The picture is incomplete ({} of {} bytes); request it again.", picture.samples.size(),
                     expected);
  return picture;
}

}  // namespace weft::client
