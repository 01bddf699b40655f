// SPDX-License-Identifier: Apache-2.0
// long file: all tests share a window with a fake daemon.
// Tests the comparison of a job's input and output with a fake daemon: fetching, stepping, wipe,
// zoom.
#include "client_gui/views/compare_view.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <gmock/gmock.h>

#include "client_gui/pictures/texture_views.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::HasSubstr;

constexpr int kWidth = 64, kHeight = 48;
constexpr int64_t kOutputs = 20;  // two pictures per input frame

// Returns a picture. An input frame has its number in the top field and 100 more in the bottom
// field; an output picture has 200 more than its number.
grpc::Status show(const v1::ReadPictureRequest& request, test::FakePicture& picture) {
  const bool is_input = request.side() == v1::PICTURE_SIDE_INPUT;
  if (request.index() >= (is_input ? kOutputs / 2 : kOutputs))
    return test::refuse(out_of_range("The file has no picture {}.", request.index()));
  picture.description.set_samples(v1::PICTURE_SAMPLES_BYTE);
  picture.description.set_width(kWidth);
  picture.description.set_height(kHeight);
  picture.description.set_interlaced(is_input);
  picture.description.set_top_field_first(is_input);
  picture.description.set_pictures(is_input ? kOutputs / 2 : kOutputs);
  for (int y = 0; y < kHeight; y++)
    picture.samples.append(kWidth * 3, char(request.index() + (is_input ? y % 2 * 100 : 200)));
  return grpc::Status::OK;
}

// Returns a picture of linear light: 0.25 of the input, 0.5 of the output.
grpc::Status show_light(const v1::ReadPictureRequest& request, test::FakePicture& picture) {
  picture.description.set_samples(v1::PICTURE_SAMPLES_FLOAT);
  picture.description.set_width(kWidth);
  picture.description.set_height(kHeight);
  picture.description.set_pictures(1);
  const std::vector<float> samples(kWidth * kHeight * 3,
                                   request.side() == v1::PICTURE_SIDE_INPUT ? 0.25f : 0.5f);
  picture.samples.assign(reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(float));
  return grpc::Status::OK;
}

class CompareViewTest : public ::testing::Test {
 protected:
  CompareViewTest() {
    daemon_.on_picture(show);
    add_job(v1::JOB_STATE_SUCCEEDED, kOutputs / 2, kOutputs);
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show();
    window_.activateWindow();
  }
  std::string add_job(v1::JobState state, int64_t in = 0, int64_t out = 0) {
    v1::Job job;
    job.mutable_spec()->mutable_video()->set_input("/media/in.ts");
    job.mutable_spec()->mutable_video()->set_output("/media/out.mkv");
    job.set_state(state);
    job.mutable_result()->set_units_in(in);
    job.mutable_result()->set_units_out(out);
    return daemon_.add(job);
  }
  CompareView& view() { return window_.compare(); }
  PictureCanvas& canvas() { return view().canvas(); }
  Comparison& comparison() { return view().comparison(); }
  // Shows the window and waits until the first pictures are displayed.
  bool open() {
    window_.show_view("compare");
    canvas().setFocus();
    return wait_until([&] { return comparison().job() && comparison().is_settled(); });
  }
  bool wait_for(int64_t index) {
    return wait_until([&] { return comparison().index() == index && comparison().is_settled(); });
  }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(&canvas(), key, modifiers);
  }
  QColor colour(double across, double down) {
    const QImage image = canvas().grab().toImage();
    return image.pixelColor(int(image.width() * across), int(image.height() * down));
  }
  std::string said() {
    for (QLabel* label : view().findChildren<QLabel*>())
      if (label->accessibleName() == "Compared pictures") return label->text().toStdString();
    return "";
  }
  template <class Widget>
  Widget& named(const QString& name) {
    for (Widget* each : view().findChildren<Widget*>())
      if (each->accessibleName() == name) return *each;
    throw std::runtime_error("no " + name.toStdString());
  }
  QToolButton& named_button(const QString& action) {
    for (QToolButton* each : view().findChildren<QToolButton*>())
      if (each->defaultAction() != nullptr && each->defaultAction()->objectName() == action) return *each;
    throw std::runtime_error("no button of " + action.toStdString());
  }
  int64_t asked(v1::PictureSide side, int64_t index) {
    const auto requests = daemon_.picture_requests();
    return std::count_if(requests.begin(), requests.end(),
                         [&](const auto& each) { return each.side() == side && each.index() == index; });
  }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
};

