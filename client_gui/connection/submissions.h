// SPDX-License-Identifier: Apache-2.0
// What is asked of a daemon when jobs are added, and what it says: values that cross between the windows' thread and the
// connection's.
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
  int64_t number = 0;  // rises with every order
  client::Draft draft;
  bool only_check = false;  // no job is added: what it would be, and what is wrong
};

// Of one job of an order, or of all that were not sent because of one error.
struct SubmitAnswer {
  int64_t number = 0;
  bool only_check = false;
  bool is_last = false;  // of its order
  QStringList
      inputs{};     // of the draft, that the job works on; empty: it reads none, or all that have no answer
  QString id{};     // of the job that was added
  QString error{};  // a sentence; empty: it is fine
  std::vector<options::Violation> violations{};     // where the error is some fields'
  v1::JobEstimate estimate{};                       // without an error
  std::vector<v1::DevicePrediction> predictions{};  // of a check
};

}  // namespace weft::gui
