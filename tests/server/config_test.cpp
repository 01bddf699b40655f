// SPDX-License-Identifier: Apache-2.0
#include "server/config.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using Arguments = std::vector<std::string>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() {
    char name[] = "/tmp/weft-config-test.XXXXXX";
    folder_ = ::mkdtemp(name);
    environment_ = {{"HOME", folder_}, {"STATE_DIRECTORY", folder_ + "/state"}};
  }
  ~ConfigTest() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& text) {
    const std::string path = folder_ + "/weft.toml";
    std::ofstream(path) << text;
    return path;
  }
  StatusOr<Invocation> load(const Arguments& arguments) { return load_config(arguments, environment_); }

  std::string folder_;
  Environment environment_;
};

TEST_F(ConfigTest, FlagsWinOverTheEnvironmentOverTheFileOverDefaults) {
  const std::string path = file("log_level = 'error'\nhang_timeout = 5\ndrain_timeout = 6\n");
  environment_["WEFT_LOG_LEVEL"] = "warning";
  environment_["WEFT_HANG_TIMEOUT"] = "7";
  auto result = load({"--config", path, "--log-level=debug"});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->config.log_level, "debug");
  EXPECT_EQ(result->config.hang_timeout.count(), 7);
  EXPECT_EQ(result->config.drain_timeout.count(), 6);
  EXPECT_EQ(result->config.jobs_per_device, Config().jobs_per_device);
  EXPECT_EQ(result->file, path);
  EXPECT_EQ(result->action, Invocation::Action::kRun);
}

TEST_F(ConfigTest, WhatIsDoneWithTablesIsChecked) {
  EXPECT_EQ(load({})->config.tuning, "on");
  EXPECT_EQ(load({"--tuning", "off"})->config.tuning, "off");
  for (const std::string old : {"adapt", "frozen"})
    EXPECT_THAT(load({"--tuning", old}), StatusIs(StatusCode::kInvalidArgument, "use on"));
  EXPECT_THAT(load({"--tuning", "maybe"}), StatusIs(StatusCode::kInvalidArgument, "maybe"));
}

TEST_F(ConfigTest, WhatIsDoneBesideOtherProgramsIsChecked) {
  EXPECT_EQ(load({})->config.external_load, "yield");
  EXPECT_EQ(load({"--foreign", "share"})->config.external_load, "share");
  EXPECT_THAT(load({"--foreign", "nice"}), StatusIs(StatusCode::kInvalidArgument, "nice"));
}

TEST_F(ConfigTest, OldSpellingsOfTheModesNameTheNewOnes) {
  for (const std::string old : {"auto", "lock", "short"})
    EXPECT_THAT(load({"--foreign", old}), StatusIs(StatusCode::kInvalidArgument, "use yield"));
  EXPECT_THAT(load({"--config", file("foreign = 'ignore'\n")}),
              StatusIs(StatusCode::kFailedPrecondition, "use share"));
  EXPECT_THAT(load({"--foreign-without-period", "yield"}),
              StatusIs(StatusCode::kInvalidArgument, "yield of foreign"));
  EXPECT_THAT(load({"--foreign-without-period=short"}),
              StatusIs(StatusCode::kInvalidArgument, "yield of foreign"));
  EXPECT_THAT(load({"--config", file("foreign_without_period = 'short'\n")}),
              StatusIs(StatusCode::kFailedPrecondition, "yield of foreign"));
}

TEST_F(ConfigTest, ListsAreRepeatedFlagsCommasAndArrays) {
  environment_["WEFT_DEVICE"] = "cpu,cuda:0";
  auto result = load({"--config", file("listen = ['unix:/a', 'unix:/b']\ndevice = ['vulkan:0']\n")});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->config.listen, ElementsAre("unix:/a", "unix:/b"));
  EXPECT_THAT(result->config.device, ElementsAre("cpu", "cuda:0"));
  result = load({"--hang-timeout", "3", "--hang-timeout", "4"});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->config.hang_timeout.count(), 4);
  result = load({"--device", "cuda:1", "--device", "cpu"});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->config.device, ElementsAre("cuda:1", "cpu"));
}

TEST_F(ConfigTest, TimesAndSizesHaveUnits) {
  auto result =
      load({"--config", file("hang_timeout = '5m'\nlow_disk_bytes = '2GiB'\nowner_bytes = 2097152\n")});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->config.hang_timeout.count(), 300);
  EXPECT_EQ(result->config.low_disk_bytes, int64_t{2} << 30);
  EXPECT_EQ(result->config.owner_bytes, 2097152);
  environment_["WEFT_QUEUE_AGING"] = "1h30m";
  result = load({"--hang-timeout", "90s", "--low-disk-bytes", "512MiB"});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->config.queue_aging.count(), 5400);
  EXPECT_EQ(result->config.hang_timeout.count(), 90);
  EXPECT_EQ(result->config.low_disk_bytes, int64_t{512} << 20);
  EXPECT_THAT(load({"--hang-timeout", "5MiB"}),
              StatusIs(StatusCode::kInvalidArgument, "such as 90s, 5m or 1h30m"));
  EXPECT_THAT(load({"--low-disk-bytes", "5m"}),
              StatusIs(StatusCode::kInvalidArgument, "such as 512MiB or 2GiB"));
  EXPECT_THAT(load({"--hang-timeout", "30d"}), StatusIs(StatusCode::kInvalidArgument, "out of range"));
  EXPECT_THAT(load({"--jobs-per-device", "1k"}),
              StatusIs(StatusCode::kInvalidArgument, "not a whole number"));
  EXPECT_THAT(load({"--config", file("queued_jobs = '10'\n")}),
              StatusIs(StatusCode::kFailedPrecondition, "not a number"));
}

