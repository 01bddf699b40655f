// SPDX-License-Identifier: Apache-2.0
// Tests forms of every kind of job and of the settings: the message contains the entered values and
// no others. New kinds and options are tested automatically.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>

#include "client/profiles.h"
#include "client_gui/forms/chain_editor.h"
#include "client_gui/forms/job_form.h"
#include "client_gui/forms/note_label.h"
#include "options/values.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Subject {
  const google::protobuf::Descriptor* message;
  std::string prefix;
};

std::vector<Subject> subjects() {
  std::vector<Subject> all = {{v1::JobSettings::descriptor(), "settings"}};
  for (const options::JobKind& kind : options::job_kinds()) {
    all.push_back({kind.message(), "spec." + kind.field->name()});
    if (kind.chain() == nullptr) continue;
    for (const options::FilterKind& filter : options::filters_of(kind.chain()->message_type()))
      all.push_back(
          {filter.message(), fmt::format("spec.{}.filters[0].{}", kind.field->name(), filter.name())});
  }
  return all;
}

std::unique_ptr<Message> new_message(const google::protobuf::Descriptor* type) {
  return std::unique_ptr<Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Returns a valid value other than the default.
std::string another_value(const options::Option& option) {
  if (option.is_map()) {
    const bool has_numbers = option.field().message_type()->map_key()->cpp_type() !=
                             google::protobuf::FieldDescriptor::CPPTYPE_STRING;
    const bool has_choices = option.type() == options::ValueType::kChoice;
    return fmt::format("{}={}", has_numbers ? "7" : "key",
                       has_choices ? option.choices().back().name : "value");
  }
  switch (option.type()) {
    case options::ValueType::kBool:
      return option.default_text() == "true" ? "false" : "true";
    case options::ValueType::kChoice: {
      const auto choices = option.choices();
      return choices.back().name == option.default_text() ? choices.front().name : choices.back().name;
    }
    case options::ValueType::kChain:
      return options::filters_of(option.field().message_type()).front().name();
    case options::ValueType::kText:
      switch (option.declaration().form()) {
        case v1::TEXT_FORM_BEGIN:
          return "1:00";
        case v1::TEXT_FORM_END:
          return "2500f";
        case v1::TEXT_FORM_FRAME_RANGE:
          return "1-100";
        default:
          return std::string("/some/text").substr(0, option.maximum_bytes());
      }
    case options::ValueType::kInteger:
    case options::ValueType::kNumber:
      break;
  }
  const double value = option.has_bounds() ? option.minimum() : 7;
  const std::string text = fmt::format("{}", value);
  return text == option.default_text() ? fmt::format("{}", option.has_bounds() ? option.maximum() : 8) : text;
}

// Enters a value as a user does.
void give(OptionField& field, const std::string& value) {
  const QString text = QString::fromStdString(value);
  OptionEditor& editor = field.editor();
  if (auto* chain = dynamic_cast<ChainEditor*>(&editor)) {
    chain->add(text);
  } else if (auto* box = editor.findChild<QCheckBox*>()) {
    if (box->isChecked() == (value == "true")) QTest::keyClick(box, Qt::Key_Space);
    if (box->isChecked() != (value == "true")) QTest::keyClick(box, Qt::Key_Space);
  } else if (auto* several = editor.findChild<QListWidget*>()) {
    for (int i = 0; i < several->count(); i++) {
      several->setCurrentRow(i);
      const bool is_checked = several->currentItem()->checkState() == Qt::Checked;
      if (is_checked != (several->currentItem()->data(Qt::UserRole).toString() == text))
        QTest::keyClick(several, Qt::Key_Space);
    }
  } else if (auto* choices = editor.findChild<QComboBox*>()) {
    // the choices come from a server
    if (choices->count() == 1) editor.set_choices({{text, text}});
    choices->setCurrentIndex(0);
    while (choices->currentData().toString() != text && choices->currentIndex() + 1 < choices->count())
      QTest::keyClick(choices, Qt::Key_Down);
  } else if (auto* line = editor.findChild<QLineEdit*>()) {
    line->selectAll();
    QTest::keyClick(line, Qt::Key_Backspace);
    QTest::keyClicks(line, text);
  } else if (auto* lines = editor.findChild<QPlainTextEdit*>()) {
    lines->clear();
    QTest::keyClicks(lines, text);
  } else {
    ADD_FAILURE() << "no editor for " << field.option().flag();
  }
}

TEST(OptionForm, WhatIsGivenReachesTheMessageAndNothingElseDoes) {
  for (const Subject& subject : subjects()) {
    OptionForm form(subject.message, subject.prefix, {}, nullptr);
    form.show();
    ASSERT_THAT(form.fields(), SizeIs(options::options_of(subject.message).size()));
    for (OptionField* field : form.fields()) {
      const std::string name = subject.prefix + "." + field->option().path();
      const auto before = new_message(subject.message);
      form.fill(*before);
      EXPECT_EQ(before->ByteSizeLong(), 0u) << name << ": nothing is given";
      const std::string value = another_value(field->option());
      give(*field, value);
      EXPECT_EQ(field->error(), "") << name << " " << value;
      const auto message = new_message(subject.message);
      form.fill(*message);
      EXPECT_EQ(options::format_value(*message, field->option()), value) << name;
      for (const options::Option& other : options::options_of(subject.message)) {
        if (other.path() == field->option().path()) continue;
        EXPECT_FALSE(options::is_set(*message, other)) << name << " sets " << other.path();
      }
      OptionForm copy(subject.message, subject.prefix, {}, nullptr);
      copy.show_values(*message);
      const auto again = new_message(subject.message);
      copy.fill(*again);
      EXPECT_TRUE(MessageDifferencer::Equals(*again, *message)) << name;
      auto* forget = field->findChild<QToolButton*>({}, Qt::FindDirectChildrenOnly);
      ASSERT_TRUE(!forget->isHidden()) << name;
      QTest::mouseClick(forget, Qt::LeftButton);
      EXPECT_FALSE(field->is_given()) << name;
    }
  }
}

TEST(OptionForm, NumbersBeyondEachBoundAreSaidInWordsWhileTheyAreTyped) {
  for (const Subject& subject : subjects()) {
    OptionForm form(subject.message, subject.prefix, {}, nullptr);
    for (OptionField* field : form.fields()) {
      const options::Option& option = field->option();
      const bool is_number =
          option.type() == options::ValueType::kNumber || option.type() == options::ValueType::kInteger;
      if (!is_number || option.is_repeated()) continue;
      for (const double value : {option.minimum() - 1, option.maximum() * 2 + 1}) {
        give(*field, fmt::format("{:.0f}", value));
        EXPECT_THAT(field->error().toStdString(), HasSubstr(fmt::format("{:.0f}", value).substr(0, 40)));
        ASSERT_TRUE(option.has_bounds()) << option.flag();
        EXPECT_THAT(field->error().toStdString(), HasSubstr(option.range_text()));
        EXPECT_EQ(form.wrong(), 1);
        const auto message = new_message(subject.message);
        form.fill(*message);
        EXPECT_FALSE(options::is_set(*message, option));
      }
      give(*field, "many");
      EXPECT_THAT(field->error().toStdString(), HasSubstr("number"));
      give(*field, "");
      EXPECT_EQ(form.wrong(), 0) << option.flag();
    }
  }
}

TEST(OptionForm, EveryFieldHasHelpADefaultAndAName) {
  for (const Subject& subject : subjects()) {
    OptionForm form(subject.message, subject.prefix, {}, nullptr);
    for (OptionField* field : form.fields()) {
      const QString help = QString::fromStdString(field->option().help());
      EXPECT_TRUE(field->toolTip().contains(help.toHtmlEscaped())) << field->option().flag();
      const auto labels = field->findChildren<QLabel*>();
      EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
        return label->text().startsWith(help);
      })) << field->option().flag();
      EXPECT_FALSE(field->editor().focusProxy()->accessibleName().isEmpty()) << field->option().flag();
      const QString standard = QString::fromStdString(field->option().default_text());
      if (const auto* line = field->editor().findChild<QLineEdit*>()) {
        EXPECT_EQ(line->placeholderText(), standard) << field->option().flag();
      }
      if (const auto* box = field->editor().findChild<QComboBox*>(); box != nullptr && !standard.isEmpty()) {
        EXPECT_EQ(box->itemText(0), standard + " (default)") << field->option().flag();
      }
    }
  }
}

