// SPDX-License-Identifier: Apache-2.0
// Selects the shown fields of a form. Fields with errors are always shown.
#pragma once

#include <QString>

namespace weft::gui {

struct FormFilter {
  // fields without the advanced ones; all fields; changed fields
  enum class Which { kUsual, kAll, kGiven };
  Which which = Which::kUsual;
  QString text{};  // shows only fields that contain this text, also advanced ones
};

}  // namespace weft::gui