TEST_F(CompareViewTest, TheWipeHasTheInputLeftAndTheOutputRight) {
  ASSERT_TRUE(open()) << "the job that has an output is chosen by itself";
  EXPECT_EQ(colour(0.75, 0.5), QColor(200, 200, 200));
  const int left = colour(0.25, 0.5).red();
  EXPECT_TRUE(left == 0 || left == 100) << left;
  const QPoint handle(canvas().width() / 2, 30);
  QTest::mousePress(&canvas(), Qt::LeftButton, {}, handle);
  QTest::mouseMove(&canvas(), QPoint(canvas().width() * 9 / 10, 30));
  QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, QPoint(canvas().width() * 9 / 10, 30));
  EXPECT_NEAR(canvas().wipe(), 0.9, 0.01);
  EXPECT_NE(colour(0.75, 0.5), QColor(200, 200, 200));
  EXPECT_THAT(said(), HasSubstr("in.ts -> out.mkv"));
}

TEST_F(CompareViewTest, KeysStepByPicturesOfTheOutput) {
  ASSERT_TRUE(open());
  press(Qt::Key_Right);
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(comparison().input_index(1), 0);
  EXPECT_THAT(said(), HasSubstr("output frame 1 = input frame 0, field 2"));
  press(Qt::Key_Right, Qt::ShiftModifier);
  ASSERT_TRUE(wait_for(11));
  EXPECT_THAT(said(), HasSubstr("input frame 5, field 2"));
  EXPECT_EQ(colour(0.75, 0.5).red(), 211);
  press(Qt::Key_End);
  ASSERT_TRUE(wait_for(19));
  press(Qt::Key_Right);
  EXPECT_EQ(comparison().index(), 19) << "there is none behind the last";
  press(Qt::Key_Left);
  ASSERT_TRUE(wait_for(18));
  press(Qt::Key_Home);
  ASSERT_TRUE(wait_for(0));
  auto& number = named<QSpinBox>("Picture number in the output (first is 0)");
  number.setFocus();
  number.selectAll();
  QTest::keyClicks(&number, "15");
  QTest::keyClick(&number, Qt::Key_Return);
  ASSERT_TRUE(wait_for(15));
  EXPECT_EQ(colour(0.75, 0.5).red(), 215);
}

TEST_F(CompareViewTest, WhatComesNextIsFetchedBeforeItIsAskedFor) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(daemon_.wait_for([&] { return daemon_.picture_requests().size() >= 3; }));
  EXPECT_EQ(asked(v1::PICTURE_SIDE_OUTPUT, 1), 1);
  EXPECT_EQ(asked(v1::PICTURE_SIDE_INPUT, 0), 1) << "one frame of the input serves two pictures";
}

// If keys arrive faster than pictures, the pictures in between are not fetched.
TEST_F(CompareViewTest, OnlyTheNewestIsFetched) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(daemon_.wait_for([&] { return asked(v1::PICTURE_SIDE_OUTPUT, 1) == 1; }));
  daemon_.hold();
  for (int i = 0; i < 12; i++) press(Qt::Key_Right);
  EXPECT_EQ(comparison().index(), 12);
  EXPECT_THAT(said(), HasSubstr("(loading)"));
  daemon_.release();
  ASSERT_TRUE(wait_for(12));
  int64_t passed = 0;
  for (int64_t index = 2; index < 12; index++) passed += asked(v1::PICTURE_SIDE_OUTPUT, index);
  EXPECT_LE(passed, 1);
  EXPECT_EQ(colour(0.75, 0.5).red(), 212);
}

