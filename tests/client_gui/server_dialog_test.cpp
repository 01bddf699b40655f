// SPDX-License-Identifier: Apache-2.0
// Tests the dialog that adds and edits servers.
#include "client_gui/views/server_dialog.h"

#include <QCheckBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QRadioButton>
#include <QSettings>
#include <QSpinBox>
#include <QTest>
#include <QTreeView>

#include <gmock/gmock.h>

#include "client_gui/models/stored_servers.h"
#include "client_gui/views/main_window.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

ServerEndpoint make_endpoint(const QString& address, const QString& token, bool keeps_token) {
  ServerEndpoint endpoint;
  endpoint.address = address;
  endpoint.tls = true;
  endpoint.server_name = "weft.test";
  endpoint.token = token;
  endpoint.keeps_token = keeps_token;
  return endpoint;
}

TEST(ServerDialog, GivesThePlaceItWasGiven) {
  ServerEndpoint socket;
  socket.address = "unix:/run/weft/weft.sock";
  for (const ServerEndpoint& endpoint : {socket, make_endpoint("farm.test:7411", "abc", true)}) {
    auto* dialog = new ServerDialog(endpoint, nullptr);
    EXPECT_EQ(dialog->endpoint(), endpoint);
    dialog->findChild<QRadioButton*>()->click();
    EXPECT_TRUE(dialog->endpoint().address.startsWith("unix:"));
    EXPECT_FALSE(dialog->findChild<QLineEdit*>("token")->isEnabled());
    delete dialog;
  }
}

TEST(ServerDialog, StaysOpenAndSaysWhatIsWrong) {
  QPointer<ServerDialog> dialog = new ServerDialog(make_endpoint("farm.test:7411", "", false), nullptr);
  dialog->open();
  dialog->findChild<QLineEdit*>("roots")->setText("/nowhere/roots.pem");
  dialog->accept();
  ASSERT_TRUE(dialog && dialog->isVisible());
  EXPECT_TRUE(dialog->findChild<QLabel*>("wrong")->text().contains("/nowhere/roots.pem"));
  dialog->findChild<QLineEdit*>("roots")->clear();
  dialog->accept();
  EXPECT_TRUE(wait_until([&] { return !dialog || !dialog->isVisible(); }));
}

TEST(StoredServers, ATokenIsOnlyKeptWhereItWasAskedFor) {
  QSettings().clear();
  const ServerEndpoint kept = make_endpoint("one.test:7411", "kept-token", true);
  ServerEndpoint forgotten = make_endpoint("two.test:7411", "secret-token", false);
  store_servers({kept, forgotten});
  forgotten.token.clear();
  EXPECT_THAT(stored_servers(), ::testing::ElementsAre(kept, forgotten));
  QSettings().sync();
  QFile file(QSettings().fileName());
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  EXPECT_TRUE(text.contains("kept-token"));
  EXPECT_FALSE(text.contains("secret-token"));
  EXPECT_FALSE(file.permissions() & (QFile::ReadGroup | QFile::ReadOther));
  store_servers({});
  EXPECT_TRUE(stored_servers().empty());
}

TEST(ServerDialog, AServerIsAddedAndMovedByKeyboard) {
  test::FakeServer first, second;
  second.add({});
  Fleet fleet;
  MainWindow window(fleet);
  window.show();
  const auto answer = [&](Qt::Key key, Qt::KeyboardModifiers modifiers, const test::FakeServer& server) {
    ASSERT_TRUE(activate(window));
    QTest::keyClick(&window, key, modifiers);
    ASSERT_TRUE(wait_until([&] { return window.findChild<ServerDialog*>() != nullptr; }));
    auto* dialog = window.findChild<ServerDialog*>();
    dialog->findChild<QLineEdit*>("socket")->setText(QString::fromStdString(server.address()).mid(5));
    QTest::keyClick(dialog, Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return window.findChild<ServerDialog*>() == nullptr; }));
  };
  answer(Qt::Key_N, Qt::ControlModifier, first);
  ASSERT_EQ(fleet.servers().size(), 1u);
  EXPECT_EQ(fleet.address(fleet.servers()[0]).toStdString(), first.address());
  answer(Qt::Key_F2, Qt::NoModifier, second);
  ASSERT_EQ(fleet.servers().size(), 1u);
  EXPECT_EQ(fleet.address(fleet.servers()[0]).toStdString(), second.address());
  EXPECT_TRUE(wait_until([&] { return fleet.jobs().rowCount() == 1; }));
}

TEST(ServerDialog, TheCursorIsWhereThePlaceIsTyped) {
  ServerEndpoint host;
  host.address = "example.org:7411";
  for (const bool is_host : {false, true}) {
    auto* dialog = new ServerDialog(is_host ? host : ServerEndpoint(), nullptr);
    dialog->show();
    dialog->activateWindow();
    EXPECT_EQ(dialog->focusWidget(), dialog->findChild<QLineEdit*>(is_host ? "host" : "socket"));
    const auto buttons = dialog->findChildren<QRadioButton*>();
    QTest::mouseClick(buttons[is_host ? 0 : 1], Qt::LeftButton, {}, {5, buttons[0]->height() / 2});
    EXPECT_EQ(dialog->focusWidget(), dialog->findChild<QLineEdit*>(is_host ? "socket" : "host"));
    delete dialog;
  }
}

TEST(ServerDialog, AnErrorDoesNotCutOffTheHelp) {
  auto* dialog = new ServerDialog(make_endpoint("farm.test:7411", "", false), nullptr);
  dialog->show();
  const auto expect_height = [&](const char* when) {
    QCoreApplication::processEvents();
    for (const QLabel* label : dialog->findChildren<QLabel*>()) {
      const int needed = label->isVisible() && label->wordWrap() ? label->heightForWidth(label->width()) : 0;
      EXPECT_GE(label->height(), needed) << when << label->text().toStdString();
    }
  };
  expect_height("at first: ");
  dialog->findChild<QLineEdit*>("roots")->setText("/nowhere/" + QString(200, 'x') + "/roots.pem");
  dialog->accept();
  ASSERT_TRUE(dialog->findChild<QLabel*>("wrong")->isVisible());
  expect_height("with an error: ");
  delete dialog;
}

}  // namespace
}  // namespace weft::gui