TEST_F(ConfigTest, OwnersHaveWeights) {
  using ::testing::Pair;
  auto result = load({"--config", file("log_level = 'info'\n[owners]\nanna = 2\n'ben o' = 0.5\n")});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->config.owners, ElementsAre(Pair("anna", 2), Pair("ben o", 0.5)));
  environment_["WEFT_OWNERS"] = "carl=3,dora=4";
  result = load({});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->config.owners, ElementsAre(Pair("carl", 3), Pair("dora", 4)));
  result = load({"--owners", "a=b=2", "--owners", "eve=100"});
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->config.owners, ElementsAre(Pair("a=b", 2), Pair("eve", 100)));
}

TEST_F(ConfigTest, WrongWeightsAreNamed) {
  const std::pair<const char*, const char*> wrong[] = {
      {"[owners]\nanna = 0", "owner 'anna' is out of range (0, allowed 0.01 to 100)"},
      {"[owners]\nanna = -1", "owner 'anna' is out of range"},
      {"[owners]\nanna = 101", "owner 'anna' is out of range"},
      {"[owners]\nanna = nan", "owner 'anna' is out of range"},
      {"[owners]\nanna = 'much'", "owner 'anna' is not a number"},
      {"owners = 3", "not a table"},
      {"[owners]\n'' = 3", "not understood"}};
  for (const auto& [text, why] : wrong)
    EXPECT_THAT(load({"--config", file(text)}), StatusIs(StatusCode::kFailedPrecondition, why)) << text;
  for (const char* text : {"anna", "anna=", "=2", "anna=x", "anna=2x"})
    EXPECT_THAT(load({"--owners", text}), StatusIs(StatusCode::kInvalidArgument, "NAME=2.5")) << text;
  EXPECT_THAT(load({"--owners", "anna=1", "--owners", "anna=2"}),
              StatusIs(StatusCode::kInvalidArgument, "more than one weight"));
}

TEST_F(ConfigTest, AnUnknownKeyIsAnErrorThatNamesItAndItsLine) {
  auto result = load({"--config", file("log_level = 'info'\nlog_levle = 'info'\n")});
  EXPECT_THAT(result, StatusIs(StatusCode::kFailedPrecondition, "weft.toml:2"));
  EXPECT_THAT(result, StatusIs(StatusCode::kFailedPrecondition,
                               "'log_levle' is not known; did you mean 'log_level'?"));
}

TEST_F(ConfigTest, WrongLinesOfTheFileAreNamed) {
  for (const std::string text :
       {"hang_timeout = 'soon'", "hang_timeout = 0", "hang_timeout = 1.5", "log_level = 3",
        "log_level = 'loud'", "log_level = 'trace'", "log_format = 'xml'", "device = [1]",
        "listen = '0.0.0.0:80'", "log_level = ['info', 'error']", "socket_mode = '0990'"}) {
    auto result = load({"--config", file(text)});
    EXPECT_THAT(result, StatusIs(StatusCode::kFailedPrecondition, text.substr(0, text.find(' ')))) << text;
  }
  EXPECT_THAT(load({"--config", file("= 3")}), StatusIs(StatusCode::kFailedPrecondition, "weft.toml:1"));
  EXPECT_THAT(load({"--config", folder_ + "/none.toml"}), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(load({"--config", folder_}), StatusIs(StatusCode::kFailedPrecondition));
}

TEST_F(ConfigTest, WrongFlagsAreErrorsOfTheCommandLine) {
  for (const Arguments& arguments :
       {Arguments{"--nonsense"}, Arguments{"stray"}, Arguments{"--hang-timeout"},
        Arguments{"--hang-timeout", "x"}, Arguments{"--hang-timeout", "99999999999999999999"},
        Arguments{"--jobs-per-device", "0"}, Arguments{"--listen", "nowhere"}})
    EXPECT_THAT(load(arguments), StatusIs(StatusCode::kInvalidArgument)) << arguments[0];
  environment_["WEFT_JOBS_PER_DEVICE"] = "many";
  EXPECT_THAT(load({}), StatusIs(StatusCode::kFailedPrecondition, "WEFT_JOBS_PER_DEVICE"));
}

TEST_F(ConfigTest, OnlyThisMachineMayReachTheDaemon) {
  for (const char* good :
       {"unix:/run/x.sock", "127.0.0.1:0", "127.1.2.3:65535", "[::1]:7411", "localhost:80"})
    EXPECT_THAT(load({"--listen", good, "--allow-unauthenticated-loopback"}), IsOk()) << good;
  for (const char* bad :
       {"unix:x.sock", "0.0.0.0:80", "[::]:80", "192.168.0.1:80", "host.example:80", ":80", "127.0.0.1:65536",
        "127.0.0.1:-1", "127.0.0.1:x", "127.0.0.1:", "127.evil.example:80"})
    EXPECT_THAT(load({"--listen", bad}), StatusIs(StatusCode::kInvalidArgument, "--listen")) << bad;
}

TEST_F(ConfigTest, WhoCannotBeToldApartIsLetInOnlyWhenAsked) {
  EXPECT_THAT(load({"--listen", "127.0.0.1:0"}),
              StatusIs(StatusCode::kInvalidArgument, "--allow-unauthenticated-loopback"));
  environment_["WEFT_LISTEN"] = "unix:/run/x.sock,[::1]:7411";
  EXPECT_THAT(load({}), StatusIs(StatusCode::kInvalidArgument, "[::1]:7411"));
  const auto invocation = load({"--allow-unauthenticated-loopback"});
  ASSERT_THAT(invocation, IsOk());
  EXPECT_TRUE(invocation->allows_unauthenticated_loopback);
}

TEST_F(ConfigTest, AServiceUsesTheFoldersOfSystemd) {
  environment_ = {{"STATE_DIRECTORY", "/s/weft:/s/other"},
                  {"CACHE_DIRECTORY", "/c/weft"},
                  {"RUNTIME_DIRECTORY", "/r/weft"}};
  auto result = load({});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->config.state_dir, "/s/weft");
  EXPECT_EQ(result->config.cache_dir, "/c/weft");
  EXPECT_THAT(result->config.listen, ElementsAre("unix:/r/weft/weft.sock"));
  EXPECT_EQ(result->config.socket_mode, "0660");
}

