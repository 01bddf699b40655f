// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/results.h"

#include "client/jobs.h"
#include "client_cli/jobs/bench_texts.h"
#include "client_cli/jobs/submission.h"
#include "client_cli/output/table.h"
#include "client_cli/output/text.h"

namespace weft::cli {
namespace {

std::string microseconds(double seconds) { return fmt::format("{:.1f} us", 1e6 * seconds); }

}  // namespace

std::string format_tuned(const Terminal& terminal,
                         const google::protobuf::RepeatedPtrField<v1::TunedKernel>& kernels) {
  Table table({{"KERNEL"},
               {"LANES", Align::kRight},
               {"SHAPE"},
               {"TIME", Align::kRight},
               {"DEFAULT"},
               {"TIME", Align::kRight},
               {"GAIN", Align::kRight},
               {"CONFIDENCE", Align::kRight, 1},
               {"FOUND"},
               {"WHY", Align::kLeft, 2, 10, true}});
  for (const v1::TunedKernel& kernel : kernels) {
    const bool is_tuned = kernel.shape() != kernel.default_shape();
    const double gain =
        kernel.default_seconds() > 0 ? 100 * (1 - kernel.seconds() / kernel.default_seconds()) : 0;
    table.add({{kernel.kernel()},
               {fmt::format("2^{}", kernel.size_class())},
               {kernel.shape(), is_tuned ? TextColour::kGreen : TextColour::kNone},
               {microseconds(kernel.seconds())},
               {kernel.default_shape()},
               {microseconds(kernel.default_seconds())},
               {is_tuned ? fmt::format("{:.1f}%", gain) : "-"},
               {is_tuned ? fmt::format("{:.3f}", kernel.confidence()) : "-"},
               {kernel.has_time() ? format_time(kernel.time()) : "-"},
               {kernel.reason()}});
  }
  return table.format(terminal);
}

void print_benchmark(const CommandContext& context, const client::BenchmarkRun& run, bool csv) {
  if (csv)
    context.print(client::to_csv(run.result));
  else if (context.json)
    context.print_json(run.result);
  else
    context.print(format_result(context.out, run));
}

void print_tuned(const CommandContext& context, const v1::TuneResult& tuned) {
  if (context.json)
    context.print_json(tuned);
  else
    context.print(format_tuned(context.out, tuned.kernels()));
}

int follow_to_results(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
                      const std::vector<v1::Job>& jobs, const FollowOptions& options, bool csv) {
  CommandContext following = context;
  following.json = false;
  const int code = follow_jobs(following, connection, jobs, options);
  print_results(context, connection, jobs, csv);
  return code;
}

void print_results(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
                   const std::vector<v1::Job>& jobs, bool csv) {
  client::Jobs client(connection);
  for (const v1::Job& job : jobs) {
    const auto now = client.get(job.id());
    if (!now.ok()) continue;  // the following told it
    if (!now->result().benchmark().measurements().empty())
      print_benchmark(context, {now->id(), now->result().benchmark()}, csv);
    if (!now->result().tuning().kernels().empty()) print_tuned(context, now->result().tuning());
  }
}

}  // namespace weft::cli
