// SPDX-License-Identifier: Apache-2.0
// weft completion SHELL: prints the shell's script. weft __complete -- WORDS: answers the script.
#include "client/devices.h"
#include "client/jobs.h"
#include "client_cli/command_line/complete.h"
#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"
#include "options/option.h"

namespace weft::cli {
namespace {

// Nobody waits longer than this for a list of candidates.
constexpr std::chrono::milliseconds kPatience(500);
constexpr int kJobs = 50;

std::shared_ptr<client::Connection> connect(const CommandContext& context) {
  auto connection = client::Connection::open({.server = context.server, .deadline = kPatience});
  return connection.ok() ? *connection : nullptr;
}

std::vector<Candidate> live_jobs(const CommandContext& context, const std::vector<v1::JobState>& states) {
  const auto connection = connect(context);
  v1::ListJobsRequest request;
  request.set_page_size(kJobs);
  for (const v1::JobState state : states) request.mutable_filter()->add_states(state);
  const auto found = connection == nullptr ? unavailable("none") : client::Jobs(connection).list(request);
  std::vector<Candidate> result;
  if (!found.ok()) return result;
  for (const v1::Job& job : found->jobs())
    result.push_back({job.id(), fmt::format("{}, {}", options::choice_name(job.state()), job_files(job))});
  return result;
}

std::vector<Candidate> live_devices(const CommandContext& context) {
  const auto connection = connect(context);
  const auto found = connection == nullptr ? unavailable("none") : client::Devices(connection).list();
  std::vector<Candidate> result;
  if (!found.ok()) return result;
  for (const v1::DeviceStatus& device : found->devices()) result.push_back({device.id(), device.name()});
  return result;
}

int answer(CommandContext& context, const std::vector<std::string>& words) {
  for (size_t i = 0; i + 1 < words.size(); i++)  // --server of the line that is being typed
    if (words[i] == "--server") context.server = words[i + 1];
  const LiveValues live{[&](const std::vector<v1::JobState>& states) { return live_jobs(context, states); },
                        [&] { return live_devices(context); }};
  const Completion completion = complete(*context.root, words, live);
  for (const Candidate& candidate : completion.candidates)
    context.print(candidate.word + "\t" + candidate.help + "\n");
  if (completion.files) context.print(":files\n");
  if (completion.goes_on) context.print(":goes-on\n");
  return kExitDone;
}

}  // namespace

void add_completion(Command& root, CommandContext& context) {
  const auto shell = std::make_shared<std::string>();
  Command& command = root.add("completion", "Prints the completion script of a shell.");
  Argument& word = command.word("SHELL", *shell, "bash, zsh or fish.").require();
  command.choose(word, *shell, {{"bash", "", 0}, {"zsh", "", 0}, {"fish", "", 0}});
  command.examples =
      "eval \"$(weft completion bash)\"\n"
      "weft completion fish > ~/.config/fish/completions/weft.fish";
  command.run = [&context, shell] {
    context.print(completion_script(*shell));
    return int(kExitDone);
  };

  const auto words = std::make_shared<std::vector<std::string>>();
  Command& hidden = root.add("__complete", "");
  hidden.hidden = true;
  hidden.take_rest = [words](std::vector<std::string> rest) {
    if (!rest.empty() && rest[0] == "--") rest.erase(rest.begin());
    *words = std::move(rest);
  };
  hidden.run = [&context, words] { return answer(context, *words); };
}

}  // namespace weft::cli
