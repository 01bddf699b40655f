// SPDX-License-Identifier: Apache-2.0
#include "server/queue/store/speed_table.h"

#include <string>

#include "base/log.h"

namespace weft::queue {
namespace {

// SQL that selects invalid rows, which no daemon writes.
const std::string kMakesNoSense =
    " FROM speeds WHERE typeof(unit_ns) != 'integer' OR typeof(limit_share) != 'integer' OR unit_ns < 1 "
    "OR limit_share NOT BETWEEN 0 AND 1000000";

}  // namespace

Status SpeedTable::prepare(Database& db) {
  ASSIGN_OR_RETURN(put_, db.prepare("INSERT OR REPLACE INTO speeds "
                                    "(device, key, is_pace, unit_ns, limit_share, revision) "
                                    "VALUES (?, ?, ?, ?, ?, ?)"));
  ASSIGN_OR_RETURN(
      trim_, db.prepare(fmt::format("DELETE FROM speeds WHERE (device, key, is_pace) IN (SELECT device, key, "
                                    "is_pace FROM speeds ORDER BY revision DESC LIMIT -1 OFFSET {})",
                                    kSpeedsKept)));
  return ok_status();
}

StatusOr<std::vector<KeptSpeed>> SpeedTable::load(Database& db) {
  ASSIGN_OR_RETURN(const int64_t senseless, db.query_integer("SELECT count(*)" + kMakesNoSense));
  if (senseless > 0) {
    log_warning("Of what was learnt of devices' speed {} values make no sense; they are learnt anew.",
                senseless);
    RETURN_IF_ERROR(db.execute("DELETE" + kMakesNoSense));
  }
  ASSIGN_OR_RETURN(Statement select, db.prepare("SELECT device, key, is_pace, unit_ns, limit_share "
                                                "FROM speeds ORDER BY revision DESC, device, key"));
  std::vector<KeptSpeed> speeds;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, select.step());
    if (!row) return speeds;
    speeds.push_back(
        {select.text(0), select.text(1), select.integer(2) != 0, select.integer(3), select.integer(4)});
  }
}

Status SpeedTable::put(const std::vector<KeptSpeed>& speeds, int64_t revision) {
  for (const KeptSpeed& speed : speeds) {
    put_.bind(1, speed.device).bind(2, speed.key).bind(3, int64_t(speed.is_pace)).bind(4, speed.unit_ns);
    RETURN_IF_ERROR(put_.bind(5, speed.limit_share).bind(6, revision).run());
  }
  return speeds.empty() ? ok_status() : trim_.run();
}

}  // namespace weft::queue
