// SPDX-License-Identifier: Apache-2.0
// Tests the chain editor of a form: its buttons and the display of errors.
#include "client_gui/forms/chain_editor.h"

#include <QLineEdit>
#include <QTest>
#include <QToolButton>

#include <gmock/gmock.h>

#include "client_gui/forms/job_form.h"
#include "options/chain.h"
#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::gui {
namespace {

using ::testing::ElementsAre;

class ChainEditorTest : public ::testing::Test {
 protected:
  ChainEditorTest() : form_(v1::VideoJob::descriptor(), "spec.video", {}, nullptr) { form_.show(); }

  OptionField& field() { return *form_.field("filters"); }
  ChainEditor& chain() { return dynamic_cast<ChainEditor&>(field().editor()); }
  std::string text() {
    v1::VideoJob job;
    form_.fill(job);
    return options::format_value(job, field().option());
  }
  void press(int index, const QString& what) {
    const auto buttons =
        chain().form(index).parentWidget()->findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly);
    for (QToolButton* button : buttons)
      if (button->toolTip() == what) return QTest::mouseClick(button, Qt::LeftButton);
    ADD_FAILURE() << "no such button";
  }
  void type(int index, const QString& flag, const QString& value) {
    auto* line = chain().form(index).field(flag)->editor().findChild<QLineEdit*>();
    line->clear();
    QTest::keyClicks(line, value);
  }

  OptionForm form_;
};

TEST_F(ChainEditorTest, FiltersAreAddedMovedAndRemoved) {
  EXPECT_EQ(text(), "");
  for (const char* name : {"bwdif", "deband", "edgelevel"}) chain().add(name);
  EXPECT_EQ(text(), "bwdif,deband,edgelevel");
  press(2, "Move up");
  EXPECT_EQ(text(), "bwdif,edgelevel,deband");
  press(0, "Move down");
  EXPECT_EQ(text(), "edgelevel,bwdif,deband");
  press(0, "Move up");  // disabled for the first filter
  press(1, "Remove");
  EXPECT_EQ(text(), "edgelevel,deband");
  chain().add("no such filter");
  EXPECT_EQ(chain().count(), 2);
}

TEST_F(ChainEditorTest, EachFilterHasAFormOfItsOptions) {
  chain().add("deband");
  chain().add("resize");
  EXPECT_EQ(form_.wrong(), 1) << "its size is missing";
  EXPECT_THAT(field().error().toStdString(), ::testing::HasSubstr("needs its option 'size'"));
  type(1, "size", "1280x720");
  EXPECT_EQ(form_.wrong(), 0);
  type(0, "threshold", "2");
  EXPECT_EQ(text(), "deband=threshold=2,resize=1280x720");
  type(0, "threshold", "many");
  EXPECT_EQ(form_.wrong(), 1);
}

TEST_F(ChainEditorTest, AChainInAFilterIsAText) {
  chain().add("merge");
  type(0, "a", "deband,bob");
  EXPECT_EQ(text(), "merge=a=deband\\,bob");
  type(0, "a", "deband,bobb");
  EXPECT_THAT(chain().form(0).field("a")->error().toStdString(),
              ::testing::HasSubstr("There is no filter 'bobb'; did you mean 'bob'?"));
}

TEST_F(ChainEditorTest, ShowsWhatAMessageHolds) {
  v1::VideoJob job;
  ASSERT_THAT(options::set_from_text(job, field().option(), "bob=frame,merge=a='deband,bob'"), IsOk());
  form_.show_values(job);
  ASSERT_EQ(chain().count(), 2);
  EXPECT_EQ(text(), "bob=frame,merge=a=deband\\,bob");
  form_.show_values(v1::VideoJob());
  EXPECT_EQ(chain().count(), 0);
}

TEST_F(ChainEditorTest, ErrorsOfTheServerLandInTheirFilter) {
  chain().add("bob");
  chain().add("merge");
  const auto others = form_.show_errors({{"spec.video.filters[1].merge.low", "It is too low."},
                                         {"spec.video.filters[1].merge.a[0].resize.size", "It is no size."},
                                         {"spec.video.filters[7].bob.rate", "There is none."},
                                         {"settings.device", "Elsewhere."}});
  EXPECT_EQ(chain().form(1).field("low")->error(), "It is too low.");
  EXPECT_EQ(chain().form(1).field("a")->error(), "It is no size.");
  EXPECT_EQ(field().error(), "There is none.");
  EXPECT_THAT(others, ElementsAre(::testing::Field(&options::Violation::field, "settings.device")));
}

}  // namespace
}  // namespace weft::gui
