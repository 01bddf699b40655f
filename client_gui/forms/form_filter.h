// SPDX-License-Identifier: Apache-2.0
// Which fields of a form are shown. Those that are wrong always are.
#pragma once

#include <QString>

namespace weft::gui {

struct FormFilter {
  enum class Which {
    kUsual,
    kAll,
    kGiven
  };  // without those for experts; every one; those with values of their own
  Which which = Which::kUsual;
  QString text{};  // where not empty: those that match it, for experts or not
};

}  // namespace weft::gui
