// SPDX-License-Identifier: Apache-2.0
// Tests the commands devices, server and version.
#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

using DevicesAndServer = Cli;

TEST_F(DevicesAndServer, DevicesTellTheirCodeAndFirstLoad) {
  v1::DeviceStatus device;
  device.set_id("cuda:0");
  device.set_kernel_code("PTX of 7.5, compiled by the driver");
  server_.add_device(device);
  EXPECT_THAT(weft({"devices"}).output, HasSubstr("\ncuda:0: PTX of 7.5, compiled by the driver\n"));
  device.mutable_first_load()->set_nanos(312'000'000);
  server_.add_device(device);
  EXPECT_THAT(weft({"devices"}).output,
              HasSubstr("cuda:0: PTX of 7.5, compiled by the driver; the first kernel loaded in 312 ms\n"));
  EXPECT_THAT(weft({"devices", "--json"}).output,
              AllOf(HasSubstr("\"kernel_code\": \"PTX of 7.5, compiled by the driver\""),
                    HasSubstr("\"first_load\": 0.312")));
}

TEST_F(DevicesAndServer, StateLoadAndVersion) {
  v1::DeviceStatus device;
  device.set_id("cpu");
  device.set_state(v1::DEVICE_STATE_OUT_OF_SERVICE);
  device.set_reason("Its worker died three times.");
  device.set_memory_bytes(int64_t(16) << 30);
  device.mutable_sample()->mutable_interval()->set_seconds(2);
  device.mutable_sample()->mutable_busy()->set_seconds(1);
  v1::StarvingJob& starving = *device.mutable_sample()->mutable_schedule()->add_starving();
  starving.set_job_id("01J");
  starving.mutable_unit()->set_nanos(12'500'000);
  device.add_not_confined("The kernel has no Landlock.");
  server_.add_device(device);
  EXPECT_THAT(weft({"devices"}).output,
              AllOf(HasSubstr("out-of-service"), HasSubstr("50%"), HasSubstr("16.0 GiB"),
                    HasSubstr("cpu: Its worker died three times."),
                    HasSubstr("cpu: not fully confined: The kernel has no Landlock."),
                    HasSubstr("There is no CUDA driver here.")));
  EXPECT_THAT(weft({"devices", "--json"}).output,
              HasSubstr("\"not_confined\": [\"The kernel has no Landlock.\"]"));
  EXPECT_THAT(weft({"devices", "--watch"}).output, HasSubstr("50% busy"));
  EXPECT_THAT(weft({"devices", "--watch"}).output, HasSubstr("job 01J waits: a unit takes 12.50 ms"));
  EXPECT_THAT(weft({"devices", "--watch", "--json"}).output, HasSubstr("\"busy\": 1"));
  EXPECT_THAT(weft({"devices"}).output, Not(HasSubstr("HARDWARE"))) << "no driver tells";
  v1::DeviceStatus other;
  other.set_id("cuda:0");
  server_.add_device(other);
  EXPECT_THAT(weft({"devices"}).output, AllOf(HasSubstr("\ncpu "), HasSubstr("\ncuda:0 ")));
  EXPECT_THAT(weft({"devices", "cpu"}).output, AllOf(HasSubstr("\ncpu "), Not(HasSubstr("cuda:0"))));
  EXPECT_THAT(weft({"devices", "cpu", "--watch"}).output, HasSubstr("50% busy"));
  const std::string unknown = "There is no device 'cuda:7'; there are: cpu, cuda:0.";
  EXPECT_THAT(weft({"devices", "cuda:7"}).error, HasSubstr(unknown));
  EXPECT_THAT(weft({"devices", "cuda:7", "--watch"}).error, HasSubstr(unknown));
  device.mutable_sample()->mutable_readings()->set_temperature_celsius(45.4);
  device.mutable_sample()->mutable_readings()->set_graphics_clock_mhz(1980);
  server_.add_device(device);
  EXPECT_THAT(weft({"devices"}).output, AllOf(HasSubstr("HARDWARE"), HasSubstr("45 °C, 1980 MHz\n")));
  EXPECT_THAT(weft({"devices", "--watch"}).output, HasSubstr("45 °C, 1980 MHz\n"));
  EXPECT_THAT(weft({"server"}).output, AllOf(HasSubstr("9.8.7"), HasSubstr("4711"), HasSubstr("video")));
  EXPECT_THAT(weft({"server", "--json"}).output, HasSubstr("\"pid\": 4711"));
  EXPECT_THAT(weft({"version"}).output, HasSubstr("weftd 9.8.7"));
  server_.stop();
  const auto version = weft({"version", "--json"});
  EXPECT_EQ(version.code, kExitDone);
  EXPECT_THAT(version.output, HasSubstr("\"weftd\": null"));
}

}  // namespace
}  // namespace weft::cli
