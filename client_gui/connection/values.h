// SPDX-License-Identifier: Apache-2.0
// What the dashboard knows of servers, jobs and devices, as plain values: what crosses from the connection's threads to the
// thread of the windows.
#pragma once

#include <QMetaType>
#include <QString>
#include <cstdint>
#include <vector>

// The API's enumerations, without its messages: those take a compiler seconds, and most sources need none.
namespace weft::v1 {
enum DeviceState : int;
enum JobClass : int;
enum JobState : int;
}  // namespace weft::v1

namespace weft::gui {

// A job as a row of a table. Numbers that are not known are negative.
struct JobRow {
  QString id;
  int64_t revision = 0;
  v1::JobState state{};
  v1::JobClass job_class{};
  int priority = 0;
  int attempt = 0;
  int max_attempts = 0;
  double done = -1;         // 0 to 1
  double rate = -1;         // units (frames, images) a second
  double eta_seconds = -1;  // until it ends
  double submit_time = 0;   // seconds since 1970
  QString kind;             // "deinterlace"
  QString files;            // "in.ts -> out.mkv"
  QString device;
  QString owner;
  QString note;  // why it waits or failed, in a sentence
};

struct DeviceRow {
  QString id;
  QString name;
  v1::DeviceState state{};
  QString reason;  // why it is not in service, in a sentence
};

// What happened since the last delivery, in this order: a snapshot began (what it does not tell is gone when it ends), jobs
// came or changed (a job once, as it is now), jobs were forgotten, the snapshot ended. Of devices: all of them, if any.
struct Delivery {
  bool snapshot_begins = false;
  std::vector<JobRow> jobs;
  std::vector<QString> forgotten;
  bool snapshot_ends = false;
  std::vector<DeviceRow> devices;
};

enum class LinkState {
  kConnecting,  // nothing is known yet
  kLive,
  kStale,    // connected, but nothing came although something should have
  kOffline,  // no connection; tried again and again
};

// How it stands with a server.
struct Link {
  LinkState state = LinkState::kConnecting;
  double age_seconds = -1;       // of what is known; negative: nothing is
  double retry_in_seconds = -1;  // until the next try; negative: none is planned
  QString reason;                // kOffline: why, in a sentence
};

}  // namespace weft::gui
