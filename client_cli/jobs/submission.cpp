// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/submission.h"

#include <algorithm>
#include <filesystem>

#include "client/draft.h"
#include "client/profiles.h"
#include "client_cli/jobs/inputs.h"
#include "client_cli/output/text.h"
#include "options/chain.h"
#include "options/chain_text.h"
#include "options/synonyms.h"
#include "options/values.h"
#include "options/words.h"

namespace weft::cli {
namespace {

using google::protobuf::Message;

// The last of several inputs may have been meant as the output, as in other programs.
Status no_output(const options::Option& target, const std::vector<std::string>& inputs) {
  std::error_code error;
  const bool is_meant = inputs.size() > 1 && !std::filesystem::exists(inputs.back(), error);
  const std::string meant =
      is_meant ? fmt::format(" Is it {}? Then write -{} in front of it.", inputs.back(), target.short_flag())
               : "";
  return invalid_argument("--{} is required; give it (-{} {}), or a profile that has one.{}", target.flag(),
                          target.short_flag(), target.value_name(), meant);
}

// The first word of a chain: a filter's name, or the word in its place.
std::string first_name(const std::string& filters) {
  const options::LocatedText text = options::LocatedText::of(filters);
  return options::TokenReader(text).take("=,;[]").text;
}

std::vector<std::string> names_of_filters(const std::vector<options::JobKind>& kinds) {
  std::vector<std::string> names;
  for (const options::JobKind& kind : kinds)
    for (const std::string& name : options::names_of(options::filters_of(kind.chain()->message_type())))
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

// A former word for jobs with any deinterlacer.
constexpr std::string_view kOldWord = "deinterlace";

Status old_word(const options::JobKind& kind) {
  std::vector<std::string> names;
  for (const options::FilterKind& filter : options::filters_of(kind.chain()->message_type()))
    if (filter.declaration().role() == v1::FILTER_ROLE_DEINTERLACER) names.push_back(filter.name());
  return invalid_argument(
      "There is no filter '{}'; name the deinterlacer with its options as the first word "
      "(NAME=KEY=VALUE:KEY=VALUE). There are {}.",
      kOldWord, options::join_and(names));
}

// The first word is the name of no filter.
Status no_filter(const std::string& word, const std::vector<options::JobKind>& kinds) {
  const std::string name = first_name(word);
  if (name == kOldWord) return old_word(kinds[0]);
  if (options::find_synonym(options::Synonym::Kind::kFilter, name) != nullptr) {
    v1::JobSpec spec;  // the error has the replacement
    return options::parse_chain(word, kinds[0].choose(spec), *kinds[0].chain());
  }
  std::error_code error;
  if (std::filesystem::exists(word, error))
    return invalid_argument(
        "The first word ({}) is a {}; write the filters or the kind of job in front of it: "
        "`weft submit FILTERS {} -o OUT`. `weft help filters` lists the filters.",
        word, std::filesystem::is_directory(word, error) ? "folder" : "file", word);
  std::vector<std::string> names = names_of_filters(kinds);
  for (const options::JobKind& kind : options::job_kinds()) names.push_back(kind.name);
  if (std::ranges::find(names, name) != names.end())
    return invalid_argument(
        "'{0}' is a kind of job, not a filter; its options are flags: `weft submit {0} --help` lists them.",
        name);
  const std::string hint = options::did_you_mean(name, names);
  return invalid_argument(
      "There is no filter and no kind of job '{}'{} `weft help filters` lists the filters, `weft submit "
      "--help` the kinds.",
      name, hint.empty() ? "." : hint);
}

}  // namespace

std::vector<options::JobKind> kinds_with_filters() {
  std::vector<options::JobKind> kinds;
  for (options::JobKind& kind : options::job_kinds())
    if (kind.chain() != nullptr) kinds.push_back(std::move(kind));
  return kinds;
}

StatusOr<std::vector<options::JobKind>> kinds_that_take(const std::string& filters) {
  const std::vector<options::JobKind> all = kinds_with_filters();
  std::vector<options::JobKind> taking;
  Status mistake;
  for (const options::JobKind& kind : all) {
    if (!options::find_filter(kind.chain()->message_type(), first_name(filters))) continue;
    v1::JobSpec spec;
    const Status parsed = options::parse_chain(filters, kind.choose(spec), *kind.chain());
    if (parsed.ok())
      taking.push_back(kind);
    else if (mistake.ok())
      mistake = parsed;
  }
  if (!taking.empty()) return taking;
  return mistake.ok() ? no_filter(filters, all) : mistake;
}

std::string SubmitCommand::summary() const {
  if (!has_filters_word) return kinds[0].summary;
  std::vector<std::string> names;
  for (const options::JobKind& kind : kinds) names.push_back(kind.name);
  return fmt::format(
      "Applies filters to files: a job '{}', chosen by the filters and the output's extension.",
      fmt::join(names, "' or '"));
}

std::string SubmitCommand::examples(std::string_view command) const {
  std::string text;
  for (const options::JobKind& kind : kinds) {
    const v1::JobKindDeclaration& declared = kind.declaration();
    for (const std::string& line : has_filters_word ? declared.filter_examples() : declared.examples()) {
      const bool follows = text.empty() && command == "submit";
      text += fmt::format("{}weft {} {}{}{}", text.empty() ? "" : "\n", command,
                          has_filters_word ? "" : kind.name + " ", line, follows ? " --follow" : "");
    }
  }
  return text;
}

void SubmitCommand::add_files(Command& command) {
  if (has_filters_word) {
    Argument& word = command.word(kFiltersWord, filters, kFiltersHelp);
    word.require().completed_by(Values::Kind::kChain);
    for (const options::JobKind& kind : kinds) word.values.chains.push_back(kind.chain());
  }
  std::vector<std::string> helps;
  for (const options::JobKind& kind : kinds)
    if (const auto input = kind.input_option()) helps.push_back(input->help());
  if (const auto input = kinds[0].input_option()) {
    const char* several =
        input->declaration().file_set() ? "Several of one folder make one job" : "Several make a job each";
    const std::string help =
        fmt::format("{} {}; @FILE stands for the lines of a file.", fmt::join(helps, " Or: "), several);
    Argument& files = command.words(input->value_name(), inputs, help);
    files.require().completed_by(Values::Kind::kFile);
    files.has_stand_in = has_filters_word;  // resolve() tells of a lone first word
  }
  const auto target = kinds[0].output_option();
  if (!target) return;
  Argument flag = declare_flag(*target);
  flag.help +=
      " May hold fields: {dir}, {name}, {stem}, {ext}, {index}, {filter} ...; a folder means "
      "FOLDER/{stem}.{ext}.";
  if (kinds.size() > 1) flag.help += " Its extension says which kind of job it is.";
  command.flag("--mkdir", sending.makes_folders, "Create the output's folder if it does not exist.")
      .under("Job");
  flag.heading = "Job";
  flag.required = true;
  flag.has_stand_in = true;
  flag.set = [this](const std::vector<std::string>& given) {
    output = given.back();
    return ok_status();
  };
  command.add_option(std::move(flag));
}

void SubmitCommand::add_options(Command& command) {
  for (const options::JobKind& kind : kinds) {
    std::vector<std::string> skip;
    for (const auto& option : {kind.input_option(), kind.output_option()})
      if (option) skip.push_back(option->flag());
    for (const options::Option& option : options::options_of(kind.message()))
      if (has_filters_word && option.is_chain()) skip.push_back(option.flag());
    std::string heading = kinds.size() == 1 ? "job" : kind.name + " jobs";
    heading[0] = char(std::toupper(heading[0]));
    spec.add(command, kind.message(), heading, skip);
  }
}

void SubmitCommand::add_flags(Command& command) {
  add_files(command);
  add_options(command);
  std::map<std::string, std::string> own_defaults;
  if (kinds.size() == 1) own_defaults["class"] = kinds[0].declaration().default_class();
  std::vector<std::string> skip;
  if (std::ranges::none_of(kinds,
                           [](const options::JobKind& kind) { return kind.output_option().has_value(); }))
    skip.insert(skip.end(), {"overwrite", "hash"});
  settings.add(command, v1::JobSettings::descriptor(), "Queue", skip, own_defaults);
  command
      .value("--profile", "NAME|FILE", profile,
             "Takes options from a profile (`weft profile list`); options on the command line override them.")
      .under("Job")
      .completed_by(Values::Kind::kProfile);
  sending.add_flags(command);
}

// As the output says; as the profile does where it has the output; else as the input looks.
StatusOr<options::JobKind> SubmitCommand::chosen_kind(const v1::JobSpec& profile_spec) const {
  std::vector<options::JobKind> possible = kinds;
  if (has_filters_word) {
    ASSIGN_OR_RETURN(possible, kinds_that_take(filters));
  }
  const auto other = options::job_kind_of(profile_spec);
  std::error_code error;
  const bool is_open = output.empty() || output.ends_with('/') || output.find('{') != std::string::npos ||
                       std::filesystem::is_directory(output, error);
  const std::string named = !is_open ? output : inputs.empty() ? "" : inputs[0];
  const auto is_other = [&](const options::JobKind& kind) { return other && kind.name == other->name; };
  const bool may_be_other = std::any_of(possible.begin(), possible.end(), is_other);
  if (may_be_other && is_open) return *other;
  const options::JobKind& chosen = options::kind_for_output(possible, named);
  if (!other || is_other(chosen)) return chosen;
  return invalid_argument(
      "The profile ({}) is for the job '{}', and this is a job '{}'; use `weft submit {}`.", profile,
      other->name, chosen.name, other->name);
}

StatusOr<std::vector<v1::SubmitJobRequest>> SubmitCommand::resolve() const {
  if (has_filters_word && inputs.empty())
    return invalid_argument(
        "{} is required, and there is only the word '{}', which names filters; write the file behind it.",
        kinds[0].input_option()->value_name(), filters);
  v1::SubmitJobRequest common;
  if (!profile.empty()) {
    ASSIGN_OR_RETURN(v1::Profile read, client::read_profile(profile));
    common.mutable_spec()->Swap(read.mutable_spec());
    common.mutable_settings()->Swap(read.mutable_settings());
  }
  ASSIGN_OR_RETURN(const options::JobKind kind, chosen_kind(common.spec()));
  client::Draft draft{kind, std::move(common)};
  draft.joins_files = true;
  Message& job = kind.choose(*draft.common.mutable_spec());
  RETURN_IF_ERROR(spec.fill(job, fmt::format("a job '{}'", kind.name)));
  if (has_filters_word) RETURN_IF_ERROR(options::parse_chain(filters, job, *kind.chain()));
  RETURN_IF_ERROR(settings.fill(*draft.common.mutable_settings()));
  ASSIGN_OR_RETURN(draft.inputs, expand_inputs(inputs));
  const auto target = kind.output_option();
  if (target) draft.output = output.empty() ? options::format_value(job, *target) : output;
  if (target && draft.output.empty()) return no_output(*target, draft.inputs);
  if (draft.output == "-")
    return invalid_argument(
        "Jobs write files, not standard output (-); use `weft pipe` to pass frames to a program.");
  ASSIGN_OR_RETURN(std::vector<v1::SubmitJobRequest> requests, client::requests_of(draft));
  sending.set_request_ids(requests);
  return requests;
}

}  // namespace weft::cli
