// SPDX-License-Identifier: Apache-2.0
// Defines orders that submit or check jobs, and the daemon's answers, as the GUI thread and the
// connection's threads pass them to each other.
#pragma once

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "client/draft.h"
#include "options/validate.h"
#include "weft/v1/job_service.pb.h"

namespace weft::gui {

struct SubmitOrder {
  int64_t number = 0;  // number of the order, which increases with every order
  client::Draft draft;
  bool only_check = false;  // true: the jobs are checked, and none is added
};

// The answer for one job of an order, or for all jobs that were not sent because of one error.
struct SubmitAnswer {
  int64_t number = 0;
  bool only_check = false;
  bool is_last = false;                          // true: the last answer of the order
  QStringList inputs{};                          // input files of the job; may be empty
  QString id{};                                  // ID of the added job
  QString error{};                               // one sentence; empty: success
  std::vector<options::Violation> violations{};  // errors of single fields
  v1::JobEstimate estimate{};                    // estimate for the job, if there is no error
  // predictions for each device, if the order is a check
  std::vector<v1::DevicePrediction> predictions{};
};

}  // namespace weft::gui
