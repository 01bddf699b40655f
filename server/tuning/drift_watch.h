// SPDX-License-Identifier: Apache-2.0
// Notices that a kernel's launches on real work take longer than they should: pure, and all that it knows is what it was told.
//
//   DriftWatch watch;
//   watch.know(place, entry.seconds());                       // of each entry of the table
//   watch.add(place, {lanes, seconds});                       // of a launch now and then
//   if (const auto drift = watch.drift(now)) ...              // its neighbours are to be tried: once, then not for a while
//   watch.tried(drift->place, now);
//
// Launches are looked at in windows. The median of a window's times a lane is compared with the least that a window had before. The first
// window has none before it, and is compared with the table's time of a launch; the table does not say how many lanes that had, and
// within a class they differ by up to two times: hence the larger factor. After a try the next window is what later ones are compared with, whatever
// it is: work that is slower for a reason of its own is tried once, not for ever.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/device/device.h"
#include "server/tuning/tuning_file.h"

namespace weft::tuning {

struct DriftRules {
  int window = 15;                                   // launches
  double from_table = 2;                             // of the table's time
  double from_before = 1.5;                          // of the least of earlier windows
  Duration between_tries = std::chrono::minutes(1);  // of any two places
  Duration between_same = std::chrono::minutes(10);  // of one place
};

class DriftWatch {
 public:
  struct Launch {
    double lanes = 1;  // of the grid
    double seconds = 0;
  };
  struct Drift {
    TunedPlace place;
    double ratio = 1;          // of what it takes to what it should
    bool is_of_table = false;  // compared with the table, else with earlier launches
    std::string why() const;   // a part of a sentence: "took 2.3 times as long as the table says"
  };

  explicit DriftWatch(DriftRules rules = {}) : rules_(rules) {}

  // What the table says of a place's launch. Says nothing new of a place that was tried, or is watched with the same time.
  void know(const TunedPlace& place, double seconds);
  // Whether launches of it are wanted.
  bool knows(const TunedPlace& place) const { return places_.contains(place); }
  void add(const TunedPlace& place, Launch launch);

  // The first place that has drifted and may be tried; nothing: none.
  std::optional<Drift> drift(TimePoint now) const;
  // The place was tried, with whatever result: its launches are compared with the next window from now on.
  void tried(const TunedPlace& place, TimePoint now);

 private:
  struct Watched {
    double table_seconds = 0;
    bool compares_table = true;  // until the first window, or a try
    double least_per_lane = 0;   // of earlier windows; 0: there are none
    std::vector<Launch> window;
    std::optional<Drift> drift;
    std::optional<TimePoint> tried;
  };
  void end_window(const TunedPlace& place, Watched& watched) const;

  const DriftRules rules_;
  std::map<TunedPlace, Watched> places_;
  std::optional<TimePoint> tried_;
};

// Shapes next to `current`, by their numbers in `shapes` (of which the first is the declared one): `current` itself, the declared one,
// and those with twice or half as many lanes in one direction, or twice in one and half in the other. Empty: `current` is none of them.
std::vector<int> neighbours_of(const std::vector<device::BlockShape>& shapes, device::BlockShape current);

}  // namespace weft::tuning
