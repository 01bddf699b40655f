// SPDX-License-Identifier: Apache-2.0
// weft bench list|run|show|compare|history|plot|report: performance of the machine's devices,
// measured by jobs.
#include <filesystem>
#include <fstream>

#include "base/printable.h"
#include "client/benchmark_plots.h"
#include "client/devices.h"
#include "client_cli/commands/commands.h"
#include "client_cli/jobs/bench_texts.h"
#include "client_cli/jobs/daemon_choice.h"
#include "client_cli/jobs/results.h"
#include "client_cli/jobs/submission.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/json.h"
#include "client_cli/output/text.h"
#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::cli {
namespace {

using client::BenchmarkRun;

constexpr size_t kMostShown = 100;     // jobs of a history
constexpr size_t kMostInReport = 500;  // jobs that are looked at for the newest of each device

struct BenchRun {
  std::vector<std::string> names, sizes, variants;
  std::string device, runs;
  bool csv = false;
};

// Finds a result by the id of its job, by its file, or the newest if `what` is empty. NOT_FOUND,
// and the daemon's errors.
StatusOr<BenchmarkRun> find_result(const CommandContext& context, const std::string& what) {
  if (std::error_code error; !what.empty() && std::filesystem::is_regular_file(what, error)) {
    std::ifstream file(what, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    auto result = client::parse_result(text);
    if (!result.ok()) return with_context(result.status(), what);
    return BenchmarkRun{what, *std::move(result)};
  }
  ASSIGN_OR_RETURN(const auto connection, context.connect());
  client::Jobs jobs(connection);
  if (what.empty()) {
    ASSIGN_OR_RETURN(std::vector<BenchmarkRun> newest, client::fetch_results(jobs, "", 1));
    if (newest.empty()) return not_found("There are no results yet; run `weft bench run`.");
    return std::move(newest[0]);
  }
  ASSIGN_OR_RETURN(const v1::Job job, jobs.get(what));
  if (!job.result().has_benchmark())
    return not_found("The job {} has no benchmark result; `weft bench history` lists jobs with results.",
                     job.id());
  return BenchmarkRun{job.id(), job.result().benchmark()};
}

int run_list(const CommandContext& context) {
  context.print(format_benchmarks(context.out, context.json));
  return kExitDone;
}

// The job's message is filled as flags of `weft submit bench` would fill it.
StatusOr<v1::SubmitJobRequest> request_of(const BenchRun& asked) {
  v1::SubmitJobRequest request;
  v1::BenchmarkJob& job = *request.mutable_spec()->mutable_benchmark();
  const auto fill = [&](std::string_view flag, const std::vector<std::string>& values) -> Status {
    for (const std::string& value : values)
      RETURN_IF_ERROR(options::set_from_text(job, *options::find_option(job.GetDescriptor(), flag), value));
    return ok_status();
  };
  RETURN_IF_ERROR(fill("name", asked.names));
  RETURN_IF_ERROR(fill("size", asked.sizes));
  RETURN_IF_ERROR(fill("variant", asked.variants));
  if (!asked.runs.empty()) RETURN_IF_ERROR(fill("runs", {asked.runs}));
  request.mutable_settings()->set_device(asked.device);
  return request;
}

int run_benchmarks(const CommandContext& context, const BenchRun& asked) {
  const auto request = request_of(asked);
  if (!request.ok()) return context.fail_usage(request.status());
  FollowOptions options;
  options.progress = !context.json && !context.quiet;
  return work_with_daemon(
      context, options,
      [&](const auto& connection, const FollowOptions& follow_options, std::vector<v1::Job>& jobs) {
        const int code = send(context, connection, {*request}, jobs);
        return worse(code, follow_to_results(context, connection, jobs, follow_options, asked.csv));
      });
}

int run_compare(const CommandContext& context, const std::string& first, const std::string& second) {
  const auto a = find_result(context, first), b = find_result(context, second);
  for (const auto* each : {&a, &b})
    if (!each->ok()) return context.fail(each->status());
  const auto compared = client::compare_results(a->result, b->result);
  if (compared.empty())
    return context.fail(
        not_found("The two results have no case in common; `weft bench show` lists their cases."));
  context.print(format_comparison(context.out, *a, *b, compared, context.json));
  return kExitDone;
}

int run_history(const CommandContext& context, const std::vector<std::string>& names,
                const std::string& device) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs jobs(*connection);
  const auto runs = client::fetch_results(jobs, device, kMostShown);
  if (!runs.ok()) return context.fail(runs.status());
  const auto wanted = parse_benchmarks(names);
  if (!wanted.ok()) return context.fail_usage(wanted.status());
  if (context.json) {
    for (const BenchmarkRun& run : *runs) context.print_json(run.result);
    return kExitDone;
  }
  context.print(format_history(context.out, *runs, *wanted));
  return kExitDone;
}

Status write_text_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return permission_denied("The file {} cannot be written; look at its folder.", path);
  return ok_status();
}

void print_path(const CommandContext& context, const std::string& path) {
  context.print(context.json ? json_line({{"file", json_string(path)}}) : path + "\n");
}

