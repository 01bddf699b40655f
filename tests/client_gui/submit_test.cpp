// SPDX-License-Identifier: Apache-2.0
// Tests the submission of jobs through the window, with a fake daemon.
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QTest>
#include <QUrl>
#include <filesystem>

#include <gmock/gmock.h>

#include "client/draft.h"
#include "client_gui/forms/chain_editor.h"
#include "client_gui/forms/job_form.h"
#include "client_gui/forms/profile_bar.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/submit_view.h"
#include "options/validate.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::HasSubstr;

class SubmitTest : public ::testing::Test {
 protected:
  SubmitTest() {
    for (const char* id : {"cpu", "cuda:0"}) {
      v1::DeviceStatus device;
      device.set_id(id);
      device.set_name("A device of a test");
      daemon_.add_device(device);
    }
    fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show();
    window_.show_view("submit");
    view().form().choose_kind("video");
    EXPECT_TRUE(wait_until([&] { return fleet_.is_settled(); }));
  }

  SubmitView& view() { return window_.submit(); }
  QPushButton& button() { return *view().findChild<QPushButton*>("submit"); }
  void drop(const QStringList& paths) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& path : paths) urls.push_back(QUrl::fromLocalFile(path));
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window_, &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent event(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window_, &event);
  }
  OptionField& field(const char* flag) {
    OptionField* option = view().form().options().field(flag);
    return *(option != nullptr ? option : view().form().settings().field(flag));
  }
  bool shows(const QString& text) {
    const auto labels = view().findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisible() && label->text().contains(text);
    });
  }
  void type(QLineEdit& line, const QString& text) {
    line.selectAll();
    QTest::keyClick(&line, Qt::Key_Backspace);
    QTest::keyClicks(&line, text);
  }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
};

TEST_F(SubmitTest, FilesThatAreDroppedBecomeJobs) {
  EXPECT_FALSE(button().isEnabled()) << "there is no file yet";
  window_.show_view("jobs");
  drop({"/media/a.ts", "/media/b.ts", "/media/a.ts"});
  EXPECT_TRUE(view().isVisible()) << "the window shows where they went";
  EXPECT_EQ(view().files().files(), QStringList({"/media/a.ts", "/media/b.ts"}));
  type(view().output(), "{dir}/{stem}.{encoder}.mkv");
  auto* encoder = field("encoder").editor().findChild<QComboBox*>();
  while (encoder->currentData().toString() != "ffv1") QTest::keyClick(encoder, Qt::Key_Down);
  type(*field("priority").editor().findChild<QLineEdit*>(), "12");
  QTest::mouseClick(&button(), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return shows("2 jobs are queued."); }));
  const auto jobs = daemon_.jobs();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[1].spec().video().input(), "/media/b.ts");
  EXPECT_EQ(jobs[1].spec().video().output(), "/media/b.ffv1.mkv");
  EXPECT_EQ(jobs[1].settings().priority(), 12);
  EXPECT_EQ(view().files().rowCount(), 0) << "what is queued is no longer to be added";
  EXPECT_FALSE(button().isEnabled());
}

TEST_F(SubmitTest, PathsAreTypedAndNumberedFilesJoined) {
  QLineEdit* path = nullptr;
  for (auto* line : view().findChildren<QLineEdit*>())
    if (line->accessibleName() == "File path") path = line;
  ASSERT_NE(path, nullptr);
  for (const char* name : {"/s/a.01.exr", "/s/a.02.exr", "/s/b.exr"}) {
    type(*path, name);
    QTest::keyClick(path, Qt::Key_Return);
  }
  EXPECT_EQ(path->text(), "");
  ASSERT_EQ(view().files().rowCount(), 3);
  view().table().selectAll();
  for (QAction* action : view().table().actions())
    if (action->objectName() == "join") action->trigger();
  EXPECT_EQ(view().files().files(), QStringList({"/s/a.##.exr", "/s/b.exr"}));
  view().table().selectRow(0);
  for (QAction* action : view().table().actions())
    if (action->objectName() == "remove") action->trigger();
  EXPECT_EQ(view().files().files(), QStringList({"/s/b.exr"}));
}

TEST_F(SubmitTest, TheServerIsAskedAsThingsChangeAndItsEstimateIsShown) {
  v1::DevicePrediction prediction;
  prediction.set_device("cuda:0");
  prediction.set_chosen(true);
  prediction.mutable_own()->set_seconds(90);
  prediction.set_summary("cuda:0: done in about 100 s: it is fast.");
  daemon_.predict({prediction});
  drop({"/media/a.ts", "/media/b.ts"});
  ASSERT_TRUE(wait_until([&] { return shows("2 of 2 files checked: 200 units in, 400 out"); }));
  EXPECT_TRUE(shows("Disk space: at most 2.0 MiB"));
  EXPECT_TRUE(shows("Processing time: 0:03:00"));
  EXPECT_FALSE(shows("not included"));
  EXPECT_TRUE(shows("cuda:0: done in about 100 s"));
  EXPECT_EQ(view().files().index(0, int(DraftColumn::kFound)).data().toString(), "mpeg2video 720x480");
  EXPECT_TRUE(daemon_.jobs().empty());
}

