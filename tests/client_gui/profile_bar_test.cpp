// SPDX-License-Identifier: Apache-2.0
// Tests that the profile bar saves, renames, loads and deletes profiles.
#include "client_gui/forms/profile_bar.h"

#include <QComboBox>
#include <QInputDialog>
#include <QMessageBox>
#include <QTest>
#include <filesystem>

#include <gmock/gmock.h>

#include "client/profiles.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::HasSubstr;

class ProfileBarTest : public ::testing::Test {
 protected:
  ProfileBarTest() {
    std::filesystem::remove_all(home_);
    qputenv("XDG_CONFIG_HOME", home_.c_str());
    QObject::connect(&bar_, &ProfileBar::loaded,
                     [this](const v1::SubmitJobRequest& profile) { loaded_ = profile; });
    QObject::connect(&bar_, &ProfileBar::said, [this](const QString& text) { said_ = text.toStdString(); });
  }
  ~ProfileBarTest() override { qunsetenv("XDG_CONFIG_HOME"); }

  void answer(const QString& name) {
    auto* dialog = bar_.findChild<QInputDialog*>();
    ASSERT_NE(dialog, nullptr) << "nothing is asked";
    dialog->setTextValue(name);
    dialog->accept();
    ASSERT_TRUE(wait_until([&] { return bar_.findChild<QInputDialog*>() == nullptr; }));
  }

  const std::string home_ = testing::TempDir() + "/weft_gui_profiles";
  v1::SubmitJobRequest current_, loaded_;
  std::string said_;
  ProfileBar bar_{[this] { return current_; }, nullptr};
};

TEST_F(ProfileBarTest, SavesRenamesLoadsAndDeletes) {
  EXPECT_FALSE(bar_.action("save")->isEnabled()) << "under which name?";
  current_.mutable_settings()->set_priority(5);
  bar_.action("save-as")->trigger();
  answer("tapes");
  EXPECT_EQ(bar_.chosen(), "tapes");
  current_.mutable_settings()->set_priority(6);
  bar_.action("save")->trigger();
  EXPECT_EQ(client::read_profile("tapes")->settings().priority(), 6);
  bar_.action("rename")->trigger();
  answer("old tapes");
  EXPECT_EQ(bar_.chosen(), "old tapes");
  auto* names = bar_.findChild<QComboBox*>();
  names->setFocus();
  QTest::keyClick(names, Qt::Key_Up);
  EXPECT_EQ(bar_.chosen(), "");
  QTest::keyClick(names, Qt::Key_Down);
  EXPECT_EQ(bar_.chosen(), "old tapes");
  EXPECT_EQ(loaded_.settings().priority(), 6);
  bar_.action("delete")->trigger();
  auto* box = bar_.findChild<QMessageBox*>();
  ASSERT_NE(box, nullptr);
  QTest::mouseClick(box->button(QMessageBox::Yes), Qt::LeftButton);
  EXPECT_EQ(bar_.chosen(), "");
  EXPECT_TRUE(client::profile_names().empty());
}

TEST_F(ProfileBarTest, SaysWhatIsWrong) {
  bar_.load("nothing");
  EXPECT_THAT(said_, HasSubstr("There is no profile 'nothing'"));
  bar_.save(".hidden");
  EXPECT_THAT(said_, HasSubstr("is not one"));
  EXPECT_FALSE(loaded_.has_spec());
}

}  // namespace
}  // namespace weft::gui
