// SPDX-License-Identifier: Apache-2.0
#include "client_gui/texts/declared.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include <fmt/format.h>

#include "options/values.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::gui {
namespace {

constexpr char kOptions[] = "Options", kChoices[] = "Choices";

struct Declared {
  Q_DECLARE_TR_FUNCTIONS(Declared)
};

QString translated(const char* context, const std::string& text) {
  return text.empty() ? QString() : QCoreApplication::translate(context, text.c_str());
}

std::string words_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', ' ');
  return name;
}

// Returns the words of the submessage that contains the option, or an empty string for the job's
// own message.
std::string group_of(const options::Option& option) {
  if (option.fields().size() < 2) return {};
  std::string name = option.fields()[option.fields().size() - 2]->name();
  std::replace(name.begin(), name.end(), '_', ' ');
  name[0] = char(std::toupper(name[0]));
  return name;
}

QString number_text(double value) { return QString::fromStdString(fmt::format("{}", value)); }

QString with_unit(const QString& range, const options::Option& option) {
  return option.unit().empty()
             ? range
             : Declared::tr("%1 %2", "range and unit").arg(range, translated(kOptions, option.unit()));
}

// Returns the range of an option, or an empty string if none is declared.
QString range_text(const options::Option& option) {
  const v1::OptionDeclaration& declared = option.declaration();
  if (declared.has_minimum() && declared.has_maximum())
    return with_unit(
        Declared::tr("%1 to %2").arg(number_text(option.minimum()), number_text(option.maximum())), option);
  if (declared.has_minimum())
    return with_unit(Declared::tr("at least %1").arg(number_text(option.minimum())), option);
  if (declared.has_maximum())
    return with_unit(Declared::tr("at most %1").arg(number_text(option.maximum())), option);
  return {};
}

// Returns a description of one valid value of the option.
QString expected_value(const options::Option& option) {
  const QString range = range_text(option);
  switch (option.type()) {
    case options::ValueType::kInteger:
      return range.isEmpty() ? Declared::tr("a whole number") : Declared::tr("a whole number, %1").arg(range);
    case options::ValueType::kNumber:
      return range.isEmpty() ? Declared::tr("a number") : Declared::tr("a number, %1").arg(range);
    case options::ValueType::kBool:
    case options::ValueType::kChoice: {
      QStringList names;
      for (const options::Choice& choice : option.choices()) names.push_back(value_text(choice.name));
      return Declared::tr("one of: %1").arg(names.isEmpty() ? "true, false" : names.join(", "));
    }
    case options::ValueType::kChain:
      return Declared::tr("filters separated by commas");
    case options::ValueType::kText:
      break;
  }
  switch (option.declaration().form()) {
    case v1::TEXT_FORM_BEGIN:
    case v1::TEXT_FORM_END:
      return Declared::tr("seconds, HH:MM:SS, or a frame number such as 120f");
    case v1::TEXT_FORM_FRAME_RANGE:
      return Declared::tr("a range of frame numbers such as 1-100 or 1-100x2");
    default:
      break;
  }
  return Declared::tr("a text of at most %1 bytes").arg(option.maximum_bytes());
}

}  // namespace

QString summary_text(const options::JobKind& kind) { return translated(kOptions, kind.summary); }

QString summary_text(const options::FilterKind& filter) {
  return translated(kOptions, filter.declaration().summary());
}

QString label_text(const options::Option& option) { return translated(kOptions, option.label()); }

QString help_text(const options::Option& option) {
  const QString help = translated(kOptions, option.help()), range = range_text(option);
  return range.isEmpty() ? help : Declared::tr("%1 (%2)", "help and range").arg(help, range);
}

QString group_text(const options::Option& option) { return translated(kOptions, group_of(option)); }

QString expected_text(const options::Option& option) {
  if (option.is_map())
    return Declared::tr("lines of the form %1, at most %2")
        .arg(QString::fromStdString(option.value_name()))
        .arg(options::kMaximumEntries);
  if (!option.is_repeated()) return expected_value(option);
  return Declared::tr("at most %1 lines, each with %2")
      .arg(options::kMaximumEntries)
      .arg(expected_value(option));
}

QString choice_text(const std::string& name) { return translated(kChoices, words_of(name)); }

QString value_text(const std::string& name) {
  const QString text = choice_text(name);
  return text.toStdString() == words_of(name) ? QString::fromStdString(name) : text;
}

QString choice_help_text(const options::Option& option, const options::Choice& choice) {
  const QString help = translated(kOptions, choice.help);
  QStringList sets;
  for (const std::string& each : choice.defaults) {  // of the form "blades=6"
    const size_t equals = each.find('=');
    const auto other = options::find_option(option.field().containing_type(), each.substr(0, equals));
    if (!other || equals == std::string::npos) continue;
    const std::string value = each.substr(equals + 1);
    sets += QStringLiteral("%1=%2").arg(label_text(*other), other->type() == options::ValueType::kChoice
                                                                ? value_text(value)
                                                                : QString::fromStdString(value));
  }
  return sets.isEmpty() ? help : Declared::tr("%1 Sets %2.").arg(help, sets.join(", "));
}

std::vector<DeclaredText> declared_texts() {
  std::vector<DeclaredText> all;
  const auto add = [&](const char* context, const std::string& text, bool is_name) {
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const DeclaredText& each) {
      return each.context == context && each.text == text;
    });
    if (!text.empty() && !is_known) all.push_back({context, text, is_name});
  };
  const auto add_options = [&](const google::protobuf::Descriptor* message) {
    for (const options::Option& option : options::options_of(message)) {
      add(kOptions, group_of(option), false);
      add(kOptions, option.label(), !option.declaration().label().empty());
      add(kOptions, option.help(), false);
      add(kOptions, option.unit(), true);
      for (const options::Choice& choice : option.choices()) {
        add(kChoices, words_of(choice.name), true);
        add(kOptions, choice.help, false);
      }
    }
  };
  for (const auto* states : {v1::JobState_descriptor(), v1::JobClass_descriptor(),
                             v1::DeviceState_descriptor(), v1::StreamClass_descriptor()}) {
    add(kChoices, options::choice_name(states, 0), false);
    for (const options::Choice& choice : options::choices_of(states))
      add(kChoices, words_of(choice.name), false);
  }
  for (const options::JobKind& kind : options::job_kinds()) {
    add(kOptions, kind.summary, false);
    add_options(kind.message());
    if (kind.chain() == nullptr) continue;
    for (const options::FilterKind& filter : options::filters_of(kind.chain()->message_type())) {
      add(kOptions, filter.declaration().summary(), false);
      for (const std::string& term : filter.declaration().terms()) add(kChoices, words_of(term), false);
      add_options(filter.message());
    }
  }
  add_options(v1::JobSettings::descriptor());
  return all;
}

}  // namespace weft::gui
