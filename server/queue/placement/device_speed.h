// SPDX-License-Identifier: Apache-2.0
// Predicts the time of a unit of a job on each device, by kind of work. Updated from workers'
// reports and queried by placement; it has no side effects.
//
// A unit (source frame) of a job that has a device alone takes max(unit cost / share left, 1 /
// pace). The unit cost is its measured device time. The share left is the share of device time that
// streams and other programs leave. The pace is the speed of decoding and encoding, measured on
// earlier jobs. If the device is the CPU itself and the pace was measured on another device, the
// two times are added, since both use the cores.
//
// An unknown cost is estimated: from another device with a known cost, by the ratio of the two
// devices' costs for common keys or by the rates that every worker measures at its start; otherwise
// from the filters' declared work and those rates. A cost that was not confirmed for kBelieved
// counts as the lowest cost measured on that device, since the cause of a slowdown may be over.
// Costs from an earlier daemon are unconfirmed at the start. The first new measurement replaces
// them, since the driver may have changed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "server/queue/placement/device_memory.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Returns true for a Vulkan device that runs on the CPU, such as llvmpipe.
bool is_software_device(const v1::DeviceStatus& device);
// Returns true if the device uses the host's memory.
bool shares_memory(const v1::DeviceStatus& device);

// A job's kind of work on a device. Jobs of the same kind take the same time per unit, and the same
// device memory.
struct WorkKind {
  std::string cost_key;  // empty if the work is unknown
  std::string pace_key;  // JobEstimate.pace_key
  // Work of a unit of the cost key (JobEstimate.unit_work), and cost units for each unit of the
  // job.
  double bytes = 0, operations = 0, launches = 0;
  double cost_units = 1;
  DeviceNeed memory{};
  bool operator<(const WorkKind& other) const {
    return std::tie(cost_key, pace_key, bytes, operations, launches, cost_units, memory) <
           std::tie(other.cost_key, other.pace_key, other.bytes, other.operations, other.launches,
                    other.cost_units, other.memory);
  }
};
WorkKind kind_of_work(const v1::Job& job);
// Returns the number of units still to do, or nullopt if unknown.
std::optional<int64_t> units_left(const v1::Job& job);

// The predicted time of a unit, and the origin of the prediction.
struct UnitTime {
  enum class Source {
    kUnknown,
    kLearnt,       // measured on this device
    kLearntOnce,   // measured on this device long ago; the lowest value
    kOtherDevice,  // measured on another device, and scaled
    kRates,        // from the filters' declared work and the device's rates
  };
  Source source = Source::kUnknown;
  std::string other;          // id of the other device, for kOtherDevice
  double device_seconds = 0;  // device time of a unit, in seconds
  double share_left = 1;      // share of device time that is left for jobs
  double pace = 0;            // units per second of decoding and encoding; 0: unknown
  double seconds = 0;         // predicted seconds per unit
  bool is_known() const { return source != Source::kUnknown; }
};

// A measured cost or pace, as stored for the next daemon.
struct KeptSpeed {
  std::string device;  // kind and UUID, since ids may differ at every start
  std::string key;
  bool is_pace = false;  // true for a pace, false for a cost
  int64_t unit_ns = 0;   // nanoseconds per unit, above 0
  // millionths of device time left when the device limited the pace; 0: it did not
  int64_t limit_share = 0;
  bool operator==(const KeptSpeed&) const = default;
};

// Rates of a device, as in DeviceStatus.rates.
struct PredictionRates {
  double bytes_per_second = 0, operations_per_second = 0;
  double launch_seconds = 0;
};
// Returns the predicted device seconds for a unit of the work's cost key, or 0 if unknown.
double predicted_cost(const WorkKind& work, const PredictionRates& rates);

class DeviceSpeeds {
 public:
  static constexpr Duration kBelieved = std::chrono::minutes(10);
  static constexpr size_t kKeysKept = 256;  // limit for each device; the oldest entries are removed
  static constexpr double kLeastShare = 0.05;
  // Share of the device time left for jobs. A job that uses at least this share is limited by the
  // device, not by its decoder or encoder.
  static constexpr double kDeviceIsTheLimit = 0.7;

  void set_device(const v1::DeviceStatus& device);
  // Updates costs and the share left from the worker's last interval.
  void learn(std::string_view device, const v1::ScheduleSample& sample, TimePoint now);
  // Updates the pace of a kind of work on a device while `jobs` jobs, including this one, run
  // there. Has no effect before the cost of the work is known.
  void learn_pace(std::string_view device, const WorkKind& work, double units_per_second, size_t jobs,
                  TimePoint now);

  UnitTime unit_time(std::string_view device, const WorkKind& work, TimePoint now) const;

  // Restores the speeds of an earlier daemon, also of devices that are not present. The first
  // kKeysKept costs and the first kKeysKept paces of each device are kept.
  void recall(std::vector<KeptSpeed> kept);
  // Returns the changes since the last kept().
  std::vector<KeptSpeed> to_keep() const;
  void kept();

 private:
  struct Cost {
    double seconds = 0;                    // seconds per unit
    double best = 0;                       // lowest value measured by this daemon
    std::optional<TimePoint> learnt = {};  // nullopt if an earlier daemon measured it
    bool kept = false;
  };
  struct Pace {
    // as if the job ran alone on the device, if the device is the limit
    double units_per_second = 0;
    bool device_is_the_limit = false;
    double share = 1;  // share of device time left at the measurement
    std::optional<TimePoint> learnt = {};
    bool kept = false;
  };
  using Costs = std::map<std::string, Cost, std::less<>>;
  struct Speeds {
    std::string kept_as;  // value of KeptSpeed::device
    bool is_the_cpu = false;
    PredictionRates rates;
    double share_left = 1;
    Costs costs;
    std::map<std::string, Pace, std::less<>> paces;
  };

  static void put(const KeptSpeed& kept, Speeds& speeds);
  std::optional<double> guess_from_others(const Speeds& device, const WorkKind& work,
                                          std::string& other) const;
  void set_device_time(const Speeds& device, const WorkKind& work, TimePoint now, UnitTime& time) const;
  void set_seconds(const Speeds& device, const WorkKind& work, UnitTime& time) const;

  std::map<std::string, Speeds, std::less<>> devices_;
  // speeds of devices that are not present yet
  std::map<std::string, std::vector<KeptSpeed>> recalled_;
};

}  // namespace weft::queue
