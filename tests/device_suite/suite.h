// SPDX-License-Identifier: Apache-2.0
// The device suite: what every device must do, written once and compiled once; each device joins by one registration.
//
//   const Joined joined([] { return std::vector<Subject>{{.name = "cpu", .open = ..., .unsupported = {}}}; });
//
//   DEVICE_CASE(CopiesTakeAnyOffset) { auto buffer = bench.allocate(MemoryKind::kDevice, 100); ... }
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/device/backend.h"
#include "tests/device_suite/bench.h"

namespace weft::device::suite {

struct Exception {
  std::string name;  // of a case
  std::string reason;
};

struct Subject {
  std::string name;  // "cpu", "vulkan:0"
  // UNAVAILABLE: not on this machine; its cases are skipped and counted. Any other error fails.
  std::function<StatusOr<std::unique_ptr<Device>>()> open;
  // The back end without its front end, for the cases that put faults between the two.
  std::function<StatusOr<std::unique_ptr<DeviceBackend>>()> open_backend;
  std::vector<Exception> unsupported;        // cases that can never run on it
  std::vector<Exception> expected_failures;  // cases that ought to pass; one that does so unexpectedly fails
};

class Joined {
 public:
  explicit Joined(std::function<std::vector<Subject>()> find_subjects);
};

using CaseBody = void (*)(Bench& bench);
struct Case {
  const char* name;
  const char* file;
  int line;
  CaseBody body;
};

class CaseAdded {
 public:
  explicit CaseAdded(const Case& added);
};

#define DEVICE_CASE(name)                                                        \
  static void run_##name([[maybe_unused]] Bench& bench);                         \
  static const CaseAdded added_##name({#name, __FILE__, __LINE__, &run_##name}); \
  static void run_##name([[maybe_unused]] Bench& bench)

// A subject for each listed device of a kind, or one that is unavailable and says why.
std::vector<Subject> subjects_of(BackendKind kind, const std::string& name_when_missing);

}  // namespace weft::device::suite