TEST_F(ConfigTest, CheckConfigPrintsWhatResultsAndHelpNamesEveryKey) {
  auto check = load({"--check-config", "--hang-timeout", "9"});
  ASSERT_THAT(check, IsOk());
  EXPECT_EQ(check->action, Invocation::Action::kCheckConfig);
  EXPECT_THAT(check->text, HasSubstr("hang_timeout = 9\n"));
  auto help = load({"--help"});
  ASSERT_THAT(help, IsOk());
  EXPECT_EQ(help->action, Invocation::Action::kPrintText);
  for (const ConfigKey& key : config_keys()) EXPECT_THAT(help->text, HasSubstr("--" + std::string(key.name)));
}

// The manuals name everything, and groff renders them without a warning.
TEST_F(ConfigTest, ManualsRenderAndNameEveryKey) {
  const auto output_of = [](const std::string& command) {
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += char(c);
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return text;
  };
  const auto rendered = [&](const std::string& page) {
    auto printed = load({"--manual", page});
    EXPECT_THAT(printed, IsOk());
    EXPECT_EQ(printed->action, Invocation::Action::kPrintText);
    const std::string groff = "groff -man -Tutf8 -ww -P-cbu '" + file(printed->text) + "'";
    EXPECT_EQ(output_of(groff + " 2>&1 > /dev/null"), "");
    return output_of(groff);
  };
  if (std::system("command -v groff > /dev/null") != 0) GTEST_SKIP() << "groff is not installed";
  const std::string program = rendered("weftd"), format = rendered("weft.toml");
  for (const ConfigKey& key : config_keys()) {
    std::string name(key.name);
    EXPECT_THAT(program, HasSubstr("--" + name));
    std::ranges::replace(name, '-', '_');
    EXPECT_THAT(format, HasSubstr(name));
  }
  EXPECT_THAT(load({"--manual", "weft"}).status(), StatusIs(StatusCode::kInvalidArgument));
}

// The output of --check-config is a configuration file with the same meaning.
TEST_F(ConfigTest, WhatIsPrintedCanBeReadBack) {
  auto first = load({"--check-config", "--device", "cpu", "--device", "cuda:0", "--low-disk-bytes", "123",
                     "--owners", "a \"b\"=2.5", "--owners", "carl=1"});
  ASSERT_THAT(first, IsOk());
  auto second = load({"--config", file(first->text)});
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->config, first->config);
}

TEST_F(ConfigTest, OnlyReloadableKeysChangeInARunningDaemon) {
  Config before;
  Config after = before;
  after.hang_timeout = std::chrono::seconds(1);
  after.state_dir = "/elsewhere";
  const auto changed = changed_keys(before, after);
  ASSERT_EQ(changed.size(), 2u);
  const Config result = reloaded(before, after);
  EXPECT_EQ(result.hang_timeout, after.hang_timeout);
  EXPECT_EQ(result.state_dir, before.state_dir);
}

TEST_F(ConfigTest, EveryKeyIsDeclaredInFull) {
  for (const ConfigKey& key : config_keys()) {
    EXPECT_TRUE(key.help.ends_with('.')) << key.name;
    EXPECT_FALSE(key.value_name.empty()) << key.name;
    const bool number = key.field.index() == 2 || key.field.index() == 3;
    EXPECT_EQ(number, key.maximum > key.minimum) << key.name;
  }
}

}  // namespace
}  // namespace weft
