// SPDX-License-Identifier: Apache-2.0
// The device suite: requirements of every device, written once and compiled once. A device is added
// to the suite by one registration.
//
//   const Joined joined([] { return std::vector<Subject>{{.name = "cpu", .open = ...}}; });
//
//   DEVICE_CASE(CopiesTakeAnyOffset) { auto buffer = bench.allocate(kDevice, 100); ... }
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/device/backend.h"
#include "tests/device_suite/bench.h"

namespace weft::device::suite {

struct Exception {
  std::string name;  // name of a case
  std::string reason;
};

struct Subject {
  std::string name;  // "cpu", "vulkan:0"
  // Opens the device. UNAVAILABLE: the machine has no such device, and its cases are skipped and
  // counted. Any other error fails the cases.
  std::function<StatusOr<std::unique_ptr<Device>>()> open;
  // Opens the back end without its front end, for the cases that put faults between the two.
  std::function<StatusOr<std::unique_ptr<DeviceBackend>>()> open_backend;
  std::vector<Exception> unsupported;  // cases that can never run on this device
  // cases that are known to fail on this device; a success fails the suite
  std::vector<Exception> expected_failures;
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

// Returns a subject for each listed device of a kind. Without a device it returns one subject that
// is unavailable, with the reason.
std::vector<Subject> subjects_of(BackendKind kind, const std::string& name_when_missing);

}  // namespace weft::device::suite
