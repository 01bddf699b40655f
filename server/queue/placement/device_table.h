// SPDX-License-Identifier: Apache-2.0
// The devices as users see them: what the workers report, under what people and the queue decided: drained devices,
// devices out of service after deaths, devices that rest because they refused a start.
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
  // Each change is told to `placement`, which also knows what runs where.
  explicit DeviceTable(Placement& placement) : placement_(placement) {}

  // Devices that are not there yet may be drained too.
  void set_drained(std::set<std::string> ids);
  const std::set<std::string>& drained() const { return drained_; }

  // For good: it is seen at each device.
  void drain_server() { server_draining_ = true; }

  void report(const v1::DeviceStatus& device);
  // Keeps the fields that the report has; of a device that is not there, nothing.
  void keep(const std::string& id, const internal::v1::DeviceReport& report);
  // Its worker died at these jobs. True: that takes it out of service.
  bool died(const std::string& id, const std::vector<std::string>& job_ids);
  void worked(const std::string& id);
  // Takes no new jobs until then.
  void rest(const std::string& id, TimePoint until, std::string why);
  // Ends rests that are over; the time of the next one to end, or TimePoint::max().
  TimePoint end_rests(TimePoint now);
  // After a person looked: forgets deaths and rests.
  void absolve(const std::string& id);

  // NOT_FOUND: it is not there.
  StatusOr<internal::v1::DeviceReport> report_of(const std::string& id) const;
  bool contains(const std::string& id) const { return devices_.contains(id); }
  // The given ones, or all when `ids` is empty. Drained ones count also before their workers have reported them.
  // NOT_FOUND names one that is not there.
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