TEST_F(SubmitTest, TheEstimateSaysWhatItLeavesOut) {
  daemon_.on_submit([](const v1::SubmitJobRequest& request) {
    if (request.spec().video().input() != "/media/a.ts")
      return grpc::Status(grpc::StatusCode::NOT_FOUND, "There is no such file.");
    return grpc::Status::OK;
  });
  v1::DevicePrediction prediction;
  prediction.set_chosen(true);
  prediction.mutable_own()->set_seconds(90);
  daemon_.predict({prediction});
  drop({"/media/a.ts", "/media/b.ts", "/media/c.ts"});
  ASSERT_TRUE(wait_until([&] { return shows("Processing time: 0:01:30; 2 files not included"); }));
  EXPECT_TRUE(shows("free); 2 files not included"));
}

TEST_F(SubmitTest, ADeviceIsChosenAmongThoseOfTheServer) {
  auto* devices = field("device").editor().findChild<QComboBox*>();
  ASSERT_NE(devices, nullptr);
  ASSERT_TRUE(wait_until([&] { return devices->count() == 3; }));
  EXPECT_EQ(devices->itemText(2), "cuda:0: A device of a test");
  drop({"/media/a.ts"});
  QTest::keyClick(devices, Qt::Key_End);
  v1::DeviceStatus late;
  late.set_id("cuda:1");
  daemon_.add_device(late);
  ASSERT_TRUE(wait_until([&] { return devices->count() == 4; }));
  QTest::mouseClick(&button(), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return daemon_.jobs().size() == 1; }));
  EXPECT_EQ(daemon_.jobs()[0].settings().device(), "cuda:0") << "the choice stayed as the list grew";
}

TEST_F(SubmitTest, ATildeIsTheHomeFolder) {
  QLineEdit* path = nullptr;
  for (auto* line : view().findChildren<QLineEdit*>())
    if (line->accessibleName() == "File path") path = line;
  type(*path, "~/in.ts");
  QTest::keyClick(path, Qt::Key_Return);
  EXPECT_EQ(view().files().files(), QStringList(QDir::homePath() + "/in.ts"));
  type(view().output(), "~/out/{stem}.mkv");
  QTest::mouseClick(&button(), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return daemon_.jobs().size() == 1; }));
  EXPECT_EQ(daemon_.jobs()[0].spec().video().output(), QDir::homePath().toStdString() + "/out/in.mkv");
}

TEST_F(SubmitTest, AProfileThatIsChangedIsMarked) {
  const std::string home = testing::TempDir() + "/weft_gui_changed_profile";
  std::filesystem::remove_all(home);
  qputenv("XDG_CONFIG_HOME", home.c_str());
  const auto* mark = view().profiles().findChild<QLabel*>("changed");
  auto& priority = *field("priority").editor().findChild<QLineEdit*>();
  type(priority, "5");
  EXPECT_FALSE(mark->isVisible()) << "no profile is chosen";
  view().profiles().save("tapes");
  EXPECT_FALSE(mark->isVisible());
  type(priority, "7");
  EXPECT_TRUE(mark->isVisible());
  type(priority, "5");
  EXPECT_FALSE(mark->isVisible()) << "it is as it was";
  type(view().output(), "/elsewhere/{stem}.mkv");
  EXPECT_TRUE(mark->isVisible());
  auto& names = *view().profiles().findChild<QComboBox*>();
  names.setFocus();
  QTest::keyClick(&names, Qt::Key_Up);
  EXPECT_FALSE(mark->isVisible()) << "none is chosen";
  QTest::keyClick(&names, Qt::Key_Down);
  EXPECT_EQ(view().profiles().chosen(), "tapes");
  EXPECT_FALSE(mark->isVisible()) << "it was loaded again";
  qunsetenv("XDG_CONFIG_HOME");
}

