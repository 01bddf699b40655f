// SPDX-License-Identifier: Apache-2.0
// weft profile save|list|show|delete: options of jobs under a name.
#include <algorithm>

#include "client/built_in_profiles.h"
#include "client/jobs.h"
#include "client/profiles.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/page.h"
#include "client_cli/output/table.h"
#include "options/job_kinds.h"

namespace weft::cli {
namespace {

constexpr const char* kNameHelp = "A profile's name, or a file (with a slash, or with .json at its end).";

struct Save {
  std::string name, job, description;
  bool overwrite = false;
};

StatusOr<v1::Profile> read(const std::string& name) {
  ASSIGN_OR_RETURN(v1::Profile profile, client::read_profile(name));
  profile.set_name(name);
  return profile;
}

int save(const CommandContext& context, const Save& asked) {
  const std::vector<std::string> stored = client::profile_names();
  const bool is_built_in =
      std::ranges::find(client::built_in_profiles(), asked.name, &client::BuiltInProfile::name) !=
      client::built_in_profiles().end();
  const bool is_there = is_built_in
                            ? std::ranges::find(stored, asked.name) != stored.end()
                            : client::read_profile(asked.name).status().code() != StatusCode::kNotFound;
  if (is_there && !asked.overwrite)
    return context.fail(already_exists(
        "There is a profile '{}' already; choose another name, or replace it (-y).", asked.name));
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto job = client::Jobs(*connection).get(asked.job);
  if (!job.ok()) return context.fail(job.status());
  v1::Profile profile = client::profile_of(*job);
  profile.set_description(asked.description);
  const Status written = client::write_profile(asked.name, profile);
  if (!written.ok()) return context.fail(written);
  profile.set_name(asked.name);
  if (context.json)
    context.print_json(profile);
  else
    context.note(fmt::format("Saved; `weft submit {} ... --profile '{}'` uses it.",
                             options::kind_name(profile.spec()), asked.name));
  return kExitDone;
}

int list(const CommandContext& context) {
  Table table({{"NAME"}, {"KIND"}, {"DESCRIPTION"}});
  int code = kExitDone;
  std::vector<std::string> names = client::profile_names();
  for (const client::BuiltInProfile& each : client::built_in_profiles())
    if (std::ranges::find(names, each.name) == names.end()) names.emplace_back(each.name);
  for (const std::string& name : names) {
    const auto profile = read(name);
    if (!profile.ok())
      code = worse(code, context.fail(profile.status()));
    else if (context.json)
      context.print_json(*profile);
    else
      table.add({{name},
                 {profile->has_spec() ? options::kind_name(profile->spec()) : "any"},
                 {profile->description()}});
  }
  if (!context.json) context.print(table.format(context.out));
  return code;
}

int show(const CommandContext& context, const std::string& name) {
  const auto profile = read(name);
  if (!profile.ok()) return context.fail(profile.status());
  if (context.json) {
    context.print_json(*profile);
    return kExitDone;
  }
  Page page(context.out);
  page.line("Profile", profile->name(), TextColour::kBold);
  page.line("Description", profile->description());
  page.add_options(options::kind_name(profile->spec()), options::job_message(profile->spec()));
  page.add_options("queue", profile->settings());
  context.print(page.take());
  return kExitDone;
}

int remove(const CommandContext& context, const std::vector<std::string>& names) {
  int code = kExitDone;
  for (const std::string& name : names)
    if (const Status removed = client::remove_profile(name); !removed.ok())
      code = worse(code, context.fail(removed));
  return code;
}

void add_save(Command& profile, CommandContext& context) {
  const auto state = std::make_shared<Save>();
  Command& command = profile.add("save", "Saves the options of a job, without its files, as a profile.");
  command.word("NAME", state->name, kNameHelp).require();
  command.value("--from-job", "ID", state->job, kIdHelp).require().completed_by(Values::Kind::kJob);
  command.value("--description", "TEXT", state->description, "A sentence for `weft profile list`.");
  command.flag("-y,--overwrite", state->overwrite, "Replace a profile of this name.");
  command.examples =
      "weft profile save archive --from-job 01JBX3\nweft submit video in.ts -o out.mkv --profile archive";
  command.run = [&context, state] { return save(context, *state); };
}

}  // namespace

void add_profile(Command& root, CommandContext& context) {
  Command& profile = root.add("profile", "Saves and lists options of jobs for --profile.");
  add_save(profile, context);
  profile.add("list", "Lists stored profiles and those that come with the program.").run = [&context] {
    return list(context);
  };

  const auto shown = std::make_shared<std::string>();
  Command& show_command = profile.add("show", "Shows the options of a profile.");
  show_command.word("NAME", *shown, kNameHelp).require().completed_by(Values::Kind::kProfile);
  show_command.run = [&context, shown] { return show(context, *shown); };

  const auto removed = std::make_shared<std::vector<std::string>>();
  Command& delete_command = profile.add("delete", "Deletes profiles.");
  delete_command.words("NAME", *removed, kNameHelp).require().completed_by(Values::Kind::kProfile);
  delete_command.run = [&context, removed] { return remove(context, *removed); };
}

}  // namespace weft::cli