TEST_F(CompareViewTest, FieldsOfTheInputAreSeenAlone) {
  ASSERT_TRUE(open());
  auto& fields = named<QComboBox>("Fields of interlaced pictures");
  ASSERT_TRUE(fields.isVisible());
  const auto shown = [&] {
    const QImage image = canvas().grab().toImage();
    std::set<int> lines;
    for (int y = image.height() / 3; y < image.height() / 3 * 2; y++)
      lines.insert(image.pixelColor(image.width() / 4, y).red());
    return lines;
  };
  press(Qt::Key_Plus);  // above 100%, without interpolation
  EXPECT_EQ(shown(), (std::set<int>{0, 100}));
  press(Qt::Key_I);
  EXPECT_EQ(shown(), (std::set<int>{0})) << "the first picture is the first field's, the top one";
  press(Qt::Key_Right);
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(shown(), (std::set<int>{100}));
  press(Qt::Key_I);
  EXPECT_EQ(fields.currentText(), "Top field");
  EXPECT_EQ(shown(), (std::set<int>{0}));
  press(Qt::Key_I);
  EXPECT_EQ(shown(), (std::set<int>{100}));
}

TEST_F(CompareViewTest, TheDifferenceHasAGain) {
  ASSERT_TRUE(open());
  press(Qt::Key_Right);
  ASSERT_TRUE(wait_for(1));
  press(Qt::Key_I);
  auto& gain = named<QSlider>("Gain of the difference");
  EXPECT_FALSE(gain.isVisible());
  press(Qt::Key_D);
  ASSERT_TRUE(gain.isVisible());
  gain.setValue(0);
  EXPECT_EQ(colour(0.5, 0.5).red(), 101) << "201 in the output, 100 in the bottom field";
  press(Qt::Key_BracketRight);
  EXPECT_EQ(colour(0.5, 0.5).red(), 202);
  press(Qt::Key_BracketRight);
  EXPECT_EQ(colour(0.5, 0.5).red(), 255);
  press(Qt::Key_BracketLeft);
  EXPECT_EQ(colour(0.5, 0.5).red(), 202);
}

TEST_F(CompareViewTest, FlickersByItselfAndByHand) {
  ASSERT_TRUE(open());
  press(Qt::Key_F);
  const bool first = canvas().shows_after();
  EXPECT_TRUE(wait_until([&] { return canvas().shows_after() != first; }));
  press(Qt::Key_Space);
  const bool now = canvas().shows_after();
  EXPECT_EQ(colour(0.5, 0.5).red() == 200, now);
  press(Qt::Key_Space);
  EXPECT_EQ(canvas().shows_after(), !now);
  press(Qt::Key_S);
  EXPECT_EQ(colour(0.75, 0.5).red(), 200);
  EXPECT_NE(colour(0.25, 0.5).red(), 200);
}

TEST_F(CompareViewTest, ZoomsAroundThePointerAndShowsPixels) {
  ASSERT_TRUE(open());
  press(Qt::Key_1, Qt::ControlModifier);
  EXPECT_EQ(canvas().zoom(), 1);
  // Each line is displayed at its own size.
  const QImage image = canvas().grab().toImage();
  const int x = image.width() / 2 - kWidth / 4, top = image.height() / 2 - kHeight / 2;
  for (int y = 2; y < kHeight - 2; y++)
    EXPECT_EQ(image.pixelColor(x, top + y).red(), y % 2 == 0 ? 0 : 100) << y;
  std::optional<QPoint> pixel;
  QObject::connect(&canvas(), &PictureCanvas::pointed_at,
                   [&](const std::optional<QPoint>& at) { pixel = at; });
  const QPoint point(image.width() / 2 + 10, image.height() / 2 + 5);
  QTest::mouseMove(&canvas(), point);
  ASSERT_TRUE(pixel);
  const QPoint before = *pixel;
  QWheelEvent wheel(point, canvas().mapToGlobal(point), {}, QPoint(0, 3 * 120), Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(&canvas(), &wheel);
  EXPECT_NEAR(canvas().zoom(), 1.25 * 1.25 * 1.25, 1e-9);
  QTest::mouseMove(&canvas(), point + QPoint(1, 0));
  ASSERT_TRUE(pixel);
  EXPECT_LE((*pixel - before).manhattanLength(), 2);
  QTest::mousePress(&canvas(), Qt::LeftButton, {}, point);
  QTest::mouseMove(&canvas(), point + QPoint(-20, 0));
  EXPECT_LE((*pixel - before).manhattanLength(), 2) << "the picture goes with the pointer";
  QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, point + QPoint(-20, 0));
  press(Qt::Key_0, Qt::ControlModifier);
  EXPECT_GT(canvas().zoom(), 4) << "it fits the window";
}