// The widget is next to an editor or above a chain, in wide and narrow windows.
TEST(OptionForm, NoFieldDrawsItsButtonOverItsHelp) {
  for (const Subject& subject : subjects())
    for (const int width : {900, 320}) {
      OptionForm form(subject.message, subject.prefix, {}, nullptr);
      form.resize(width, 4000);
      form.show();
      ASSERT_TRUE(QTest::qWaitForWindowExposed(&form));
      for (const OptionField* field : form.fields()) {
        if (!field->isVisible()) continue;
        const auto* forget = field->findChild<QToolButton*>(QString(), Qt::FindDirectChildrenOnly);
        const auto* note = field->findChild<NoteLabel*>(QString(), Qt::FindDirectChildrenOnly);
        EXPECT_FALSE(forget->geometry().intersects(note->geometry()))
            << field->objectName().toStdString() << ", " << width;
      }
    }
}

TEST(OptionForm, AChoiceChangesTheDefaultsOfOthers) {
  int found = 0;
  for (const Subject& subject : subjects())
    for (const options::Option& option : options::options_of(subject.message))
      for (const options::Choice& choice : option.choices())
        for (const std::string& text : choice.defaults) {
          OptionForm form(subject.message, subject.prefix, {}, nullptr);
          give(*form.field(QString::fromStdString(option.flag())), choice.name);
          const size_t equals = text.find('=');
          OptionField* other = form.field(QString::fromStdString(text.substr(0, equals)));
          ASSERT_NE(other, nullptr) << text;
          const QString value = QString::fromStdString(text.substr(equals + 1));
          if (const auto* line = other->editor().findChild<QLineEdit*>()) {
            EXPECT_EQ(line->placeholderText().toDouble(), value.toDouble()) << choice.name << " " << text;
          }
          if (const auto* box = other->editor().findChild<QComboBox*>()) {
            EXPECT_EQ(box->itemText(0), value + " (default)") << choice.name << " " << text;
          }
          found++;
        }
  EXPECT_GT(found, 0);
}

