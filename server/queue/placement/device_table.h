// SPDX-License-Identifier: Apache-2.0
// Holds the devices as users see them: the reports of workers, overridden by decisions of operators
// and of the queue. These are drained devices, devices out of service after deaths of their
// workers, and devices that rest after a refused start.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/placement/placement.h"
#include "weft/internal/v1/worker.pb.h"
#include "weft/v1/device_service.pb.h"

namespace weft::queue {

class DeviceTable {
 public:
  // `placement` receives each change; it holds the running jobs.
  explicit DeviceTable(Placement& placement) : placement_(placement) {}

  // Replaces the set of drained devices. It may contain ids of devices that are not present.
  void set_drained(std::set<std::string> ids);
  const std::set<std::string>& drained() const { return drained_; }

  // Drains the server permanently; every device reports it.
  void drain_server() { server_draining_ = true; }

  void report(const v1::DeviceStatus& device);
  // Stores the fields that are set in the report. Reports of absent devices are ignored.
  void keep(const std::string& id, const internal::v1::DeviceReport& report);
  // Counts a death of the device's worker while it ran these jobs. Returns true if the device is
  // thereby taken out of service.
  bool died(const std::string& id, const std::vector<std::string>& job_ids);
  void worked(const std::string& id);
  // Starts no job on the device until `until`; `why` is a sentence.
  void rest(const std::string& id, TimePoint until, std::string why);
  // Ends rests that are over. Returns the earliest end of the others, or TimePoint::max().
  TimePoint end_rests(TimePoint now);
  // Resets the deaths, the rest and the learnt limit of encoder sessions of a device, at the
  // request of a user.
  void absolve(const std::string& id);

  // NOT_FOUND: there is no such device.
  StatusOr<internal::v1::DeviceReport> report_of(const std::string& id) const;
  bool contains(const std::string& id) const { return devices_.contains(id); }
  // Returns `ids`, or all devices if `ids` is empty. A drained device is included even before its
  // worker has reported it. NOT_FOUND: the error contains the id that does not exist.
  StatusOr<std::vector<std::string>> resolve(const std::vector<std::string>& ids) const;
  v1::DeviceStatus view(const std::string& id) const;
  std::vector<v1::DeviceStatus> all() const;

 private:
  struct Entry {
    v1::DeviceStatus reported;
    internal::v1::DeviceReport report;
    DeviceHealth health;
    TimePoint rests_until{};
    std::string rests_why;
  };
  void update(const std::string& id);

  Placement& placement_;
  std::map<std::string, Entry> devices_;
  std::set<std::string> drained_;
  bool server_draining_ = false;
};

}  // namespace weft::queue