TEST_F(SubmitTest, FieldsStayWhereTheyAreAsAnswersCome) {
  v1::DevicePrediction prediction;
  prediction.set_chosen(true);
  prediction.mutable_own()->set_seconds(90);
  prediction.set_summary("cuda:0: done in about 100 s: it is fast.");
  window_.resize(1400, 900);
  QCoreApplication::processEvents();
  const auto place = [&](QWidget& widget) { return widget.mapTo(&view(), QPoint(0, 0)).y(); };
  daemon_.predict({prediction});
  const int output = place(view().output()), press = place(button());
  drop({"/media/a.ts"});
  ASSERT_TRUE(wait_until([&] { return shows("cuda:0: done in about"); }));
  QCoreApplication::processEvents();
  EXPECT_EQ(place(view().output()), output);
  EXPECT_EQ(place(button()), press);
  OptionField& priority = field("priority");
  OptionField& next = field("device");
  const auto distance = [&] { return std::abs(place(next) - place(priority)); };
  const int before = distance(), height = priority.height();
  type(*priority.editor().findChild<QLineEdit*>(), "much");
  ASSERT_FALSE(priority.error().isEmpty());
  QCoreApplication::processEvents();
  EXPECT_EQ(priority.height(), height);
  EXPECT_EQ(distance(), before);
}

// The help is not cut off in a narrow window either.
TEST_F(SubmitTest, TheHelpOfAFieldIsNotCutOff) {
  for (const QSize size : {QSize(1400, 900), QSize(900, 600)}) {
    window_.resize(size);
    const auto* area = view().form().findChild<QScrollArea*>();
    EXPECT_TRUE(wait_until([&] { return area->widget()->width() <= area->viewport()->width(); }))
        << size.width();
    for (const QLabel* note : field("priority").findChildren<QLabel*>())
      EXPECT_GE(note->height(), note->heightForWidth(note->width())) << note->text().toStdString();
  }
}

TEST_F(SubmitTest, AfterAddingKeysGoToTheFiles) {
  drop({"/media/a.ts"});
  view().output().setFocus();
  QTest::mouseClick(&button(), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return shows("1 job is queued."); }));
  EXPECT_EQ(window_.focusWidget(), &view().table());
  QTest::keyClick(window_.focusWidget(), Qt::Key_1);
  EXPECT_TRUE(window_.jobs().isVisible()) << "a digit chooses a view, as anywhere";
}

TEST_F(SubmitTest, WhatTheServerFindsWrongLandsAtItsField) {
  daemon_.on_submit([](const v1::SubmitJobRequest& request) {
    if (request.spec().video().encoding().encoder() != v1::ENCODER_H264_NVENC) return grpc::Status::OK;
    return test::refuse(options::to_status({{"spec.video.encoding.encoder", "There is no such encoder here."},
                                            {"settings.device", "There is no such device."}}));
  });
  drop({"/media/a.ts"});
  auto* encoder = field("encoder").editor().findChild<QComboBox*>();
  while (encoder->currentData().toString() != "h264-nvenc") QTest::keyClick(encoder, Qt::Key_Down);
  ASSERT_TRUE(wait_until([&] { return field("encoder").error() == "There is no such encoder here."; }));
  EXPECT_EQ(field("device").error(), "There is no such device.");
  EXPECT_FALSE(button().isEnabled());
  QTest::keyClick(encoder, Qt::Key_Up);
  QTest::keyClick(field("device").editor().findChild<QComboBox*>(), Qt::Key_Down);
  EXPECT_TRUE(wait_until([&] { return button().isEnabled(); })) << "it is mended";
}

TEST_F(SubmitTest, AnOutputThatCannotBeIsSaidBesideIt) {
  drop({"/media/a.ts", "/media/b.ts"});
  type(view().output(), "/out/{stm}.mkv");
  ASSERT_TRUE(wait_until([&] { return shows("did you mean 'stem'?"); }));
  type(view().output(), "/out/one.mkv");
  ASSERT_TRUE(wait_until([&] { return shows("have the same output"); }));
  type(view().output(), "/out/{stem}.mkv");
  EXPECT_TRUE(wait_until([&] { return !shows("have the same output"); }));
}

TEST_F(SubmitTest, WhatIsRefusedStaysWithTheReason) {
  daemon_.on_submit([](const v1::SubmitJobRequest& request) {
    const bool bad = request.spec().video().input().ends_with("bad.ts");
    return bad ? test::refuse(invalid_argument("The file has no video stream.")) : grpc::Status::OK;
  });
  drop({"/media/good.ts", "/media/bad.ts", "/media/fine.ts"});
  ASSERT_TRUE(activate(window_));
  QTest::keyClick(&window_, Qt::Key_Return, Qt::ControlModifier);
  ASSERT_TRUE(wait_until([&] { return shows("2 jobs are queued, 1 was refused."); }));
  EXPECT_TRUE(shows("1 of 1 file cannot be used: The file has no video stream."));
  EXPECT_EQ(view().files().files(), QStringList({"/media/bad.ts"}));
  EXPECT_EQ(view().files().index(0, int(DraftColumn::kFound)).data().toString(),
            "The file has no video stream.");
  EXPECT_TRUE(button().isEnabled()) << "to be tried again";
}

