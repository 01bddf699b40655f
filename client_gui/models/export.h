// SPDX-License-Identifier: Apache-2.0
// Jobs as a file for other programs.
#pragma once

#include <QByteArray>
#include <vector>

#include "client_gui/models/jobs_model.h"

namespace weft::gui {

// The rows as comma-separated values (RFC 4180), UTF-8, with a line of titles: every column, as it is shown.
QByteArray to_csv(const JobsModel& jobs, const std::vector<int>& rows);

}  // namespace weft::gui