TEST(OptionForm, FieldsAreFoundAndLeftOutAsAsked) {
  for (const Subject& subject : subjects()) {
    OptionForm form(subject.message, subject.prefix, {}, nullptr);
    if (form.fields().empty()) continue;  // a filter without options
    const auto shown = [&] {
      std::vector<const OptionField*> fields;
      for (const OptionField* field : form.fields())
        if (!field->isHidden()) fields.push_back(field);
      return fields;
    };
    for (const OptionField* field : shown()) EXPECT_FALSE(field->option().advanced());
    form.set_filter({FormFilter::Which::kAll, ""});
    EXPECT_EQ(shown().size(), form.fields().size());
    form.set_filter({FormFilter::Which::kGiven, ""});
    EXPECT_TRUE(shown().empty());
    OptionField& last = *form.fields().back();
    form.set_filter({FormFilter::Which::kUsual, QString::fromStdString(last.option().flag())});
    EXPECT_THAT(shown(), ::testing::Contains(&last)) << "for experts or not";
    form.set_filter({FormFilter::Which::kUsual, "no option is called so"});
    EXPECT_TRUE(shown().empty());
    give(last, another_value(last.option()));
    form.set_filter({FormFilter::Which::kGiven, ""});
    EXPECT_EQ(shown(), std::vector<const OptionField*>{&last});
    last.set_error("It is wrong.");
    form.set_filter({FormFilter::Which::kAll, "no option is called so"});
    EXPECT_EQ(shown(), std::vector<const OptionField*>{&last}) << "what is wrong is always shown";
  }
}

TEST(OptionForm, ErrorsOfTheServerLandAtTheirFields) {
  for (const Subject& subject : subjects()) {
    OptionForm form(subject.message, subject.prefix, {}, nullptr);
    for (OptionField* field : form.fields()) {
      const options::Violation own{subject.prefix + "." + field->option().path(), "It cannot be."};
      const options::Violation other{"elsewhere", "It is not there."};
      EXPECT_THAT(form.show_errors({own, other}), ::testing::ElementsAre(other));
      EXPECT_EQ(field->error(), "It cannot be.");
      EXPECT_EQ(form.wrong(), 1);
      give(*field, another_value(field->option()));
      EXPECT_EQ(form.wrong(), 0) << "it was edited";
      form.show_errors({});
    }
  }
}