TEST_F(SubmitTest, WrongOptionsAreNotSent) {
  drop({"/media/a.ts"});
  auto* line = field("priority").editor().findChild<QLineEdit*>();
  type(*line, "5000");
  EXPECT_FALSE(button().isEnabled());
  EXPECT_TRUE(shows("1 option is invalid."));
  EXPECT_THAT(field("priority").error().toStdString(),
              HasSubstr("Invalid value \"5000\": expected a whole number, -1000 to 1000."));
  type(*line, "50");
  EXPECT_TRUE(button().isEnabled());
  EXPECT_FALSE(shows("option is invalid")) << "it is mended";
}

TEST_F(SubmitTest, WhatWasSaidGoesWithTheNextChange) {
  drop({"/media/a.ts"});
  QTest::mouseClick(&button(), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return shows("1 job is queued."); }));
  drop({"/media/b.ts"});
  EXPECT_FALSE(shows("1 job is queued."));
}

TEST_F(SubmitTest, APlaceThatIsNoneSaysWhatIsOne) {
  type(*field("from").editor().findChild<QLineEdit*>(), "abc");
  EXPECT_EQ(field("from").error(),
            "Invalid value \"abc\": expected seconds, HH:MM:SS, or a frame number such as 120f.");
}

TEST_F(SubmitTest, OptionsOfFiltersAreFoundInTheChain) {
  ASSERT_TRUE(view().choose_kind("video"));
  auto& chain = dynamic_cast<ChainEditor&>(field("filters").editor());
  chain.add("qtgmc");
  chain.add("deband");
  ASSERT_TRUE(wait_until([&] { return chain.form(1).isVisible(); }));
  auto* search = view().form().findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
  type(*search, "sharpness");
  EXPECT_TRUE(chain.form(0).field("sharpness")->isVisible());
  EXPECT_FALSE(chain.form(0).field("tr1")->isVisible());
  EXPECT_FALSE(field("from").isVisible());
  type(*search, "deband");
  EXPECT_TRUE(chain.form(1).field("threshold")->isVisible())
      << "by the filter's name all of its options are found";
  type(*search, "no option is called so");
  EXPECT_TRUE(shows("No option matches."));
}

TEST_F(SubmitTest, AServerThatDoesNotAnswerDoesNotStopTheWindow) {
  daemon_.hold();
  drop({"/media/a.ts"});
  QTest::mouseClick(&button(), Qt::LeftButton);
  EXPECT_FALSE(button().isEnabled()) << "it is on its way";
  int turns = 0;
  ASSERT_TRUE(wait_until([&] { return ++turns == 20; })) << "the window lives";
  daemon_.release();
  ASSERT_TRUE(wait_until([&] { return shows("1 job is queued."); }));
}

TEST_F(SubmitTest, TexturesOfOneFolderAreOneJob) {
  daemon_.find_media(v1::MEDIA_KIND_TEXTURE);
  ASSERT_TRUE(view().choose_kind("upsample"));
  drop({"/a/x.dds", "/b/z.dds", "/a/y.dds"});
  EXPECT_EQ(button().text(), "Add the jobs");
  ASSERT_TRUE(wait_until([&] { return shows("3 of 3 files checked: 200 units in, 400 out"); }))
      << "two jobs, of 100 units each";
  EXPECT_FALSE(shows("not included")) << "each file is in an estimate";
  for (int row = 0; row < 3; row++)
    EXPECT_EQ(view().files().index(row, int(DraftColumn::kFound)).data().toString(), "mpeg2video 720x480");
  QTest::mouseClick(&button(), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return shows("2 jobs are queued."); }));
  const auto jobs = daemon_.jobs();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].spec().texture().input(), "/a/*");
  EXPECT_EQ(jobs[0].spec().texture().files_size(), 2);
  EXPECT_EQ(jobs[1].spec().texture().input(), "/b/z.dds");
  EXPECT_EQ(view().files().rowCount(), 0);
}

TEST_F(SubmitTest, AJobWithoutFilesIsAddedByItself) {
  ASSERT_TRUE(view().choose_kind("bench"));
  EXPECT_FALSE(view().table().isVisible());
  EXPECT_FALSE(view().output().isVisible());
  EXPECT_EQ(button().text(), "Add the job");
  ASSERT_TRUE(button().isEnabled());
  QTest::mouseClick(&button(), Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return shows("1 job is queued."); }));
  ASSERT_EQ(daemon_.jobs().size(), 1u);
  EXPECT_TRUE(daemon_.jobs()[0].spec().has_benchmark());
}

TEST_F(SubmitTest, NoServerIsSaid) {
  daemon_.stop();
  drop({"/media/a.ts"});
  ASSERT_TRUE(wait_until([&] { return shows("No daemon answers"); }));
  EXPECT_EQ(view().files().rowCount(), 1);
}

}  // namespace
}  // namespace weft::gui
