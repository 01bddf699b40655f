// SPDX-License-Identifier: Apache-2.0
// Cases of a device that is lost in the middle of its work.
#include "tests/device_suite/losing_device.h"
#include "tests/device_suite/step.h"
#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

namespace step = kernels::step;

// Two streams run on a device that is lost at the n-th command, for every n until all of the work
// succeeds.
DEVICE_CASE(ALossAtAnyCommandComesOutOfEveryWait) {
  constexpr int kCommands = 9;  // number of commands in the block below
  for (int n = 0; n <= kCommands; n++) {
    Loss loss(n);
    Device device(std::make_unique<LosingDevice>(value_of(bench.open_backend_again()), loss),
                  bench.device().info());
    const auto buffer = value_of(device.allocate(MemoryKind::kDevice, 400));
    const auto download = value_of(device.allocate(MemoryKind::kDownload, 400));
    const Kernel& kernel = *value_of(device.load("test/step"));
    const auto one = value_of(device.make_stream()), two = value_of(device.make_stream());
    one->fill(*buffer, 0, 400, std::byte{1});
    one->launch(kernel, {100, 1, 1}, step::Params{at<step::Values>(*buffer), 100, 5, 10});
    const Mark stepped = one->mark();
    two->wait_for(*one, stepped);
    two->copy(*download, 0, *buffer, 0, 400);
    const Mark copied = two->mark();
    one->wait_for(*two, copied);
    one->fill(*buffer, 0, 400, std::byte{2});
    const Mark last = one->mark();

    const StatusCode expected = n == kCommands ? StatusCode::kOk : StatusCode::kUnavailable;
    EXPECT_THAT(one->wait(last), StatusIs(expected)) << n;
    EXPECT_THAT(two->wait(copied), StatusIs(expected)) << n;
    EXPECT_TRUE(one->is_done(last) && two->is_done(copied)) << n;
    EXPECT_THAT(one->wait_all(), StatusIs(expected)) << n;
    EXPECT_THAT(one->elapsed(stepped, last), StatusIs(expected)) << n;
    EXPECT_THAT(device.allocate(MemoryKind::kDevice, 1), StatusIs(expected)) << n;
    EXPECT_THAT(device.make_stream(), StatusIs(expected)) << n;
    EXPECT_THAT(device.load("device/sum_blocks"), StatusIs(expected)) << n;
    EXPECT_THAT(self_test(device), StatusIs(n == kCommands ? StatusCode::kUnavailable : expected))
        << n;  // the self test needs more commands
  }
}

}  // namespace
}  // namespace weft::device::suite
