// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <google/protobuf/util/json_util.h>

#include "tests/client_cli/fixture.h"

namespace weft::cli {
namespace {

class Tune : public Cli {
 protected:
  Tune() {
    v1::DeviceStatus device;
    device.set_id("cpu");
    device.set_state(v1::DEVICE_STATE_IN_SERVICE);
    server_.add_device(device);
    tuned_.set_driver("a driver 1.0");
    v1::TunedKernel& kernel = *tuned_.add_kernels();
    kernel.set_kernel("video/bwdif.uint8_t");
    kernel.set_size_class(20);
    kernel.set_shape("128x2");
    kernel.set_default_shape("64x4");
    kernel.set_seconds(9e-6);
    kernel.set_default_seconds(1e-5);
    kernel.set_confidence(0.998);
    kernel.mutable_time()->set_seconds(1795776000);  // in November 2026
    kernel.set_reason("128x2 is 10.0% faster than 64x4.");
  }
  v1::ListTunedKernelsResponse tuned_;
};

TEST_F(Tune, ShowsWhatWasFound) {
  server_.set_tuned(tuned_);
  const auto shown = weft({"tune", "--show", "--device", "cpu"});
  EXPECT_EQ(shown.code, kExitDone);
  for (const char* part :
       {"cpu (a driver 1.0):", "video/bwdif.uint8_t", "2^20", "128x2", "64x4", "10.0%", "0.998", "2026-11"})
    EXPECT_THAT(shown.output, HasSubstr(part));
  EXPECT_EQ(weft({"tune", "--show"}).output, shown.output);
  EXPECT_THAT(weft({"tune", "--show", "--json"}).output,
              AllOf(StartsWith("{\"schema\": 1, \"device\": \"cpu\", \"driver\": \"a driver 1.0\", "),
                    HasSubstr("\"shape\": \"128x2\"")));
}

TEST_F(Tune, SaysThatATableIsFrozen) {
  server_.set_tuned(tuned_);
  EXPECT_THAT(weft({"tune", "--show"}).output, HasSubstr("cpu (a driver 1.0):"));
}

TEST_F(Tune, WritesATableThatCanBeShipped) {
  server_.set_tuned(tuned_);
  const std::string path = server_.folder() + "/table.json";
  const auto written = weft({"tune", "--export", path});
  EXPECT_EQ(written.code, kExitDone) << written.error;
  EXPECT_THAT(written.output, HasSubstr("cpu: 1 entries in "));
  std::string text;
  std::getline(std::ifstream(path), text, '\0');
  v1::ListTunedKernelsResponse read;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(text, &read).ok());
  EXPECT_EQ(read.SerializeAsString(), tuned_.SerializeAsString());
  EXPECT_THAT(weft({"tune", "--export", "/no/such/folder/x.json"}).error,
              HasSubstr("/no/such/folder/x.json"));
}

TEST_F(Tune, SaysWhereNothingIsTuned) {
  EXPECT_NE(weft({"tune", "--export", "/dev/null"}).code, kExitDone);
  EXPECT_THAT(weft({"tune", "--show"}).output, HasSubstr("cpu: nothing is tuned"));
  const auto unknown = weft({"tune", "--show", "--device", "cuda:9"});
  EXPECT_EQ(unknown.code, kExitRejected);
  EXPECT_THAT(unknown.error, HasSubstr("There is no device 'cuda:9'."));
}

TEST_F(Tune, SubmitsASpareJob) {
  const auto submitted =
      weft({"tune", "--device", "cpu", "--filter", "bwdif", "--kernel", "video/", "--again", "--detach"});
  ASSERT_EQ(submitted.code, kExitDone) << submitted.error;
  const std::string id = submitted.output.substr(0, submitted.output.find('\n'));
  const v1::JobSpec spec = server_.job(id).spec();
  ASSERT_TRUE(spec.has_tune());
  EXPECT_EQ(spec.tune().filters(0), "bwdif");
  EXPECT_EQ(spec.tune().kernels(0), "video/");
  EXPECT_TRUE(spec.tune().again());
  EXPECT_EQ(server_.job(id).settings().device(), "cpu");
}

TEST_F(Tune, OffersNothingAboutOutputs) {
  EXPECT_THAT(weft({"tune", "--help"}).output, Not(HasSubstr("--overwrite")));
  EXPECT_THAT(weft({"submit", "video", "--help"}).output, HasSubstr("overwrite"));
}

}  // namespace
}  // namespace weft::cli
