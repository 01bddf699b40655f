// SPDX-License-Identifier: Apache-2.0
// What `weft top` shows, as a pure function of what is known, what was chosen and the terminal's size; and what keys choose.
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

// What is known of a daemon.
struct TopState {
  std::string server;
  std::vector<v1::DeviceStatus> devices;
  std::map<std::string, v1::Job> jobs;  // that have not ended
  std::map<v1::JobState, int> ended;    // how many, since the view began
  double now = 0;                       // seconds since 1970
  bool complete = false;                // false: the first answers have not come
  // Nothing came for so many seconds although something should have; `lost`: there is no connection.
  std::optional<double> stale_seconds;
  bool lost = false;
};

enum class TopSort { kQueue, kDone, kRate, kEta, kOwner, kAge };
enum class TopPart { kBoth, kDevices, kQueue };

// What a key asks the program to do.
struct TopOrder {
  enum class Kind { kNone, kQuit, kCancel, kPause, kResume };
  Kind kind = Kind::kNone;
  std::string job;
};

// What a person chose.
struct TopChoices {
  TopPart part = TopPart::kBoth;
  TopSort sort = TopSort::kQueue;
  std::string work_class;  // "realtime", "normal", "spare"; empty: all
  std::string owner;       // empty: all
  std::string selected;    // a job's id; empty: none
  size_t row = 0;          // where it stood, or the first line of the devices that is shown
  bool help = false;
  TopOrder asked;       // waits for a yes
  std::string message;  // how the last order went
};

struct TopSize {
  size_t columns = kAnyWidth;
  size_t rows = kAnyWidth;  // no limit: nothing is left out, and nobody can press a key
};

// Never more rows, and no line wider, than the size says. Text from outside is made printable.
std::vector<TableRow> lay_out_top(const TopState& state, const TopChoices& choices, TopSize size);

// Changes the choices as the key says; an order is for the program.
TopOrder press(Key key, const TopState& state, TopSize size, TopChoices& choices);
// Follows the chosen job to its row; once it is gone, the one in its place is chosen.
void settle(const TopState& state, TopChoices& choices);

// What remains of the size for the body, and how far the devices alone can be scrolled in it.
TopSize body_size(const TopState& state, TopSize size);
size_t last_scroll(const TopState& state, const TopChoices& choices, TopSize size);
// The jobs that the choices leave, in their order.
std::vector<const v1::Job*> chosen_jobs(const TopState& state, const TopChoices& choices);

}  // namespace weft::cli
