// SPDX-License-Identifier: Apache-2.0
// Converts the API's messages to plain values.
#pragma once

#include "client_gui/connection/values.h"
#include "client_gui/pictures/picture.h"

namespace weft::v1 {
class DeviceStatus;
class ExplainJobResponse;
class GetStatisticsResponse;
class Job;
class ReadJobLogResponse;
}  // namespace weft::v1

namespace weft::client {
struct JobPicture;
}

namespace weft::gui {

JobRow row_of(const v1::Job& job);
DeviceRow row_of(const v1::DeviceStatus& device);
JobDetail detail_of(const v1::Job& job);
// Adds the server's explanation why the queued job waits.
void add_explanation(JobDetail& detail, const v1::ExplainJobResponse& explanation);
Statistics statistics_of(const v1::GetStatisticsResponse& response);
LogRow line_of(const v1::ReadJobLogResponse& line);
Picture picture_of(client::JobPicture&& picture);

}  // namespace weft::gui
