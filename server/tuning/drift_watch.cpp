// SPDX-License-Identifier: Apache-2.0
#include "server/tuning/drift_watch.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::tuning {
namespace {

template <class Of>
double window_median(const std::vector<DriftWatch::Launch>& window, Of of) {
  std::vector<double> values;
  for (const DriftWatch::Launch& launch : window) values.push_back(of(launch));
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// From 1 to 2, or 2 to 1: one step in one direction, or one in each that keep the number of lanes.
bool is_neighbour(device::BlockShape a, device::BlockShape b) {
  const auto twice = [](uint32_t one, uint32_t other) { return one == 2 * other || other == 2 * one; };
  if (a.x == b.x) return twice(a.y, b.y);
  if (a.y == b.y) return twice(a.x, b.x);
  return twice(a.x, b.x) && a.x * a.y == b.x * b.y;
}

}  // namespace

std::string DriftWatch::Drift::why() const {
  return fmt::format("took {:.1f} times as long as {}", ratio,
                     is_of_table ? "the table says" : "earlier launches");
}

void DriftWatch::know(const TunedPlace& place, double seconds) {
  if (seconds <= 0) return;
  Watched& watched = places_[place];
  if (watched.tried.has_value() || watched.table_seconds == seconds) return;
  watched = {};
  watched.table_seconds = seconds;
}

void DriftWatch::add(const TunedPlace& place, Launch launch) {
  const auto found = places_.find(place);
  if (found == places_.end() || launch.lanes < 1 || launch.seconds < 0) return;
  Watched& watched = found->second;
  watched.window.push_back(launch);
  if (int(watched.window.size()) < rules_.window) return;
  end_window(place, watched);
  watched.window.clear();
}

void DriftWatch::end_window(const TunedPlace& place, Watched& watched) const {
  const double per_lane =
      window_median(watched.window, [](const Launch& launch) { return launch.seconds / launch.lanes; });
  watched.drift.reset();  // it may have passed
  if (watched.compares_table) {
    const double seconds = window_median(watched.window, [](const Launch& launch) { return launch.seconds; });
    const double ratio = seconds / watched.table_seconds;
    if (ratio > rules_.from_table) {
      watched.drift = {place, ratio, true};
      return;
    }
    watched.compares_table = false;
  }
  if (watched.least_per_lane > 0 && per_lane > rules_.from_before * watched.least_per_lane)
    watched.drift = {place, per_lane / watched.least_per_lane, false};
  if (watched.least_per_lane <= 0 || per_lane < watched.least_per_lane) watched.least_per_lane = per_lane;
}

std::optional<DriftWatch::Drift> DriftWatch::drift(TimePoint now) const {
  if (tried_.has_value() && now - *tried_ < rules_.between_tries) return std::nullopt;
  for (const auto& [place, watched] : places_) {
    if (!watched.drift.has_value()) continue;
    if (!watched.tried.has_value() || now - *watched.tried >= rules_.between_same) return watched.drift;
  }
  return std::nullopt;
}

void DriftWatch::tried(const TunedPlace& place, TimePoint now) {
  tried_ = now;
  const auto found = places_.find(place);
  if (found == places_.end()) return;
  Watched& watched = found->second;
  watched.tried = now;
  watched.compares_table = false;
  watched.least_per_lane = 0;
  watched.window.clear();
  watched.drift.reset();
}

std::vector<int> neighbours_of(const std::vector<device::BlockShape>& shapes, device::BlockShape current) {
  const auto found = std::ranges::find(shapes, current);
  if (found == shapes.end()) return {};
  const int own = int(found - shapes.begin());
  std::vector<int> numbers = {own};
  for (int i = 0; i < int(shapes.size()); i++)
    if (i != own && (i == 0 || is_neighbour(shapes[size_t(i)], current))) numbers.push_back(i);
  return numbers;
}

}  // namespace weft::tuning
