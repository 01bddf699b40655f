// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/language.h"

#include <QMenu>
#include <QMenuBar>
#include <QTableView>

#include <gtest/gtest.h>

#include "client_gui/models/job_columns.h"
#include "client_gui/models/text.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "options/option.h"
#include "tests/client_gui/events.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::gui {
namespace {

bool is_japanese(const QString& text) {
  return std::any_of(text.begin(), text.end(), [](QChar each) {
    return each.script() == QChar::Script_Han || each.script() == QChar::Script_Hiragana ||
           each.script() == QChar::Script_Katakana;
  });
}

class LanguageTest : public ::testing::Test {
 protected:
  ~LanguageTest() override { choose_language("en"); }
};

TEST_F(LanguageTest, AWindowInJapanese) {
  ASSERT_TRUE(choose_language("ja"));
  Fleet fleet;
  MainWindow window(fleet);
  ASSERT_FALSE(window.menuBar()->actions().empty());
  for (const QAction* menu : window.menuBar()->actions()) {
    EXPECT_TRUE(is_japanese(menu->text())) << qPrintable(menu->text());
    for (const QAction* action : menu->menu()->actions())
      EXPECT_TRUE(action->isSeparator() || is_japanese(action->text())) << qPrintable(action->text());
  }
  const QAbstractItemModel& model = *window.jobs().table().model();
  for (int column = 0; column < model.columnCount(); column++) {
    const QString title = model.headerData(column, Qt::Horizontal).toString();
    EXPECT_TRUE(is_japanese(title) || JobColumn(column) == JobColumn::kId) << qPrintable(title);
  }
  EXPECT_EQ(model.headerData(int(JobColumn::kState), Qt::Horizontal).toString(), "状態");
}

TEST_F(LanguageTest, EveryStateAndClassIsKnownInJapanese) {
  ASSERT_TRUE(choose_language("ja"));
  for (const auto* type : {v1::JobState_descriptor(), v1::JobClass_descriptor(), v1::DeviceState_descriptor(),
                           v1::StreamClass_descriptor()})
    for (const options::Choice& choice : options::choices_of(type))
      EXPECT_TRUE(is_japanese(choice_text(choice.name))) << choice.name;
}

TEST_F(LanguageTest, EnglishIsThereAgain) {
  ASSERT_TRUE(choose_language("ja"));
  EXPECT_EQ(title_of(JobColumn::kState), "状態");
  ASSERT_TRUE(choose_language("en"));
  EXPECT_EQ(title_of(JobColumn::kState), "State");
}

TEST_F(LanguageTest, AnUnknownLanguageIsRefused) {
  EXPECT_FALSE(choose_language("xx"));
  EXPECT_FALSE(choose_language(""));
  EXPECT_TRUE(choose_language("system"));
}

}  // namespace
}  // namespace weft::gui
