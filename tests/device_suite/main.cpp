// SPDX-License-Identifier: Apache-2.0
// Registers every case for every device of the suite, runs them, and lists at the end the devices
// of each case.
#include <algorithm>
#include <cstdio>
#include <map>

#include <gtest/gtest-spi.h>

#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

struct Tally {
  int passed = 0;
  int failed = 0;
  int failed_as_expected = 0;
  std::vector<std::string> skipped;  // skipped cases with the reasons
};

std::vector<std::function<std::vector<Subject>()>>& joined() {
  static std::vector<std::function<std::vector<Subject>()>> list;
  return list;
}
std::vector<Case>& cases() {
  static std::vector<Case> list;
  return list;
}
std::map<std::string, Tally>& tallies() {
  static std::map<std::string, Tally> map;
  return map;
}

const Exception* find(const std::vector<Exception>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &Exception::name);
  return found == list.end() ? nullptr : &*found;
}

class DeviceSuite : public testing::Test {
 public:
  DeviceSuite(Subject subject, Case run) : subject_(std::move(subject)), case_(run) {}

  void TestBody() override {
    Tally& tally = tallies()[subject_.name];
    if (const Exception* never = find(subject_.unsupported, case_.name)) return skip(tally, never->reason);
    StatusOr<std::unique_ptr<Device>> device = subject_.open();
    if (device.status().code() == StatusCode::kUnavailable) return skip(tally, message_of(device.status()));
    ASSERT_THAT(device, IsOk());
    Bench bench(*std::move(device), subject_.open, subject_.open_backend);
    if (const Exception* expected = find(subject_.expected_failures, case_.name)) {
      expect_failure(bench, expected->reason);
      tally.failed_as_expected++;
    } else {
      run_case(bench);
    }
    if (IsSkipped() && !HasFailure()) return count_skip(tally, own_message());
    (HasFailure() ? tally.failed : tally.passed)++;
  }

 private:
  void skip(Tally& tally, const std::string& reason) {
    count_skip(tally, reason);
    GTEST_SKIP() << reason;
  }
  void count_skip(Tally& tally, const std::string& reason) {
    tally.skipped.push_back(fmt::format("{}: {}", case_.name, reason));
  }
  // Returns the message of a case that skipped its own run.
  static std::string own_message() {
    const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
    return result.total_part_count() == 0 ? ""
                                          : result.GetTestPartResult(result.total_part_count() - 1).message();
  }

  void run_case(Bench& bench) {
    try {
      case_.body(bench);
    } catch (const CaseAborted&) {  // the failure is recorded
    }
  }

  void expect_failure(Bench& bench, const std::string& reason) {
    testing::TestPartResultArray results;
    {
      using Reporter = testing::ScopedFakeTestPartResultReporter;
      const Reporter reporter(Reporter::INTERCEPT_ALL_THREADS, &results);
      run_case(bench);
    }
    for (int i = 0; i < results.size(); i++)
      if (results.GetTestPartResult(i).failed()) return;
    ADD_FAILURE() << "It passes, and is listed as an expected failure (" << reason
                  << "); take it off the list.";
  }

  Subject subject_;
  Case case_;
};

// A device that the machine does not have gets one test, so that the report has a line for it.
bool is_unavailable(const Subject& subject) {
  const StatusOr<std::unique_ptr<Device>> device = subject.open();
  if (device.status().code() != StatusCode::kUnavailable) return false;
  for (const Case& run : cases())
    tallies()[subject.name].skipped.push_back(std::string(run.name) + ": " + message_of(device.status()));
  return true;
}

void check_lists(const Subject& subject) {
  for (const auto* list : {&subject.unsupported, &subject.expected_failures})
    for (const Exception& exception : *list)
      if (std::ranges::find(cases(), exception.name, [](const Case& run) { return std::string(run.name); }) ==
          cases().end())
        tallies()[subject.name].failed++, std::printf("There is no case '%s', listed for %s.\n",
                                                      exception.name.c_str(), subject.name.c_str());
}

void register_all() {
  for (const auto& find_subjects : joined()) {
    for (const Subject& subject : find_subjects()) {
      tallies()[subject.name];
      check_lists(subject);
      if (is_unavailable(subject)) continue;
      for (const Case& run : cases())
        testing::RegisterTest(subject.name.c_str(), run.name, nullptr, nullptr, run.file, run.line,
                              [subject, run]() -> DeviceSuite* { return new DeviceSuite(subject, run); });
    }
  }
}

// Returns the reasons, each with the number of cases that it skipped.
std::map<std::string, int> reasons_of(const Tally& tally) {
  std::map<std::string, int> reasons;
  for (const std::string& skipped : tally.skipped) reasons[skipped.substr(skipped.find(": ") + 2)]++;
  return reasons;
}

int print_tallies() {
  int failed = 0;
  std::printf("\nDevice suite, %zu cases\n", cases().size());
  for (const auto& [name, tally] : tallies()) {
    failed += tally.failed;
    std::printf("  %-16s %3d passed, %d failed, %d failed as expected, %zu skipped\n", name.c_str(),
                tally.passed, tally.failed, tally.failed_as_expected, tally.skipped.size());
    for (const auto& [reason, count] : reasons_of(tally))
      std::printf("    %d skipped: %s\n", count, reason.c_str());
  }
  return failed;
}

}  // namespace

Joined::Joined(std::function<std::vector<Subject>()> find_subjects) {
  joined().push_back(std::move(find_subjects));
}

CaseAdded::CaseAdded(const Case& added) { cases().push_back(added); }

std::vector<Subject> subjects_of(BackendKind kind, const std::string& name_when_missing) {
  std::vector<Subject> subjects;
  std::vector<std::string> notes;
  for (const DeviceInfo& info : list_devices_and_twins(&notes)) {
    if (info.kind != kind) continue;
    subjects.push_back({.name = info.id,
                        .open = [info] { return open_device(info); },
                        .open_backend = [info] { return open_backend(info, {}); },
                        .unsupported = {},
                        .expected_failures = {}});
  }
  if (!subjects.empty()) return subjects;
  const std::string why = fmt::format("No such device is here. {}", fmt::join(notes, " "));
  return {
      {.name = name_when_missing,
       .open = [why]() -> StatusOr<std::unique_ptr<Device>> { return unavailable("{}", why); },
       .open_backend = [why]() -> StatusOr<std::unique_ptr<DeviceBackend>> { return unavailable("{}", why); },
       .unsupported = {},
       .expected_failures = {}}};
}

}  // namespace weft::device::suite

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  weft::device::suite::register_all();
  const int result = RUN_ALL_TESTS();
  return weft::device::suite::print_tallies() + result == 0 ? 0 : 1;
}
