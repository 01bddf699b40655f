// SPDX-License-Identifier: Apache-2.0
// Tests that texts and outlines of every theme have the contrast that the Web Content Accessibility
// Guidelines require.
#include "client_gui/views/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QSpinBox>

#include <gmock/gmock.h>

#include "client_gui/forms/job_form.h"
#include "client_gui/models/servers_model.h"
#include "client_gui/views/contrast.h"
#include "client_gui/views/server_dialog.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

class ThemeTest : public ::testing::TestWithParam<Theme> {
 protected:
  ThemeTest() { apply_theme(GetParam()); }
  ~ThemeTest() override { apply_theme(Theme::kSystem); }
};

INSTANTIATE_TEST_SUITE_P(Themes, ThemeTest, ::testing::Values(Theme::kSystem, Theme::kLight, Theme::kDark),
                         [](const auto& each) { return name_of(each.param).toStdString(); });

struct Roles {
  QPalette::ColorRole text;
  std::vector<QPalette::ColorRole> grounds;
};

TEST_P(ThemeTest, EveryRoleOfTextIsReadable) {
  const Roles kRoles[] = {
      {QPalette::WindowText, {QPalette::Window}},
      {QPalette::Text, {QPalette::Base, QPalette::AlternateBase}},
      {QPalette::PlaceholderText, {QPalette::Base, QPalette::Window}},
      {QPalette::BrightText, {QPalette::Base, QPalette::Window}},
      {QPalette::ButtonText, {QPalette::Button}},
      {QPalette::ToolTipText, {QPalette::ToolTipBase}},
      {QPalette::HighlightedText, {QPalette::Highlight}},
      {QPalette::Link, {QPalette::Base}},
  };
  const QPalette palette = QApplication::palette();
  for (const Roles& each : kRoles) {
    if (each.text == QPalette::HighlightedText && GetParam() == Theme::kSystem)
      continue;  // the theme of the desktop
    for (const QPalette::ColorRole ground : each.grounds)
      EXPECT_GE(contrast(palette.color(each.text), palette.color(ground)), kTextContrast)
          << "role " << each.text << " on " << ground;
  }
  EXPECT_NE(palette.color(QPalette::BrightText), palette.color(QPalette::Text)) << "errors look like errors";
}

TEST_P(ThemeTest, WhatSaysAStateIsReadable) {
  const QPalette palette = QApplication::palette();
  for (const QPalette::ColorRole ground : {QPalette::Base, QPalette::AlternateBase, QPalette::Window}) {
    EXPECT_GE(contrast(alarm_colour(), palette.color(ground)), kTextContrast) << "on role " << ground;
    for (const v1::JobState state : job_states())
      EXPECT_GE(contrast(colour_of(state), palette.color(ground)), kLineContrast)
          << name_of(state).toStdString() << " on role " << ground;
  }
}

// Returns the contrast of painted pixels, not of the palette.
double painted_contrast(QWidget& widget) {
  const QImage picture = widget.grab().toImage();
  const QColor ground = picture.pixelColor(0, 0);
  double most = 1;
  for (int y = 0; y < picture.height(); y++)
    for (int x = 0; x < picture.width(); x++)
      most = std::max(most, contrast(picture.pixelColor(x, y), ground));
  return most;
}

TEST_P(ThemeTest, WhatIsWrongWithAnOptionIsReadable) {
  JobForm form;
  OptionField* field = nullptr;
  for (OptionField* each : form.settings().fields())
    if (field == nullptr && each->findChild<QLineEdit*>() != nullptr && !each->option().advanced())
      field = each;
  ASSERT_NE(field, nullptr);
  field->set_error("It is wrong.");
  form.show();
  for (QLabel* label : field->findChildren<QLabel*>())
    if (label->text() == "It is wrong.") {
      EXPECT_GE(
          contrast(label->palette().color(label->foregroundRole()), label->palette().color(QPalette::Window)),
          kTextContrast);
      EXPECT_GE(painted_contrast(*label), kTextContrast);
    }
}

TEST_P(ThemeTest, WhatIsWrongWithAServerIsReadable) {
  ServerDialog dialog({}, nullptr);
  dialog.setAttribute(Qt::WA_DeleteOnClose, false);
  dialog.findChild<QLineEdit*>("socket")->clear();
  dialog.show();
  dialog.accept();
  auto* wrong = dialog.findChild<QLabel*>("wrong");
  ASSERT_TRUE(wrong->isVisible());
  EXPECT_GE(
      contrast(wrong->palette().color(wrong->foregroundRole()), wrong->palette().color(QPalette::Window)),
      kTextContrast);
}

// Returns the contrast of a control's outline. The row of pixels through its middle crosses the
// outline, between the background of the window and that of the control.
double outline_contrast(QWidget& control) {
  QWidget window;
  control.setParent(&window);
  control.move(10, 10);
  control.resize(control.sizeHint());
  window.resize(control.size() + QSize(20, 20));
  window.show();
  const QImage picture = window.grab().toImage();
  const QColor ground = picture.pixelColor(2, 2);
  double most = 1;
  const int y = 10 + control.height() / 2;
  for (int x = 8; x < 10 + 6; x++) most = std::max(most, contrast(picture.pixelColor(x, y), ground));
  control.hide();
  control.setParent(nullptr);
  return most;
}

TEST(OutlineTest, UncheckedBoxesButtonsAndFieldsAreSeen) {
  for (const Theme theme : {Theme::kLight, Theme::kDark}) {
    apply_theme(theme);
    SCOPED_TRACE(name_of(theme).toStdString());
    QCheckBox box;
    EXPECT_GE(outline_contrast(box), kLineContrast) << "box";
    QRadioButton button;
    EXPECT_GE(outline_contrast(button), kLineContrast) << "radio button";
    QLineEdit line;
    EXPECT_GE(outline_contrast(line), kLineContrast) << "line";
    QComboBox choice;
    choice.addItem("      ");
    EXPECT_GE(outline_contrast(choice), kLineContrast) << "choice";
    QSpinBox number;
    EXPECT_GE(outline_contrast(number), kLineContrast) << "number";
    QPlainTextEdit text;
    EXPECT_GE(outline_contrast(text), kLineContrast) << "text";
  }
  apply_theme(Theme::kSystem);
}

}  // namespace
}  // namespace weft::gui
