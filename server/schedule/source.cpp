// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/source.h"

namespace weft::schedule {

const char* name_of(SourceClass c) {
  switch (c) {
    case SourceClass::kRealtime:
      return "realtime";
    case SourceClass::kNormal:
      return "normal";
    case SourceClass::kSpare:
      return "spare";
  }
  return "";
}

}  // namespace weft::schedule