int run_plot(const CommandContext& context, const std::string& job, const std::string& folder) {
  const auto found = find_result(context, job);
  if (!found.ok()) return context.fail(found.status());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const v1::BenchmarkName benchmark : client::benchmarks_of(found->result)) {
    for (const auto& [value, word] :
         {std::pair{client::PlottedValue::kTime, "time"}, {client::PlottedValue::kShare, "share"}}) {
      const std::string name = fmt::format("{}-{}.svg", options::choice_name(benchmark), word);
      const std::string path = (std::filesystem::path(folder) / name).string();
      const Status written = write_text_file(path, client::plot_svg(found->result, benchmark, value));
      if (!written.ok()) return context.fail(written);
      print_path(context, path);
    }
  }
  return kExitDone;
}

// The newest of each device.
int run_report(const CommandContext& context, const std::string& path) {
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  const auto devices = client::Devices(*connection).list();
  if (!devices.ok()) return context.fail(devices.status());
  client::Jobs jobs(*connection);
  auto runs = client::fetch_results(jobs, "", kMostInReport);
  if (!runs.ok()) return context.fail(runs.status());
  const Status written =
      write_text_file(path, client::report_html(*devices, newest_of_each(*std::move(runs))));
  if (!written.ok()) return context.fail(written);
  print_path(context, path);
  return kExitDone;
}

void add_run_and_show(Command& bench, CommandContext& context) {
  const auto asked = std::make_shared<BenchRun>();
  Command& run = bench.add("run", "Runs benchmarks on a device, waits for the end and prints the result.");
  Argument& benchmarks = run.words("NAME", asked->names, "Benchmarks (`weft bench list`). Default: all.");
  benchmarks.values = {Values::Kind::kWord, options::choices_of(v1::BenchmarkName_descriptor())};
  run.value("--device", "DEVICE", asked->device, "Device to measure. Default: any.")
      .completed_by(Values::Kind::kDevice);
  run.value("--size", "SIZE", asked->sizes,
            "Problem size: 4096, 2^24, 1920x1080; repeatable. Default: the benchmark's own sizes.");
  run.value("--variant", "NAME", asked->variants, "Variant to run; repeatable. Default: all.");
  run.value("--runs", "N", asked->runs, "Number of timed runs of each case.");
  run.flag("--csv", asked->csv, "Print the result as CSV.");
  run.examples =
      "weft bench run vector --device cuda:0\nweft bench run compaction gemm --size 2^24 --json > "
      "result.json";
  run.run = [&context, asked] { return run_benchmarks(context, *asked); };

  struct Shown {
    std::string job;
    bool csv = false;
  };
  const auto shown = std::make_shared<Shown>();
  Command& show = bench.add("show", "Prints a result. Default: the newest.");
  show.word("JOB|FILE", shown->job, "A job's id or its beginning, or a file with a result.");
  show.flag("--csv", shown->csv, "Print the result as CSV.");
  show.run = [&context, shown] {
    const auto found = find_result(context, shown->job);
    if (!found.ok()) return context.fail(found.status());
    print_benchmark(context, *found, shown->csv);
    return int(kExitDone);
  };
}

void add_views(Command& bench, CommandContext& context) {
  struct ViewOptions {
    std::string first, second, device, job, folder = ".", page = "weft-benchmarks.html";
    std::vector<std::string> names;
  };
  const auto view_options = std::make_shared<ViewOptions>();
  Command& compare = bench.add("compare", "Compares two results case by case: speed-up of the second.");
  compare.word("FIRST", view_options->first, "A job's id or its beginning, or a file with a result.")
      .require();
  compare.word("SECOND", view_options->second, "Likewise.").require();
  compare.run = [&context, view_options] {
    return run_compare(context, view_options->first, view_options->second);
  };

  Command& history =
      bench.add("history", "Lists results, newest first; with names, every case of these benchmarks.");
  history.words("NAME", view_options->names, "A benchmark (`weft bench list`).");
  history.value("--device", "DEVICE", view_options->device, "Results of this device only.")
      .completed_by(Values::Kind::kDevice);
  history.run = [&context, view_options] {
    return run_history(context, view_options->names, view_options->device);
  };

  Command& plot =
      bench.add("plot", "Writes plots of a result as SVG: time and share of the limit over the size.");
  plot.word("JOB|FILE", view_options->job,
            "A job's id or its beginning, or a file with a result. Default: the newest.");
  plot.value("-o,--output", "FOLDER", view_options->folder, "Output folder. Default: the current one.")
      .completed_by(Values::Kind::kFile);
  plot.run = [&context, view_options] { return run_plot(context, view_options->job, view_options->folder); };

  Command& report =
      bench.add("report", "Writes a page with the devices of the machine and the newest result of each.");
  report.value("-o,--output", "FILE", view_options->page, "Output page. Default: weft-benchmarks.html.")
      .completed_by(Values::Kind::kFile);
  report.run = [&context, view_options] { return run_report(context, view_options->page); };
}

}  // namespace

void add_bench(Command& root, CommandContext& context) {
  Command& bench = root.add("bench", "Runs benchmarks of devices and shows their results.");
  bench.add("list", "Lists the benchmarks.").run = [&context] { return run_list(context); };
  add_run_and_show(bench, context);
  add_views(bench, context);
}

}  // namespace weft::cli