TEST_F(CompareViewTest, APartsPicturesStandBesideTheFramesTheyAreMadeOf) {
  ASSERT_TRUE(open());
  v1::Job part;
  part.mutable_spec()->mutable_video()->set_input("/media/in.ts");
  part.mutable_spec()->mutable_video()->set_output("/media/part.mkv");
  part.set_state(v1::JOB_STATE_SUCCEEDED);
  part.mutable_result()->set_first_frame(100);
  part.mutable_result()->set_units_in(kOutputs / 2);
  part.mutable_result()->set_units_out(kOutputs);
  const QString id = QString::fromStdString(daemon_.add(part));
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 2; }));
  view().choose(fleet_.jobs().job_at(fleet_.jobs().row_of(server_, id)));
  ASSERT_TRUE(wait_for(0));
  EXPECT_EQ(comparison().input_index(0), 100);
  EXPECT_EQ(comparison().input_index(5), 102);
  EXPECT_EQ(comparison().index_in_input(), 0);
}

// Returns a picture of DV with a pixel aspect ratio of 16:11.
grpc::Status show_wide(const v1::ReadPictureRequest& request, test::FakePicture& picture) {
  picture.description.set_pixel_aspect(16.0 / 11);
  return show(request, picture);
}

TEST_F(CompareViewTest, PixelsHaveTheShapeThatTheFileGivesThem) {
  ASSERT_TRUE(open());
  auto& button = named_button("square-pixels");
  EXPECT_FALSE(button.isVisible()) << "they are square";
  daemon_.on_picture(show_wide);
  add_job(v1::JOB_STATE_SUCCEEDED, kOutputs / 2, kOutputs);
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 2; }));
  view().choose(fleet_.jobs().job_at(fleet_.jobs().job_at(0).job.id == comparison().job()->job.id ? 1 : 0));
  ASSERT_TRUE(wait_until([&] { return button.isVisible() && comparison().is_settled(); }));
  press(Qt::Key_1, Qt::ControlModifier);
  EXPECT_EQ(canvas().zoom(), 1) << "of lines";
  // The point is to the right of the wipe's edge in the middle, away from its grip.
  const auto half_width = [&] {
    const QImage image = canvas().grab().toImage();
    int width = 0;
    for (int x = image.width() / 2 + 4; x < image.width(); x++)
      width += image.pixelColor(x, image.height() / 2 + kHeight / 2 - 4).red() == 200 ? 1 : 0;
    return width + 4;
  };
  EXPECT_NEAR(half_width(), kWidth * 16.0 / 11 / 2, 1);
  std::optional<QPoint> pixel;
  QObject::connect(&canvas(), &PictureCanvas::pointed_at,
                   [&](const std::optional<QPoint>& at) { pixel = at; });
  QTest::mouseMove(&canvas(), QPoint(canvas().width() / 2 + 45, canvas().height() / 2));
  ASSERT_TRUE(pixel);
  EXPECT_NEAR(pixel->x(), kWidth / 2 + 45 * 11 / 16, 1);
  press(Qt::Key_A);
  EXPECT_NEAR(half_width(), kWidth / 2, 1);
  press(Qt::Key_A);
  EXPECT_NEAR(half_width(), kWidth * 16.0 / 11 / 2, 1);
}

