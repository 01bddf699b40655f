// SPDX-License-Identifier: Apache-2.0
// How fast devices do which work, as far as it is known. Pure: fed with what workers report, asked by placement.
//
// A unit (source frame) of a job takes on a device, when the job has it alone,
//   max(unit cost / share left, 1 / pace):
// the unit's device time, as the worker learnt it, in the part of the device's time that streams and other programs leave;
// and the pace that decoding and encoding allow, as jobs that ran were measured. On a device that is the CPU itself the
// two are added where the pace was measured beside another device: they share the cores.
//
// A cost that was not learnt there is guessed: from another device that knows it, by how the two compare at what both know,
// or by the rates that every worker measures at its start; else from what the filters say that a unit is, and those rates.
// A cost that nothing has confirmed for kBelieved counts as the best that was ever learnt there: what slowed the device may
// be over. What an earlier daemon learnt is such a cost from the start, and gives way to the first that is learnt now: a
// driver may have changed since.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// llvmpipe and its like: a Vulkan device that is the CPU.
bool is_software_device(const v1::DeviceStatus& device);
// Whether the device's memory is the machine's.
bool shares_memory(const v1::DeviceStatus& device);

// What a job is to a device. Jobs of the same kind of work take the same time a unit.
struct WorkKind {
  std::string cost_key;  // empty: nothing is known of the work
  std::string pace_key;  // JobEstimate says what these are
  // Of the cost key's units: what one is to a device (JobEstimate.unit_work), and how many one of the job is.
  double bytes = 0, operations = 0, launches = 0;
  double cost_units = 1;
  bool operator<(const WorkKind& other) const {
    return std::tie(cost_key, pace_key, bytes, operations, launches, cost_units) <
           std::tie(other.cost_key, other.pace_key, other.bytes, other.operations, other.launches,
                    other.cost_units);
  }
};
WorkKind kind_of_work(const v1::Job& job);
// Units that are still to do; nothing: not known.
std::optional<int64_t> units_left(const v1::Job& job);

// What a unit takes, and why.
struct UnitTime {
  enum class Source {
    kUnknown,
    kLearnt,       // there
    kLearntOnce,   // there, but long ago: the best of it
    kOtherDevice,  // on another device, scaled
    kRates,        // from what its filters do, and how fast the device is
  };
  Source source = Source::kUnknown;
  std::string other;          // kOtherDevice: its id
  double device_seconds = 0;  // of device time
  double share_left = 1;      // of the device's time
  double pace = 0;            // units a second that decoding and encoding allow; 0: not known
  double seconds = 0;         // all in all
  bool is_known() const { return source != Source::kUnknown; }
};

// Something learnt, as it outlives the daemon.
struct KeptSpeed {
  std::string device;  // its kind and UUID: ids are given anew at every start
  std::string key;
  bool is_pace = false;  // else a cost
  int64_t unit_ns = 0;   // above 0
  int64_t limit_share =
      0;  // of a pace that the device limited: the part of it that was left then, in millionths
  bool operator==(const KeptSpeed&) const = default;
};

// How fast a device is, as DeviceStatus.rates has it.
struct PredictionRates {
  double bytes_per_second = 0, operations_per_second = 0;
  double launch_seconds = 0;
};
// Seconds of device time that a unit of the work's cost key takes there; 0: not known.
double predicted_cost(const WorkKind& work, const PredictionRates& rates);

class DeviceSpeeds {
 public:
  static constexpr Duration kBelieved = std::chrono::minutes(10);
  static constexpr size_t kKeysKept = 256;  // a device: the oldest are forgotten
  static constexpr double kLeastShare = 0.05;
  // A job that uses this part of the device's time that is left, or more, waits for the device, not for its decoder or encoder.
  static constexpr double kDeviceIsTheLimit = 0.7;

  void set_device(const v1::DeviceStatus& device);
  // What its worker says of the last interval: costs and the share that is left.
  void learn(std::string_view device, const v1::ScheduleSample& sample, TimePoint now);
  // A job's speed there, while `jobs` (itself included) run on the device. Nothing is learnt before its cost is.
  void learn_pace(std::string_view device, const WorkKind& work, double units_per_second, size_t jobs,
                  TimePoint now);

  UnitTime unit_time(std::string_view device, const WorkKind& work, TimePoint now) const;

  // What an earlier daemon learnt of devices, whether they are there yet or not; of a device, the first kKeysKept of a kind count.
  void recall(std::vector<KeptSpeed> kept);
  // What was learnt since the last kept().
  std::vector<KeptSpeed> to_keep() const;
  void kept();

 private:
  struct Cost {
    double seconds = 0;                    // a unit
    double best = 0;                       // the lowest that it ever was
    std::optional<TimePoint> learnt = {};  // nothing: by an earlier daemon
    bool kept = false;
  };
  struct Pace {
    double units_per_second = 0;  // alone on the device
    bool device_is_the_limit = false;
    double share = 1;  // of the device that was left then
    std::optional<TimePoint> learnt = {};
    bool kept = false;
  };
  using Costs = std::map<std::string, Cost, std::less<>>;
  struct Speeds {
    std::string kept_as;  // KeptSpeed::device
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
  std::map<std::string, std::vector<KeptSpeed>> recalled_;  // of devices that are not there yet
};

}  // namespace weft::queue