TEST(JobForm, OffersEveryKindAndKeepsWhatWasGivenForEach) {
  JobForm form;
  const auto kinds = options::job_kinds();
  for (const options::JobKind& kind : kinds) {
    ASSERT_TRUE(form.choose_kind(QString::fromStdString(kind.name)));
    EXPECT_EQ(form.kind().name, kind.name);
    EXPECT_EQ(form.draft("/out").common.spec().kind_case(), kind.field->number());
    for (const auto& option : {kind.input_option(), kind.output_option()})
      EXPECT_TRUE(!option || form.options().field(QString::fromStdString(option->flag())) == nullptr)
          << "it stands elsewhere";
    OptionField& first = *form.options().fields().front();
    give(first, another_value(first.option()));
  }
  for (const options::JobKind& kind : kinds) {
    form.choose_kind(QString::fromStdString(kind.name));
    EXPECT_TRUE(form.options().fields().front()->is_given()) << kind.name;
  }
  EXPECT_FALSE(form.choose_kind("no such kind"));
}

TEST(JobForm, AProfileHoldsAllThatIsGivenForEveryKind) {
  for (const options::JobKind& kind : options::job_kinds()) {
    JobForm form;
    form.choose_kind(QString::fromStdString(kind.name));
    for (OptionForm* part : {&form.options(), &form.settings()})
      for (OptionField* field : part->fields()) give(*field, another_value(field->option()));
    const v1::SubmitJobRequest profile = form.profile("{dir}/{stem}.out");
    v1::Profile stored;
    *stored.mutable_spec() = profile.spec();
    *stored.mutable_settings() = profile.settings();
    const auto read = client::parse_profile(client::profile_text(stored), "it");
    ASSERT_TRUE(read.ok()) << read.status();
    v1::SubmitJobRequest loaded;
    *loaded.mutable_spec() = read->spec();
    *loaded.mutable_settings() = read->settings();
    JobForm other;
    EXPECT_EQ(other.show_profile(loaded), kind.output_option() ? "{dir}/{stem}.out" : "") << kind.name;
    EXPECT_TRUE(MessageDifferencer::Equivalent(other.profile("{dir}/{stem}.out"), profile)) << kind.name;
    EXPECT_EQ(other.kind().name, kind.name);
  }
}

// Each value of a list of names is checked.
TEST(JobForm, NamesAreChosenFromAList) {
  JobForm form;
  ASSERT_TRUE(form.choose_kind("bench"));
  EXPECT_FALSE(form.reads_files());
  auto* names = form.options().field("name")->editor().findChild<QListWidget*>();
  ASSERT_NE(names, nullptr);
  EXPECT_EQ(names->count(), v1::BenchmarkName_descriptor()->value_count() - 1);
  EXPECT_EQ(names->item(0)->toolTip(), "Stream compaction: the nonzero entries, in order.");
  for (const int row : {6, 0}) {
    names->setCurrentRow(row);
    QTest::keyClick(names, Qt::Key_Space);
  }
  const v1::BenchmarkJob job = form.draft("").common.spec().benchmark();
  ASSERT_EQ(job.names_size(), 2);
  EXPECT_EQ(job.names(0), v1::BENCHMARK_NAME_COMPACTION);
  EXPECT_EQ(job.names(1), v1::BENCHMARK_NAME_FFT);
}

TEST(JobForm, TheClassThatCountsByDefaultIsTheKinds) {
  JobForm form;
  for (const options::JobKind& kind : options::job_kinds()) {
    form.choose_kind(QString::fromStdString(kind.name));
    v1::JobSettings settings;
    options::apply_defaults(form.draft("").common.spec(), settings);
    const auto* box = form.settings().field("class")->editor().findChild<QComboBox*>();
    EXPECT_EQ(box->itemText(0).toStdString(), options::choice_name(settings.job_class()) + " (default)")
        << kind.name;
    EXPECT_FALSE(form.settings().field("class")->is_given());
  }
}

TEST(JobForm, OverwriteIsAskedWhereAFileIsWrittenAlone) {
  JobForm form;
  int without_output = 0;
  for (const options::JobKind& kind : options::job_kinds()) {
    form.choose_kind(QString::fromStdString(kind.name));
    const bool writes = kind.output_option().has_value();
    EXPECT_EQ(!form.settings().field("overwrite")->isHidden(), writes) << kind.name;
    without_output += writes ? 0 : 1;
  }
  EXPECT_GT(without_output, 0);
}

}  // namespace
}  // namespace weft::gui
