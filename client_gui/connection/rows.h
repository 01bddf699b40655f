// SPDX-License-Identifier: Apache-2.0
// Messages of the API as plain values.
#pragma once

#include "client_gui/connection/values.h"

namespace weft::v1 {
class Device;
class Job;
}  // namespace weft::v1

namespace weft::gui {

JobRow row_of(const v1::Job& job);
DeviceRow row_of(const v1::Device& device);

}  // namespace weft::gui
