// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/topics.h"

#include <algorithm>
#include <optional>

#include "client_cli/command_line/filter_texts.h"
#include "client_cli/command_line/spec_flags.h"
#include "client_cli/command_line/suggest.h"
#include "client_cli/output/text.h"
#include "options/job_kinds.h"
#include "options/words.h"

namespace weft::cli {
namespace {

constexpr const char* kEncoderFlag = "encoder";
// The options for encoders.
constexpr const char* kEncoderFlags[] = {"crf",    "bitrate",        "encoder-preset",
                                         "passes", "encoder-option", "encoder-threads"};

// Returns the kind of job with an encoder.
std::optional<options::JobKind> encoding_kind() {
  for (options::JobKind& kind : options::job_kinds())
    if (options::find_option(kind.message(), kEncoderFlag)) return std::move(kind);
  return std::nullopt;
}

std::vector<options::Choice> encoders() {
  const auto kind = encoding_kind();
  return kind ? options::find_option(kind->message(), kEncoderFlag)->choices()
              : std::vector<options::Choice>();
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return result;
}

std::string options_of_encoders(size_t width) {
  std::string text;
  const auto kind = encoding_kind();
  for (const char* flag : kEncoderFlags)
    if (const auto option = options::find_option(kind->message(), flag))
      text += help_line(fmt::format("--{}", flag), describe_option(*option), width);
  return text;
}

}  // namespace

bool is_encoder_topic(std::string_view word) {
  return word == kEncodersTopic || std::ranges::any_of(encoders(), [&](const options::Choice& each) {
           return each.name == lower_case(word);
         });
}

StatusOr<std::string> format_encoders(const std::vector<std::string>& words, size_t width) {
  std::string text;
  std::vector<std::string> known;
  for (const options::Choice& encoder : encoders()) known.push_back(encoder.name);
  const bool lists = words.size() == 1 && words[0] == kEncodersTopic;
  for (const options::Choice& encoder : encoders())
    if (lists) text += help_line(encoder.name, encoder.text(), width);
  if (lists)
    return "The encoders of --encoder, with their defaults:\n\n" + text + "\nTheir options:\n\n" +
           options_of_encoders(width);
  for (const std::string& word : words) {
    if (word == kEncodersTopic) continue;
    const auto found = std::ranges::find(known, lower_case(word));
    if (found == known.end()) {
      const std::string hint = options::did_you_mean(word, known);
      return invalid_argument("There is no encoder '{}'{} There are {}.", word, hint.empty() ? "." : hint,
                              options::join_and(known));
    }
    text += fmt::format("{}: {}\n  weft submit {} IN... -o OUT --{} {}\n", *found,
                        encoders()[size_t(found - known.begin())].text(), kFiltersWord, kEncoderFlag, *found);
  }
  return text + options_of_encoders(width);
}

std::vector<Candidate> topics_after(const Command& root, const std::vector<std::string>& words) {
  std::vector<Candidate> topics;
  const auto add_filters = [&] {
    for (const FilterUse& use : all_filters())
      topics.push_back({use.filter.name(), use.filter.declaration().summary()});
  };
  const auto add_encoders = [&] {
    for (const options::Choice& encoder : encoders()) topics.push_back({encoder.name, encoder.text()});
  };
  const Command* command = &root;
  for (const std::string& word : words) {
    if (command == &root && word == kFiltersTopic) return add_filters(), topics;
    if (command == &root && word == kEncodersTopic) return add_encoders(), topics;
    command = command->find(word);
    if (command == nullptr) return topics;
  }
  for (const Command& inside : command->commands)
    if (!inside.hidden && !inside.is_default) topics.push_back({inside.name, inside.summary});
  if (command == &root) {
    topics.push_back({std::string(kFiltersTopic), "The filters."});
    topics.push_back({std::string(kEncodersTopic), "The encoders."});
    add_filters();
    add_encoders();
  } else if (command->default_command() != nullptr) {
    add_filters();
  }
  return topics;
}

std::string suggest_topic(const Command& root, std::string_view word) {
  std::vector<std::string> begun;
  std::vector<std::string> all;
  for (const Candidate& topic : topics_after(root, {})) {
    all.push_back(topic.word);
    if (!word.empty() && topic.word.starts_with(lower_case(word))) begun.push_back(topic.word);
  }
  if (!begun.empty()) return fmt::format("; did you mean '{}'?", fmt::join(begun, "' or '"));
  const std::string hint = suggest_command(root, word);
  return hint == "." ? options::did_you_mean(word, all) : hint;
}

}  // namespace weft::cli
