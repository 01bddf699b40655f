// SPDX-License-Identifier: Apache-2.0
// weft resubmit ID... --set KEY=VALUE: adds new jobs with the options of others.
#include <algorithm>
#include <map>

#include "client/draft.h"
#include "client/jobs.h"
#include "client/paths.h"
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/sending.h"
#include "client_cli/output/exit_codes.h"
#include "options/chain.h"
#include "options/filters.h"
#include "options/values.h"
#include "options/words.h"

namespace weft::cli {
namespace {

using google::protobuf::Message;

// A change of one option. Without a value the option gets its default.
struct Change {
  std::string key;  // a flag of `weft submit` without dashes
  std::optional<std::string> value;
};

struct Resubmit {
  std::vector<std::string> ids;
  std::vector<std::string> set;    // KEY=VALUE
  std::vector<std::string> unset;  // KEY
  bool overwrite = false;
  SendFlags sending;

  StatusOr<std::vector<Change>> changes() const;
};

std::string key_of(std::string text) {
  std::ranges::replace(text, '_', '-');
  return text;
}

StatusOr<std::vector<Change>> Resubmit::changes() const {
  std::vector<Change> result;
  for (const std::string& key : unset) result.push_back({key_of(key), std::nullopt});
  for (const std::string& text : set) {
    const size_t equals = text.find('=');
    const std::string key = key_of(text.substr(0, equals));
    if (key.empty())
      return invalid_argument("--set ({}) has no option before the sign =; write KEY=VALUE.", text);
    if (equals == std::string::npos)
      return invalid_argument("--set ({0}) has no value; write {0}=VALUE, or --unset {0} for the default.",
                              key);
    if (equals + 1 == text.size())
      return invalid_argument(
          "--set ({0}=) has an empty value; write {0}=VALUE, or --unset {0} for the default.", key);
    result.push_back({key, text.substr(equals + 1)});
  }
  return result;
}

// The name of an option that the job does not have.
Status no_option(const client::Draft& draft, const std::string& key) {
  const google::protobuf::FieldDescriptor* chain = draft.kind.chain();
  if (chain != nullptr && options::find_filter(chain->message_type(), key)) {
    v1::JobSpec spec = draft.common.spec();
    const std::string filters = options::print_chain(draft.kind.choose(spec), *chain);
    return invalid_argument("'{}' is a filter, not an option; set the whole chain: --set filters=CHAIN.{}",
                            key, filters.empty() ? "" : fmt::format(" The chain of the job is {}.", filters));
  }
  std::vector<std::string> names;
  for (const google::protobuf::Descriptor* message : {draft.kind.message(), v1::JobSettings::descriptor()})
    for (const options::Option& option : options::options_of(message)) names.push_back(option.flag());
  const std::string hint = options::did_you_mean(key, names);
  return invalid_argument(
      "A job '{0}' has no option '{1}'{2} `weft submit {0} --help-all` lists the options.", draft.kind.name,
      key, hint.empty() ? "." : hint);
}

// Removes the names of files that were chosen from the folder of the former input.
void clear_names(const options::JobKind& kind, Message& job) {
  for (const options::Option& option : options::options_of(kind.message()))
    if (option.declaration().names_of_set()) options::clear(job, option);
}

// Applies the changes of one option in their order. A list is replaced as a whole.
Status apply_all(client::Draft& draft, const std::string& key, const std::vector<Change>& changes) {
  Message& job = draft.kind.choose(*draft.common.mutable_spec());
  Message* holder = &job;
  auto option = options::find_option(draft.kind.message(), key);
  if (!option) {
    holder = draft.common.mutable_settings();
    option = options::find_option(v1::JobSettings::descriptor(), key);
  }
  if (!option) return no_option(draft, key);
  const auto is = [&](const std::optional<options::Option>& other) {
    return holder == &job && other && other->path() == option->path();
  };
  if (!changes[0].value && option->required())
    return invalid_argument("--unset ({0}) names an option that every job '{1}' needs; give --set {0}=VALUE.",
                            key, draft.kind.name);
  if (!changes[0].value || (option->is_repeated() && !option->is_map())) options::clear(*holder, *option);
  for (const Change& change : changes) {
    if (!change.value) continue;
    if (is(draft.kind.input_option())) {
      clear_names(draft.kind, job);
      draft.inputs = {client::absolute_path(*change.value)};
      draft.joins_files = true;
    } else if (is(draft.kind.output_option())) {
      draft.output = *change.value;
    } else {
      RETURN_IF_ERROR(options::set_from_text(*holder, *option, *change.value));
    }
  }
  return ok_status();
}

// Returns the request of a job like `job`. `index` counts the jobs of the command from 1.
StatusOr<v1::SubmitJobRequest> request_like(const v1::Job& job, const std::vector<Change>& changes,
                                            bool overwrite, size_t index) {
  ASSIGN_OR_RETURN(client::Draft draft, client::draft_of(job));
  draft.first_index = index;
  if (overwrite) draft.common.mutable_settings()->set_overwrite(true);
  std::map<std::string, std::vector<Change>> by_key;
  for (const Change& change : changes) by_key[change.key].push_back(change);
  // The input is first: its change clears the names of chosen files, which may be set as well.
  const auto input = draft.kind.input_option();
  const auto first = input ? by_key.find(input->flag()) : by_key.end();
  if (first != by_key.end()) RETURN_IF_ERROR(apply_all(draft, first->first, first->second));
  for (const auto& [key, of_key] : by_key)
    if (first == by_key.end() || key != first->first) RETURN_IF_ERROR(apply_all(draft, key, of_key));
  ASSIGN_OR_RETURN(std::vector<v1::SubmitJobRequest> requests, client::requests_of(draft));
  return std::move(requests[0]);
}

// Refuses two jobs with the same output: the second one would wait for the first only to fail.
Status check_outputs(const std::vector<v1::SubmitJobRequest>& requests) {
  std::vector<std::string> outputs;
  for (const v1::SubmitJobRequest& request : requests)
    for (std::string& output : options::paths_of(request.spec(), v1::PATH_KIND_OUTPUT_FILE)) {
      if (std::ranges::find(outputs, output) != outputs.end())
        return invalid_argument(
            "Two of the jobs have the same output ({}); use a field that differs, such as {{stem}} or "
            "{{index}}: --set 'output={{dir}}/{{stem}}.{{index}}.{{ext}}'.",
            output);
      outputs.push_back(std::move(output));
    }
  return ok_status();
}

int run(const CommandContext& context, const Resubmit& resubmit) {
  const auto changes = resubmit.changes();
  if (!changes.ok()) return context.fail_usage(changes.status());
  if (const Status checked = resubmit.sending.check_timeout(); !checked.ok())
    return context.fail_usage(checked);
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs client(*connection);
  int code = kExitDone;
  std::vector<v1::SubmitJobRequest> requests;
  for (const std::string& id : resubmit.ids) {
    const auto job = client.get(id);
    if (!job.ok()) {
      code = worse(code, context.fail(job.status()));
      if (code == kExitUnreachable) return code;
      continue;
    }
    auto request = request_like(*job, *changes, resubmit.overwrite, requests.size() + 1);
    if (!request.ok()) return context.fail_usage(request.status());
    requests.push_back(*std::move(request));
  }
  if (const Status checked = check_outputs(requests); !checked.ok()) return context.fail_usage(checked);
  resubmit.sending.set_request_ids(requests);
  if (resubmit.sending.makes_folders && !resubmit.sending.dry_run)
    if (const Status made = make_output_folders(requests); !made.ok()) return context.fail(made);
  std::vector<v1::Job> jobs;
  return worse(code, submit_jobs(context, resubmit.sending, *connection, requests, jobs));
}

}  // namespace

void add_resubmit(Command& root, CommandContext& context) {
  const auto resubmit = std::make_shared<Resubmit>();
  Command& command =
      root.add("resubmit", "Adds new jobs with the options and files of others, in any state, and changes.");
  command.words("ID", resubmit->ids, kIdHelp).require().completed_by(Values::Kind::kJob);
  command
      .value("--set", "KEY=VALUE", resubmit->set,
             "Set an option of the new jobs; KEY is a flag of `weft submit` without dashes: filters, output, "
             "crf. May be given several times. Labels and encoder options are added to those of the job.")
      .completed_by(Values::Kind::kSetting);
  command.value("--unset", "KEY", resubmit->unset,
                "Use the default of an option in place of the job's value. May be given several times.");
  command.flag("-y,--overwrite", resubmit->overwrite,
               "Overwrite an existing output. The permission of the former job does not count.");
  command.flag("--mkdir", resubmit->sending.makes_folders,
               "Create the output's folder if it does not exist.");
  resubmit->sending.add_flags(command);
  resubmit->sending.add_wait_flags(command);
  command.examples =
      "weft resubmit 01JBX3AB --set crf=20 --set output=better.mkv --follow\n"
      "weft resubmit 01JBX3AB --set filters=resize=1280x720 -y\n"
      "weft resubmit 01JBX3AB 01JBX3CD --set 'output={dir}/{stem}.small.mkv' --set bitrate=800 --unset crf";
  command.run = [&context, resubmit] { return run(context, *resubmit); };
}

}  // namespace weft::cli