TEST_F(CompareViewTest, LightHasAnExposure) {
  ASSERT_TRUE(open());
  auto& exposure = named<QSlider>("Exposure");
  EXPECT_FALSE(exposure.isVisible());
  daemon_.on_picture(show_light);
  add_job(v1::JOB_STATE_SUCCEEDED, 1, 1);
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 2; }));
  const QString first = comparison().job()->job.id;
  const int row = fleet_.jobs().job_at(0).job.id == first ? 1 : 0;
  view().choose(fleet_.jobs().job_at(row));
  ASSERT_TRUE(wait_until([&] { return comparison().is_settled(); }));
  ASSERT_TRUE(exposure.isVisible());
  EXPECT_EQ(colour(0.25, 0.5).red(), 137);
  EXPECT_EQ(colour(0.75, 0.5).red(), 188);
  press(Qt::Key_Period);
  EXPECT_EQ(colour(0.25, 0.5).red(), 188) << "one stop more";
  EXPECT_EQ(colour(0.75, 0.5).red(), 255);
}

TEST_F(CompareViewTest, AChosenJobIsComparedAndSaysWhatIsMissing) {
  daemon_.on_picture([](const v1::ReadPictureRequest& request, test::FakePicture& picture) {
    if (request.side() == v1::PICTURE_SIDE_OUTPUT)
      return test::refuse(failed_precondition("The job has no output yet."));
    return show(request, picture);
  });
  const std::string id = add_job(v1::JOB_STATE_RUNNING);
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 2; }));
  QTableView& table = window_.jobs().table();
  table.selectRow(fleet_.jobs().row_of(server_, QString::fromStdString(id)));
  table.setFocus();
  QTest::keyClick(&table, Qt::Key_Return);
  ASSERT_TRUE(view().isVisible());
  ASSERT_TRUE(wait_until([&] { return comparison().is_settled(); }));
  EXPECT_EQ(comparison().job()->job.id.toStdString(), id);
  EXPECT_TRUE(comparison().before().picture);
  EXPECT_EQ(comparison().after().error, "The job has no output yet.");
  EXPECT_EQ(comparison().pictures(), kOutputs / 2) << "as far as is known";
  // The output is displayed as soon as it exists.
  daemon_.on_picture(show);
  daemon_.change(id, [](v1::Job& job) { job.set_state(v1::JOB_STATE_SUCCEEDED); });
  EXPECT_TRUE(wait_until([&] { return comparison().after().picture != nullptr; }));
}

TEST_F(CompareViewTest, AServerThatComesBackIsAskedAgain) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(daemon_.wait_for([&] { return asked(v1::PICTURE_SIDE_OUTPUT, 1) == 1; }));
  daemon_.stop();
  ASSERT_TRUE(wait_until([&] { return fleet_.link(server_).state == LinkState::kOffline; }));
  press(Qt::Key_End);
  ASSERT_TRUE(wait_for(19));
  EXPECT_FALSE(comparison().after().picture);
  EXPECT_THAT(comparison().after().error.toStdString(), HasSubstr("No daemon answers"));
  daemon_.start();
  fleet_.retry_now(server_);
  EXPECT_TRUE(wait_until([&] { return comparison().after().picture != nullptr; }));
  fleet_.remove(server_);
  EXPECT_FALSE(comparison().job());
  EXPECT_THAT(said(), HasSubstr("No job selected"));
}

// Three textures with outputs of twice the size, in blocks of mode 5 and one of mode 1. Normals
// point up, except on a slope to the right.
constexpr int kTextures = 3;
grpc::Status show_texture(const v1::ReadPictureRequest& request, test::FakePicture& picture) {
  const bool is_small = request.longest_side() > 0, is_input = request.side() == v1::PICTURE_SIDE_INPUT;
  const int side = is_small ? 8 : is_input ? 16 : 32;
  picture.description.set_samples(v1::PICTURE_SAMPLES_BYTE);
  picture.description.set_width(side);
  picture.description.set_height(side);
  picture.description.set_pictures(kTextures);
  picture.description.set_file(fmt::format("/t/{}.dds", request.index()));
  for (int pixel = 0; pixel < side * side; pixel++)
    picture.samples += pixel % side < side / 2 ? std::string({127, 127, char(255)})
                                               : std::string({char(220), 127, char(217)});
  picture.description.set_has_block_modes(!is_small);
  if (!is_small) picture.samples += std::string(1, '\1') + std::string(size_t(side * side / 16) - 1, '\5');
  return grpc::Status::OK;
}

