// SPDX-License-Identifier: Apache-2.0
// Lays out the screen of `weft top` as a pure function of the state, the choices and the terminal's
// size, and applies keys to the choices.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client_cli/output/table.h"
#include "client_cli/top/top_keys.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// The known state of a daemon.
struct TopState {
  std::string server;
  std::vector<v1::DeviceStatus> devices;
  std::map<std::string, v1::Job> jobs;  // jobs that have not ended, by ID
  std::map<v1::JobState, int> ended;    // numbers of jobs that ended since the view began
  double now = 0;                       // seconds since 1970
  bool complete = false;                // false: the first answers have not arrived
  // seconds without an expected update; `lost`: the connection is lost
  std::optional<double> stale_seconds;
  bool lost = false;
};

enum class TopSort { kQueue, kDone, kRate, kEta, kOwner, kAge };
enum class TopPart { kBoth, kDevices, kQueue };

// An order that a key gives to the program.
struct TopOrder {
  enum class Kind { kNone, kQuit, kCancel, kPause, kResume };
  Kind kind = Kind::kNone;
  std::string job;
};

// The choices of the user.
struct TopChoices {
  TopPart part = TopPart::kBoth;
  TopSort sort = TopSort::kQueue;
  std::string work_class;  // shown class: "realtime", "normal", "spare"; empty: all
  std::string owner;       // shown owner; empty: all
  std::string selected;    // ID of the selected job; empty: none
  size_t row = 0;          // selected row, or the first shown line of the devices
  bool help = false;
  TopOrder asked;       // order that waits for confirmation
  std::string message;  // result of the last order
};

struct TopSize {
  size_t columns = kAnyWidth;
  size_t rows = kAnyWidth;  // no limit: all rows are shown, and there is no footer
};

// Returns the lines of the screen, at most size.rows lines of at most size.columns columns. Control
// characters in texts from outside are escaped.
std::vector<TableRow> lay_out_top(const TopState& state, const TopChoices& choices, TopSize size);

// Applies a key to the choices and returns the order, if any, that the program has to carry out.
TopOrder press(Key key, const TopState& state, TopSize size, TopChoices& choices);
// Updates the row of the selected job. If the job is gone, the job in its row becomes the selected
// one.
void settle(const TopState& state, TopChoices& choices);

// Returns the size left for the devices and the queue, and the last line to which the devices alone
// can be scrolled.
TopSize body_size(const TopState& state, TopSize size);
size_t last_scroll(const TopState& state, const TopChoices& choices, TopSize size);
// Returns the jobs that match the chosen class and owner, in the chosen order.
std::vector<const v1::Job*> chosen_jobs(const TopState& state, const TopChoices& choices);

}  // namespace weft::cli
