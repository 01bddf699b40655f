// SPDX-License-Identifier: Apache-2.0
// Tests the wheel over controls, and files dropped on text fields.
#include "client_gui/views/window_input.h"

#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QUrl>
#include <QWheelEvent>

#include <gtest/gtest.h>

#include "client_gui/forms/chain_editor.h"
#include "client_gui/forms/job_form.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/submit_view.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

class WindowInputTest : public ::testing::Test {
 protected:
  WindowInputTest() {
    fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.resize(1000, 500);  // smaller than the forms
    window_.show();
    window_.activateWindow();
    window_.show_view("submit");
    view().choose_kind("video");
    EXPECT_TRUE(wait_until([&] { return fleet_.is_settled(); }));
  }

  SubmitView& view() { return window_.submit(); }
  QWidget& editor(const char* flag) {
    OptionField* field = view().form().options().field(flag);
    if (field == nullptr) field = view().form().settings().field(flag);
    return *field->editor().focusProxy();
  }

  // Turns the wheel one notch towards the user.
  static void roll(QWidget& widget) {
    const QPointF at = QRectF(widget.rect()).center();
    QWheelEvent wheel(at, widget.mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&wheel);
    qApp->notify(&widget, &wheel);
  }

  // Returns true if the widget under the pointer or a parent accepts the drag.
  static bool drop(QWidget& widget, const QMimeData& data) {
    QDragEnterEvent enter({5, 5}, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &enter);
    if (!enter.isAccepted()) return false;
    QDragMoveEvent move({5, 5}, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &move);
    QDropEvent event({5, 5}, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
    event.setDropAction(Qt::MoveAction);
    QCoreApplication::sendEvent(&widget, &event);
    EXPECT_TRUE(event.isAccepted());
    EXPECT_TRUE(event.dropAction() == Qt::CopyAction || !WindowInput::has_files(data)) << "the files stay";
    return true;
  }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
};

TEST_F(WindowInputTest, TheWheelScrollsTheFormAndChangesNoChoice) {
  auto& decoder = dynamic_cast<QComboBox&>(editor("decoder"));
  const auto* area = view().form().findChild<QScrollArea*>();
  ASSERT_GT(area->verticalScrollBar()->maximum(), 0);
  view().table().setFocus();
  roll(decoder);
  EXPECT_EQ(decoder.currentIndex(), 0);
  EXPECT_FALSE(decoder.hasFocus());
  EXPECT_GT(area->verticalScrollBar()->value(), 0);
}

TEST_F(WindowInputTest, TheWheelChangesAChoiceThatHasTheFocus) {
  auto& decoder = dynamic_cast<QComboBox&>(editor("decoder"));
  decoder.setFocus();
  ASSERT_TRUE(wait_until([&] { return decoder.hasFocus(); }));
  roll(decoder);
  EXPECT_EQ(decoder.currentIndex(), 1);
}

// The test covers controls of every view, including forms that are made later.
TEST_F(WindowInputTest, NoChoiceOfTheWindowIsChangedByThePointerAlone) {
  dynamic_cast<ChainEditor&>(view().form().options().field("filters")->editor()).add("qtgmc");
  int seen = 0;
  for (const QString& name : window_.views()) {
    window_.show_view(name);
    ASSERT_TRUE(wait_until([&] { return window_.is_settled(); }));
    for (QComboBox* box : window_.findChildren<QComboBox*>()) {
      if (!box->isVisible() || !box->isEnabled() || box->count() < 2) continue;
      window_.jobs().table().setFocus();
      const int before = box->currentIndex();
      roll(*box);
      EXPECT_EQ(box->currentIndex(), before) << box->accessibleName().toStdString();
      seen++;
    }
  }
  EXPECT_GT(seen, 10);
}

TEST_F(WindowInputTest, FilesAreAddedWhereverTheyAreDropped) {
  QMimeData files;
  files.setUrls({QUrl::fromLocalFile("/media/a b.ts")});
  auto& lines = dynamic_cast<QPlainTextEdit&>(editor("label"));
  auto& line = dynamic_cast<QLineEdit&>(editor("priority"));
  QLineEdit& search = *window_.jobs().findChild<QLineEdit*>();
  for (QWidget* widget :
       std::initializer_list<QWidget*>{lines.viewport(), &line, &search, &view().output()}) {
    window_.show_view(widget == &search ? "jobs" : "submit");
    const QString output = view().output().text();
    EXPECT_TRUE(drop(*widget, files));
    EXPECT_EQ(view().files().files(), QStringList("/media/a b.ts"));
    EXPECT_EQ(lines.toPlainText() + line.text() + search.text(), "");
    EXPECT_EQ(view().output().text(), output);
    EXPECT_TRUE(view().isVisible()) << "the window shows where they went";
    view().files().remove_files({0});
  }
}

TEST_F(WindowInputTest, TextThatIsDroppedIsText) {
  QMimeData text;
  text.setText("reel=7");
  auto& lines = dynamic_cast<QPlainTextEdit&>(editor("label"));
  EXPECT_TRUE(drop(*lines.viewport(), text));
  EXPECT_EQ(lines.toPlainText(), "reel=7");
  EXPECT_TRUE(view().files().files().isEmpty());
}

}  // namespace
}  // namespace weft::gui
