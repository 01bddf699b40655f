// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/language.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTableView>
#include <QTest>

#include <gtest/gtest.h>

#include "client_gui/forms/option_form.h"
#include "client_gui/models/job_columns.h"
#include "client_gui/texts/declared.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "options/option.h"
#include "tests/client_gui/events.h"
#include "weft/v1/bloom.pb.h"
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

std::vector<const google::protobuf::Descriptor*> messages_with_options() {
  std::vector<const google::protobuf::Descriptor*> all = {v1::JobSettings::descriptor()};
  for (const options::JobKind& kind : options::job_kinds()) all.push_back(kind.message());
  return all;
}

// A declaration may be newer than the translations.
TEST_F(LanguageTest, ADeclaredTextWithoutATranslationIsEnglish) {
  ASSERT_TRUE(choose_language("ja"));
  for (const DeclaredText& each : declared_texts()) {
    const QString text = QCoreApplication::translate(each.context, each.text.c_str());
    EXPECT_TRUE(each.is_name || is_japanese(text) || text.toStdString() == each.text) << each.text;
  }
  EXPECT_EQ(QCoreApplication::translate("Options", "Nobody has translated this."),
            "Nobody has translated this.");
  for (const options::JobKind& kind : options::job_kinds())
    EXPECT_TRUE(is_japanese(summary_text(kind))) << kind.name;
}

// Returns true if the text of a declaration is displayed in the right language.
bool is_shown(const QString& text, const std::string& english) {
  return is_japanese(text) || text.startsWith(QString::fromStdString(english));
}

// Checks the texts of every option's field.
TEST_F(LanguageTest, EveryFieldOfAFormIsInJapanese) {
  ASSERT_TRUE(choose_language("ja"));
  for (const auto* message : messages_with_options()) {
    OptionForm form(message, "spec", {}, nullptr);
    for (OptionField* field : form.fields()) {
      const std::string flag = field->option().flag();
      const auto labels = field->findChildren<QLabel*>();
      ASSERT_GE(labels.size(), 2) << flag;  // name and help
      EXPECT_TRUE(is_shown(labels[0]->text(), field->option().label())) << flag;
      EXPECT_TRUE(is_shown(labels[1]->text(), field->option().help())) << flag;
      EXPECT_FALSE(field->editor().focusProxy()->accessibleName().isEmpty()) << flag;
      for (const options::Choice& choice : field->option().choices()) {
        EXPECT_TRUE(choice.help.empty() || is_shown(choice_help_text(field->option(), choice), choice.help))
            << choice.name;
        EXPECT_TRUE(field->toolTip().contains(value_text(choice.name))) << choice.name;
      }
      EXPECT_TRUE(field->toolTip().contains("--" + QString::fromStdString(flag))) << flag;
      EXPECT_TRUE(field->matches(QString::fromStdString(field->option().help()).section(' ', 0, 0)))
          << "found by English words too: " << flag;
      EXPECT_TRUE(field->matches(labels[0]->text().section(' ', 0, 0))) << flag;
    }
  }
}

TEST_F(LanguageTest, WhatIsWrongIsSaidInJapanese) {
  ASSERT_TRUE(choose_language("ja"));
  OptionForm form(v1::JobSettings::descriptor(), "settings", {}, nullptr);
  OptionField& field = *form.field("priority");
  auto* line = field.editor().findChild<QLineEdit*>();
  QTest::keyClicks(line, "1001");
  EXPECT_EQ(field.error(), "「1001」は指定できません。指定できるのは整数 (-1000 ～ 1000)です。");
}

// The help of a choice that sets other options contains their names as in the form.
TEST_F(LanguageTest, WhatAChoiceSetsIsNamedAsTheFormNamesIt) {
  const auto option = options::find_option(v1::BloomOptions::descriptor(), "preset");
  ASSERT_TRUE(option);
  for (const options::Choice& choice : option->choices())
    if (choice.name == "starburst") {
      EXPECT_EQ(choice_help_text(*option, choice),
                "Coloured stars around lamps. Sets Glare=aperture, Intensity=0.5, Blades=6.");
      ASSERT_TRUE(choose_language("ja"));
      EXPECT_TRUE(choice_help_text(*option, choice).contains("グレア=絞り"));
    }
}

TEST_F(LanguageTest, EnglishIsThereAgain) {
  ASSERT_TRUE(choose_language("ja"));
  EXPECT_EQ(title_of(JobColumn::kState), "状態");
  ASSERT_TRUE(choose_language("en"));
  EXPECT_EQ(title_of(JobColumn::kState), "State");
}

TEST_F(LanguageTest, IsChosenInTheMenuForTheNextStart) {
  QSettings().clear();
  EXPECT_EQ(stored_language(), "system");
  Fleet fleet;
  const auto entry = [](MainWindow& window, const QString& title) {
    const auto actions = window.findChildren<QAction*>();
    const auto found = std::find_if(actions.begin(), actions.end(),
                                    [&](const QAction* action) { return action->text() == title; });
    return found == actions.end() ? nullptr : *found;
  };
  for (const Language& language : languages()) {
    MainWindow window(fleet);
    QAction* action = entry(window, language.title);
    ASSERT_NE(action, nullptr) << qPrintable(language.title);
    action->trigger();
    EXPECT_EQ(stored_language(), language.name);
    EXPECT_TRUE(window.announcements().texts().join('|').contains(QString(language.title).remove('&')));
    MainWindow next(fleet);
    EXPECT_TRUE(entry(next, language.title)->isChecked());
    EXPECT_TRUE(choose_language(language.name)) << qPrintable(language.name);
    choose_language("en");
  }
  store_language("xx");  // a value that was edited by hand
  EXPECT_EQ(stored_language(), "system");
  QSettings().clear();
}

TEST_F(LanguageTest, AnUnknownLanguageIsRefused) {
  EXPECT_FALSE(choose_language("xx"));
  EXPECT_FALSE(choose_language(""));
  EXPECT_TRUE(choose_language("system"));
}

}  // namespace
}  // namespace weft::gui
