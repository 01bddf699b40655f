// SPDX-License-Identifier: Apache-2.0
#include "client_cli/top/top_keys.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "client_cli/top/top_view.h"
#include "options/option.h"

namespace weft::cli {
namespace {

constexpr size_t kPage = 10;

// Returns the keys of the sequences, without the ESC [ or ESC O in front.
const std::map<std::string_view, Key>& sequences() {
  static const std::map<std::string_view, Key> all = {
      {"A", kKeyUp},        {"B", kKeyDown},  {"H", kKeyHome}, {"F", kKeyEnd},   {"5~", kKeyPageUp},
      {"6~", kKeyPageDown}, {"1~", kKeyHome}, {"4~", kKeyEnd}, {"7~", kKeyHome}, {"8~", kKeyEnd}};
  return all;
}

// Returns the length of the control sequence at the front of `bytes`, or 0 if it is incomplete.
size_t sequence_length(std::string_view bytes) {
  for (size_t i = 2; i < bytes.size(); i++)
    if (bytes[i] >= 0x40 && bytes[i] <= 0x7e) return i + 1;
  return 0;
}

// Returns the row to which a key moves from `row`, or nothing if the key is no movement.
std::optional<size_t> moved(Key key, size_t row, size_t last) {
  switch (int(key)) {
    case kKeyUp:
    case 'k':
      return row - std::min<size_t>(row, 1);
    case kKeyDown:
    case 'j':
      return std::min(row + 1, last);
    case kKeyPageUp:
      return row - std::min(row, kPage);
    case kKeyPageDown:
      return std::min(row + kPage, last);
    case kKeyHome:
      return 0;
    case kKeyEnd:
      return last;
    default:
      return std::nullopt;
  }
}

void move(Key key, const TopState& state, TopSize size, TopChoices& choices) {
  if (choices.part == TopPart::kDevices) {
    choices.row = moved(key, choices.row, last_scroll(state, choices, size)).value_or(choices.row);
    return;
  }
  const std::vector<const v1::Job*> jobs = chosen_jobs(state, choices);
  if (jobs.empty()) return;
  const bool begins = choices.selected.empty();
  const auto row = moved(key, begins ? 0 : choices.row, jobs.size() - 1);
  if (!row) return;
  choices.row = begins && key != kKeyEnd ? 0 : *row;
  choices.selected = jobs[choices.row]->id();
}

std::string next_of(const std::vector<std::string>& all, const std::string& current) {
  const auto found = std::find(all.begin(), all.end(), current);
  return found == all.end() || found + 1 == all.end() ? all.front() : *(found + 1);
}

std::string next_owner(const TopState& state, const std::string& current) {
  std::set<std::string> owners{""};  // "": all owners
  for (const auto& [id, job] : state.jobs) owners.insert(job.settings().owner());
  for (const v1::DeviceStatus& device : state.devices)
    for (const v1::StreamSample& stream : device.sample().streams()) owners.insert(stream.owner());
  return next_of({owners.begin(), owners.end()}, current);
}

void ask(TopOrder::Kind kind, const TopState& state, TopChoices& choices) {
  if (state.jobs.contains(choices.selected))
    choices.asked = {kind, choices.selected};
  else
    choices.message = "Select a job first, with the arrow keys.";
}

}  // namespace

std::vector<Key> take_keys(std::string& bytes) {
  std::vector<Key> keys;
  while (!bytes.empty()) {
    size_t length = 1;
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (first == kKeyEscape && bytes.size() > 1 && (bytes[1] == '[' || bytes[1] == 'O')) {
      length = sequence_length(bytes);
      if (length == 0) break;
      const auto found = sequences().find(std::string_view(bytes).substr(2, length - 2));
      if (found != sequences().end()) keys.push_back(found->second);
    } else if (first < 0x80) {
      keys.push_back(Key(first));
    }
    bytes.erase(0, length);
  }
  return keys;
}

void settle(const TopState& state, TopChoices& choices) {
  if (choices.selected.empty()) return;
  const std::vector<const v1::Job*> jobs = chosen_jobs(state, choices);
  const auto found = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const v1::Job* job) { return job->id() == choices.selected; });
  if (choices.part == TopPart::kDevices && found != jobs.end()) return;
  if (found != jobs.end()) {
    choices.row = size_t(found - jobs.begin());
  } else if (jobs.empty()) {
    choices.selected.clear();
  } else {
    const size_t row = choices.part == TopPart::kDevices ? 0 : choices.row;
    choices.selected = jobs[std::min(row, jobs.size() - 1)]->id();
  }
}

TopOrder press(Key key, const TopState& state, TopSize size, TopChoices& choices) {
  choices.message.clear();
  if (choices.asked.kind != TopOrder::Kind::kNone) {
    const TopOrder asked = std::exchange(choices.asked, TopOrder());
    return key == Key('y') ? asked : TopOrder();
  }
  if (std::exchange(choices.help, false)) return {};
  switch (int(key)) {
    case 'q':
      return {TopOrder::Kind::kQuit, ""};
    case '?':
    case 'h':
      choices.help = true;
      break;
    case 's':
      choices.sort = TopSort((int(choices.sort) + 1) % (int(TopSort::kAge) + 1));
      break;
    case 'f':
      choices.work_class = next_of({"", "realtime", "normal", "spare"}, choices.work_class);
      break;
    case 'o':
      choices.owner = next_owner(state, choices.owner);
      break;
    case 'c':
      ask(TopOrder::Kind::kCancel, state, choices);
      break;
    case 'p': {
      const auto job = state.jobs.find(choices.selected);
      const bool paused = job != state.jobs.end() && job->second.state() == v1::JOB_STATE_PAUSED;
      ask(paused ? TopOrder::Kind::kResume : TopOrder::Kind::kPause, state, choices);
      break;
    }
    case kKeyTab:
      choices.part = TopPart((int(choices.part) + 1) % (int(TopPart::kQueue) + 1));
      choices.row = 0;
      break;
    case kKeyEscape:
      choices.work_class = choices.owner = choices.selected = "";
      break;
    default:
      move(key, state, size, choices);
  }
  return {};
}

}  // namespace weft::cli
