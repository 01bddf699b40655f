// SPDX-License-Identifier: Apache-2.0
// Runs the dashboard's tests in a Qt program without a screen. A warning from Qt fails the current
// test.
#include <QApplication>
#include <QStandardPaths>
#include <cstdlib>

#include <gtest/gtest.h>

namespace {

void fail_on_warnings(QtMsgType type, const QMessageLogContext&, const QString& text) {
  // These are messages of the offscreen platform about itself and about a missing session.
  if (text.startsWith("This plugin does not support") || text.contains("XDG_RUNTIME_DIR")) return;
  if (type == QtDebugMsg || type == QtInfoMsg) return;
  ADD_FAILURE() << "Qt warns: " << text.toStdString();
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("QT_QPA_PLATFORM", "offscreen", 1);
  QStandardPaths::setTestModeEnabled(true);
  qInstallMessageHandler(fail_on_warnings);
  const QApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
