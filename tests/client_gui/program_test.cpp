// SPDX-License-Identifier: Apache-2.0
// Tests the program on a machine without a screen.
#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>

#include <gtest/gtest.h>
#include <sysexits.h>

#include "tests/client/fake_server.h"

namespace weft::gui {
namespace {

struct Ended {
  int code = -1;
  QString output, errors;
};

Ended run_without_screen(const QStringList& arguments) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
  process.setProcessEnvironment(environment);
  process.start(WEFT_DASHBOARD, arguments);
  EXPECT_TRUE(process.waitForFinished());
  EXPECT_EQ(process.exitStatus(), QProcess::NormalExit);
  return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError())};
}

TEST(DashboardProgram, HelpAndVersionNeedNoScreen) {
  for (const char* option : {"--help", "-h"}) {
    const Ended help = run_without_screen({option});
    EXPECT_EQ(help.code, EX_OK);
    EXPECT_TRUE(help.output.contains("--screenshot")) << qPrintable(help.output);
    EXPECT_TRUE(help.errors.isEmpty()) << qPrintable(help.errors);
  }
  const Ended version = run_without_screen({"--version"});
  EXPECT_EQ(version.code, EX_OK);
  EXPECT_TRUE(version.output.startsWith("weft-dashboard")) << qPrintable(version.output);
}

TEST(DashboardProgram, TheLanguageCanBeChosen) {
  for (const QStringList& words : {QStringList{"--language", "ja", "--help"}, {"--help", "--language=ja"}}) {
    const Ended help = run_without_screen(words);
    EXPECT_EQ(help.code, EX_OK);
    EXPECT_TRUE(help.output.contains("言語")) << qPrintable(help.output);
  }
  const Ended refused = run_without_screen({"--language", "xx", "--help"});
  EXPECT_EQ(refused.code, EX_USAGE);
  EXPECT_TRUE(refused.errors.contains("The language (xx) is not known")) << qPrintable(refused.errors);
}

// The language that was selected in the window applies unless the command line sets another one.
TEST(DashboardProgram, TheLanguageIsKept) {
  const QTemporaryDir settings;
  ASSERT_TRUE(QDir(settings.path()).mkdir("weft"));
  const auto help = [&](const char* stored, const QStringList& words) {
    QFile file(settings.filePath("weft/weft-dashboard.conf"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("[window]\nlanguage=") + stored + '\n');
    file.close();
    qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
    const Ended ended = run_without_screen(words);
    qunsetenv("XDG_CONFIG_HOME");
    EXPECT_EQ(ended.code, EX_OK) << qPrintable(ended.errors);
    return ended.output;
  };
  EXPECT_TRUE(help("ja", {"--help"}).contains("言語"));
  EXPECT_FALSE(help("en", {"--help"}).contains("言語"));
  EXPECT_FALSE(help("ja", {"--help", "--language", "en"}).contains("言語"));
  EXPECT_TRUE(help("xx", {"--help"}).contains("--language"));
}

TEST(DashboardProgram, TheDecisionsOfAJobAreWrittenAsAPicture) {
  test::FakeServer daemon;
  const std::string id = daemon.add({}), other = daemon.add({});
  daemon.set_decisions(id, R"({"decisions": [{"timeline": {"kinds": ["a"], "series": [{"name": "cost"}],
      "sections": [{"frames": "5", "end": 1, "kind": "a", "values": [2]}]}}]})");
  const QTemporaryDir folder;
  const QString file = folder.filePath("decisions.png");
  const auto write = [&](const std::string& job, const QStringList& more = {}) {
    return run_without_screen(QStringList{"--server", QString::fromStdString(daemon.address()), "--decisions",
                                          QString::fromStdString(job), file} +
                              more);
  };
  const Ended ended = write(id);
  EXPECT_EQ(ended.code, EX_OK) << qPrintable(ended.errors);
  EXPECT_GT(QImage(file).width(), 0);
  const Ended none = write(other);
  EXPECT_EQ(none.code, EX_UNAVAILABLE);
  EXPECT_TRUE(none.errors.contains("decisions of sections")) << qPrintable(none.errors);
  EXPECT_EQ(write(id, {"--screenshot", "jobs"}).code, EX_USAGE);
}

TEST(DashboardProgram, AWindowWithoutAScreenIsRefusedInWords) {
  const Ended refused = run_without_screen({});
  EXPECT_EQ(refused.code, EX_UNAVAILABLE);
  EXPECT_TRUE(refused.errors.contains("There is no screen")) << qPrintable(refused.errors);
}

}  // namespace
}  // namespace weft::gui
