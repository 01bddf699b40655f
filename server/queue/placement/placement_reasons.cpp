// SPDX-License-Identifier: Apache-2.0
// Implements the functions of Placement for positions in line and for explanations.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <tuple>

#include "base/status.h"
#include "options/words.h"
#include "server/queue/placement/placement.h"
#include "server/queue/records/device_choice.h"
#include "server/queue/records/proto_time.h"

namespace weft::queue {
namespace {

constexpr double kWorthSaying = 0.05;  // seconds; shorter parts are not reported
constexpr size_t kOwnersNamed = 3;
constexpr int kStreamsNamed = 3;
constexpr double kSilenceReported = 0.2;  // seconds without a frame; a shorter time is not reported

std::string jobs_are_ahead(int64_t count) {
  if (count == 0) return "this job is next";
  return count == 1 ? "1 job is ahead" : fmt::format("{} jobs are ahead", count);
}

// Returns a duration with about two digits: "0.3 s", "42 s", "3 min 20 s", "2 h 5 min".
std::string text_of_seconds(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = int64_t(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string text_of_cost(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.1f} us", seconds * 1e6) : fmt::format("{:.3g} ms", seconds * 1e3);
}

std::string without_full_stop(std::string sentence) {
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  return sentence;
}

// Returns a part such as "12000 frames, 1.2 ms of the device each (learnt there)".
std::string own_part(const Prediction& prediction, std::string_view unit_name) {
  const UnitTime& unit = prediction.unit;
  std::string text =
      fmt::format("{} for its own {}, {} of the device each ({})", text_of_seconds(prediction.own),
                  options::format_count(*prediction.units, unit_name), text_of_cost(unit.device_seconds),
                  describe_source(unit));
  if (unit.share_left < 0.995)
    text += fmt::format(", of which streams and other programs leave {:.0f}%", 100 * unit.share_left);
  if (unit.pace > 0)
    text += fmt::format(", decoded and encoded at {:.0f} {}s/s at most", unit.pace, unit_name);
  return text;
}

std::string describe_time(const Prediction& prediction, std::string_view unit_name) {
  if (!prediction.is_known)
    return fmt::format("{}: {}when the job would be done there cannot be told.", prediction.device,
                       prediction.starts_now ? "it is free; " : "");
  if (prediction.own_pace > 0)
    return fmt::format("{}: done in about {}: {} left, at its own pace of {:.3g} a second.",
                       prediction.device, text_of_seconds(prediction.finish()),
                       options::format_count(*prediction.units, unit_name), prediction.own_pace);
  std::string parts;
  if (prediction.running >= kWorthSaying)
    parts += fmt::format("{} until what runs there leaves room, ", text_of_seconds(prediction.running));
  if (prediction.ahead >= kWorthSaying)
    parts += fmt::format("{} for jobs ahead that go there, ", text_of_seconds(prediction.ahead));
  return fmt::format("{}: done in about {}: {}{}.", prediction.device, text_of_seconds(prediction.finish()),
                     parts, own_part(prediction, unit_name));
}

const char* why(PlacementReason reason) {
  switch (reason) {
    case PlacementReason::kNamed:
      return "its settings name that device";
    case PlacementReason::kOnlyOne:
      return "no other device takes it";
    case PlacementReason::kDoneFirst:
      return "of all devices it is predicted to be done first there";
    case PlacementReason::kBestFree:
      return "when it would be done cannot be told, and that device is the best by its kind";
    case PlacementReason::kWaitedLong:
      return "it waited for a faster device as long as it takes on this one";
  }
  return "";
}

}  // namespace

std::string describe_source(const UnitTime& unit) {
  switch (unit.source) {
    case UnitTime::Source::kUnknown:
      return "not known";
    case UnitTime::Source::kLearnt:
      return "learnt there";
    case UnitTime::Source::kLearntOnce:
      return "the best that was learnt there, a while ago";
    case UnitTime::Source::kOtherDevice:
      return fmt::format("guessed from {}", unit.other);
    case UnitTime::Source::kRates:
      return "predicted from what its filters do and the device's measured speed";
  }
  return "";
}

std::vector<std::string> stream_reasons(const v1::DeviceStatus& device) {
  std::vector<const v1::StreamSample*> streams;
  for (const v1::StreamSample& stream : device.sample().streams())
    if (stream.reserved() > 0) streams.push_back(&stream);
  std::ranges::stable_sort(streams, std::greater(), &v1::StreamSample::reserved);
  std::vector<std::string> reasons;
  for (const v1::StreamSample* stream : streams) {
    if (reasons.size() == kStreamsNamed) {
      reasons.push_back(fmt::format("{} more keep time of {} free.",
                                    options::format_count(int64_t(streams.size()) - kStreamsNamed, "stream"),
                                    device.id()));
      break;
    }
    const double silent = seconds_of(stream->silent());
    reasons.push_back(fmt::format(
        "The realtime stream {} of {} ({}) keeps {:.0f}% of the time of {} free for its frames{}; work whose "
        "smallest piece does not fit between them waits.",
        stream->stream(), stream->owner(), stream->filter(), 100 * stream->reserved(), device.id(),
        silent >= kSilenceReported ? fmt::format(", of which none came for {:.1f} s", silent)
                                   : std::string()));
  }
  return reasons;
}

std::string describe(const PlacementChoice& choice, bool has_started) {
  return fmt::format("It {} to {}: {}.", has_started ? "was given" : "is to go", choice.device,
                     why(choice.reason));
}

void set_own_pace(const v1::Job& job, PlacementChoice& choice) {
  const double pace = job.progress().units_per_second();
  const std::optional<int64_t> left = units_left(job);
  if (!(pace > 0) || !left) return;
  for (Prediction& prediction : choice.predictions) {
    if (prediction.device != job.device()) continue;
    prediction.is_known = true;
    prediction.running = prediction.ahead = 0;
    prediction.units = left;
    prediction.own = double(*left) / pace;
    prediction.own_pace = pace;
    prediction.room = {};  // it has its memory
  }
}

std::string describe(const Prediction& prediction, std::string_view unit_name) {
  const DeviceRoom& room = prediction.room;
  if (room.kind == DeviceRoom::Kind::kTooSmall)
    return fmt::format("{}: the job never fits there: {}.", prediction.device, describe(room));
  std::string memory;
  if (room.wanted > 0) memory = fmt::format(" There {}.", describe(room));
  return describe_time(prediction, unit_name) + memory;
}

int64_t Placement::position_of(const std::string& id, TimePoint now) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return 0;
  std::vector<const Line*> lines;
  for (const auto& [preference, line] : lines_) lines.push_back(&line);
  return 1 + count_before(found->second.key, lines, shares_, now);
}

std::string Placement::device_reason(const std::string& device, const Slot& slot,
                                     const WaitingEntry& queued) const {
  if (!slot.accepts) return fmt::format("{}: {}", device, slot.why_not);
  if (const DeviceRoom room = memory_.room_on(device, queued.kind->memory);
      room.kind != DeviceRoom::Kind::kFits)
    return fmt::format("{}: {}.", device, describe(room));
  const std::set<std::string> jobs = jobs_on(device);
  if (int(jobs.size()) < jobs_per_device_) return fmt::format("{}: it is free.", device);
  if (jobs.size() == 1)
    return fmt::format("{}: {} is running there.", device, running_.at(device).begin()->second.name);
  return fmt::format("{}: {} jobs are running there.", device, jobs.size());
}

std::vector<std::string> Placement::device_reasons(const std::string& id) const {
  std::vector<std::string> reasons;
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return reasons;
  for (const auto& [device, slot] : devices_)
    if (permits(found->second.preference, device, slot))
      reasons.push_back(device_reason(device, slot, found->second));
  return reasons;
}

std::string Placement::share_reason(const std::string& id, TimePoint now) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return "";
  const WaitKey& key = found->second.key;
  std::map<std::string, std::string_view> owners;  // owners, with the first of their jobs
  for (const auto& [preference, line] : lines_) {
    const auto level = line.levels().find(key.level);
    if (level == line.levels().end() || !competes(found->second, preference)) continue;
    for (const auto& [owner, jobs] : level->second.by_owner) {
      const std::string_view first = *jobs.begin();
      const auto known = owners.emplace(owner, first).first;
      known->second = std::min(known->second, first);
    }
  }
  if (owners.size() < 2) return "";
  std::set<std::tuple<double, std::string_view, std::string>> by_turn;
  for (const auto& [owner, first] : owners)
    by_turn.emplace(shares_.turns({key.level.spare, owner}, now).first, first, owner);
  std::vector<std::string> names;
  for (const auto& [turn, first, owner] : by_turn)
    if (names.size() < kOwnersNamed) names.push_back(owner);
  return fmt::format(
      "{} owners have jobs of its class and priority in line; they share the devices by the time that "
      "their jobs hold them, and by weight. Next is {}{}.",
      owners.size(), fmt::join(names, ", then "), owners.size() > kOwnersNamed ? ", then others" : "");
}