class CompareTexturesTest : public CompareViewTest {
 protected:
  CompareTexturesTest() {
    daemon_.on_picture(show_texture);
    v1::Job job;
    job.mutable_spec()->mutable_texture()->set_input("/t/*.dds");
    job.mutable_spec()->mutable_texture()->set_output("/o/*.dds");
    job.set_state(v1::JOB_STATE_SUCCEEDED);
    job.mutable_result()->set_units_in(4096);
    job.mutable_result()->set_units_out(4096);
    const std::string id = daemon_.add(job);
    window_.show_view("compare");
    canvas().setFocus();
    EXPECT_TRUE(wait_until([&] {
      const int row = fleet_.jobs().row_of(server_, QString::fromStdString(id));
      if (row >= 0) view().choose(fleet_.jobs().job_at(row));
      return row >= 0;
    }));
    EXPECT_TRUE(
        wait_until([&] { return comparison().is_settled() && comparison().pictures() == kTextures; }));
  }
};

TEST_F(CompareTexturesTest, EachFileHasASmallPicture) {
  auto& strip = named<QListWidget>("Files of the job");
  EXPECT_TRUE(strip.isVisible());
  ASSERT_EQ(strip.count(), kTextures);
  EXPECT_TRUE(wait_until([&] { return strip.item(2)->text() == "2.dds"; }));
  strip.setCurrentRow(2);
  ASSERT_TRUE(wait_for(2));
  EXPECT_GT(asked(v1::PICTURE_SIDE_INPUT, 2), 0);
  press(Qt::Key_Left);
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(strip.currentRow(), 1);
  // Each thumbnail is requested once.
  const auto requests = daemon_.picture_requests();
  EXPECT_EQ(std::count_if(requests.begin(), requests.end(),
                          [](const auto& each) { return each.longest_side() > 0; }),
            kTextures);
}

TEST_F(CompareTexturesTest, ModesLieOverTheBlocks) {
  canvas().set_mode(CompareMode::kSideBySide);
  press(Qt::Key_S);
  const QColor before = colour(0.9, 0.5);
  EXPECT_TRUE(named_button("block-modes").isVisible());
  press(Qt::Key_B);
  const QColor after = colour(0.9, 0.5);
  EXPECT_NE(before, after);
  const QColor mode = colour_of_mode(5);
  EXPECT_NEAR(after.red(), (before.red() + mode.red()) / 2, 2);
  EXPECT_NEAR(after.blue(), (before.blue() + mode.blue()) / 2, 2);
  press(Qt::Key_B);
  EXPECT_EQ(colour(0.9, 0.5), before);
}

TEST_F(CompareTexturesTest, TheLightFollowsThePointer) {
  press(Qt::Key_L);
  press(Qt::Key_F);  // displays one picture at a time
  press(Qt::Key_Space);
  const auto lit_from = [&](double across) {
    QTest::mouseMove(&canvas(), QPoint(int(canvas().width() * across), canvas().height() / 2));
    QCoreApplication::processEvents();
    return std::pair(colour(0.45, 0.5).red(), colour(0.55, 0.5).red());
  };
  const auto [near_left, slope_left] = lit_from(0.35);
  const auto [near_right, slope_right] = lit_from(0.65);
  EXPECT_GT(slope_right, slope_left + 20) << "the slope looks to the right";
  EXPECT_LT(near_right, near_left) << "what points up is lit most from above it";
}

TEST(TextureLooks, ALightAboveShinesOnNormalsThatPointAtIt) {
  Picture picture;
  picture.width = 2;
  picture.height = 1;
  // x and y only, as in BC5: a normal that points up, and one that points to the right.
  picture.bytes = {127, 127, 0, char(250), 127, 0};
  const QImage left = lit_normals(picture, {0.0, 0.5}), right = lit_normals(picture, {1.0, 0.5});
  EXPECT_GT(qRed(left.pixel(0, 0)), 150);
  EXPECT_LT(qRed(left.pixel(1, 0)), 60);
  EXPECT_EQ(with_modes(left, picture), left);
  picture.block_modes = std::string(1, '\6');
  EXPECT_EQ(mode_at(picture, 1, 0), 6);
  EXPECT_NE(with_modes(left, picture), left);
}

}  // namespace
}  // namespace weft::gui
