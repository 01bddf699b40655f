// SPDX-License-Identifier: Apache-2.0
// Tests messages in the status bar and their duration.
#include "client_gui/views/announcements.h"

#include <QLabel>
#include <QTest>
#include <QToolButton>

#include <gmock/gmock.h>

#include "client_gui/views/main_window.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::HasSubstr;
using Weight = Announcements::Weight;

std::string announced(const Announcements& announcements) {
  return announcements.texts().join('|').toStdString();
}

TEST(AnnouncementsTest, FailuresDoNotTakeOneAnothersPlace) {
  Announcements announcements;
  announcements.show();
  announcements.say("1 of 2 jobs failed: a.ts", Weight::kFailure);
  announcements.say("2 jobs are paused.", Weight::kConfirmation);
  announcements.say("There is no job 7.", Weight::kRefusal);
  announcements.say("1 job failed: b.ts", Weight::kFailure);
  announcements.say("3 jobs are back in the queue.", Weight::kConfirmation);
  EXPECT_EQ(announced(announcements),
            "1 of 2 jobs failed: a.ts|There is no job 7.|1 job failed: b.ts|3 jobs are back in the queue.");
  const auto* line = announcements.findChild<QLabel*>();
  EXPECT_TRUE(line->text().startsWith("3 jobs are back in the queue.")) << "the newest is read first";
  EXPECT_THAT(line->toolTip().toStdString(), HasSubstr("b.ts\nThere is no job 7.\n1 of 2 jobs failed: a.ts"));
  EXPECT_EQ(line->foregroundRole(), QPalette::BrightText);
  QTest::mouseClick(announcements.findChild<QToolButton*>(), Qt::LeftButton);
  EXPECT_EQ(announced(announcements), "");
  EXPECT_FALSE(announcements.findChild<QToolButton*>()->isVisible());
}

TEST(AnnouncementsTest, WhatIsToldAgainStandsOnce) {
  Announcements announcements;
  announcements.say("There is no job 7.", Weight::kRefusal);
  announcements.say("There is no job 8.", Weight::kRefusal);
  announcements.say("There is no job 7.", Weight::kRefusal);
  EXPECT_EQ(announced(announcements), "There is no job 8.|There is no job 7.");
}

TEST(AnnouncementsTest, TheOldestOfTooManyGoes) {
  Announcements announcements;
  for (size_t i = 0; i <= kMostAnnouncements; i++) announcements.say(QString::number(i), Weight::kFailure);
  EXPECT_EQ(size_t(announcements.texts().size()), kMostAnnouncements);
  EXPECT_EQ(announcements.texts().first(), "1");
}

TEST(AnnouncementsTest, ALongMessageDoesNotWidenTheWindow) {
  Fleet fleet;
  MainWindow window(fleet);
  window.show();
  const int before = window.minimumSizeHint().width();
  window.announcements().say(QString(5000, 'x'), Weight::kFailure);
  QCoreApplication::processEvents();
  EXPECT_EQ(window.minimumSizeHint().width(), before);
}

}  // namespace
}  // namespace weft::gui