std::string Placement::waiting_reason(const std::string& id, TimePoint now) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return "";
  const WaitingEntry& queued = found->second;
  if (is_paused_) return "The queue is paused: no job starts until `weft queue resume`.";
  const std::string order = jobs_are_ahead(ahead_of(id, now));
  if (const std::string lack = memory_reason(id, queued); !lack.empty())
    return fmt::format("Waits for {}; {}.", lack, order);
  if (const std::string lack = counted_lack(id, queued); !lack.empty())
    return fmt::format("{}; {}.", lack, order);
  if (!queued.preference.empty() && !names_several(queued.preference)) {
    const auto device = devices_.find(queued.preference);
    if (device == devices_.end())
      return fmt::format("Waits for {}, which is not there; {}.", queued.preference, order);
    return fmt::format("Waits for {}; {}.",
                       without_full_stop(device_reason(device->first, device->second, queued)), order);
  }
  if (const auto passed = passed_over_.find(id); passed != passed_over_.end()) {
    const PassedOver& p = passed->second;
    return fmt::format("Waits for {}, where it will be done first: in about {}, on {} in {}; {}.",
                       p.waits_for, text_of_seconds(p.finish), p.could_have,
                       text_of_seconds(p.could_have_finish), order);
  }
  const std::vector<std::string> reasons = device_reasons(id);
  if (reasons.empty()) return fmt::format("Waits for a device; none is there yet, and {}.", order);
  if (reasons.size() > 1)
    return fmt::format("Waits for any of {} devices, all are busy or not in service; {}.", reasons.size(),
                       order);
  return fmt::format("Waits for {}; {}.", without_full_stop(reasons.front()), order);
}

}  // namespace weft::queue
