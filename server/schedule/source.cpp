// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/source.h"

namespace weft::schedule {

const char* name_of(WorkClass c) {
  switch (c) {
    case WorkClass::kRealtime:
      return "realtime";
    case WorkClass::kNormal:
      return "normal";
    case WorkClass::kSpare:
      return "spare";
  }
  return "";
}

}  // namespace weft::schedule
