// SPDX-License-Identifier: Apache-2.0
#include "client_gui/connection/rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/printable.h"
#include "client/benchmark_plots.h"
#include "client/device_text.h"
#include "client/pictures.h"
#include "client/profiles.h"
#include "client/text.h"
#include "options/job_files.h"
#include "options/job_kinds.h"
#include "options/option.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job_service.pb.h"
#include "weft/v1/statistics_service.pb.h"

namespace weft::gui {
namespace {

double done_of(const v1::Job& job) {
  if (job.state() == v1::JOB_STATE_SUCCEEDED) return 1;
  const v1::JobProgress& progress = job.progress();
  if (progress.units_total() <= 0) return -1;
  return std::clamp(double(progress.units_done()) / double(progress.units_total()), 0.0, 1.0);
}

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }
// Returns text from users or files with control characters escaped.
QString shown(const std::string& utf8) { return text(printable(utf8)); }

// Returns the submit request as JSON, which is a valid profile.
QString json_of(const v1::Job& job) {
  v1::Profile asked;
  *asked.mutable_spec() = job.spec();
  *asked.mutable_settings() = job.settings();
  return text(client::profile_text(asked));
}

FindingRow finding_of(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark) {
  FindingRow row;
  row.name = text(options::choice_name(benchmark));
  for (const v1::Measurement& each : result.measurements()) {
    if (each.benchmark() != benchmark) continue;
    row.cases++;
    row.faults += each.fault().empty() ? 0 : 1;
    const double share = client::share_of_limit(each).value_or(-1);
    if (share <= row.share) continue;
    row.share = share;
    row.limit = shown(each.limit());
  }
  return row;
}

void add_findings(JobDetail& detail, const v1::JobResult& result) {
  for (const v1::BenchmarkName each : client::benchmarks_of(result.benchmark()))
    detail.findings.push_back(finding_of(result.benchmark(), each));
  for (const v1::TunedKernel& kernel : result.tuning().kernels()) {
    FindingRow row;
    row.name = shown(kernel.kernel());
    row.shape = shown(kernel.shape());
    if (kernel.seconds() > 0) row.speed_up = kernel.default_seconds() / kernel.seconds();
    detail.findings.push_back(std::move(row));
  }
}

void add_result(JobDetail& detail, const v1::JobResult& result) {
  add_findings(detail, result);
  detail.wall_seconds = client::seconds_of(result.wall_time());
  detail.gpu_seconds = client::seconds_of(result.gpu_time());
  detail.units_in = result.units_in();
  detail.units_out = result.units_out();
  detail.output_bytes = result.output_bytes();
  detail.segments = result.segments();
  detail.segments_resumed = result.segments_resumed();
  for (const std::string& note : result.notes()) detail.notes.push_back(shown(note));
  for (const v1::StageRate& stage : result.stages())
    if (const double busy = client::seconds_of(stage.busy()); busy > 0 && detail.wall_seconds > 0)
      detail.stages.push_back(
          {text(stage.stage()), double(stage.units()) / busy, busy / detail.wall_seconds});
}

DeviceSampleRow sample_of(const v1::DeviceSample& sample) {
  const client::TimeParts parts = client::time_parts(sample);
  DeviceSampleRow row;
  row.time = client::seconds_of(sample.time());
  row.interval = client::seconds_of(sample.interval());
  row.realtime = parts.realtime;
  row.normal = parts.normal;
  row.spare = parts.spare;
  row.external_load = parts.external_load;
  if (row.interval <= 0) return row;
  row.left = std::clamp(client::seconds_of(sample.schedule().spare()) / row.interval, 0.0, 1.0);
  row.budget = std::clamp(client::seconds_of(sample.schedule().budget()) / row.interval, 0.0, 1.0);
  return row;
}

StreamRow row_of(const v1::StreamSample& stream) {
  StreamRow row;
  row.number = stream.stream();
  row.stream_class = stream.stream_class();
  row.owner = shown(stream.owner());
  row.filter = shown(stream.filter());
  row.frames = QStringLiteral("%1x%2").arg(stream.format().width()).arg(stream.format().height());
  row.rate = stream.pictures_per_second();
  row.p50 = client::seconds_of(stream.report().latency_p50());
  row.p99 = client::seconds_of(stream.report().latency_p99());
  if (stream.has_deadline()) row.deadline = client::seconds_of(stream.deadline());
  row.pictures = stream.report().pictures_out();
  row.missed = stream.report().missed();
  return row;
}

TotalsRow totals_of(const std::string& name, const v1::JobTotals& totals) {
  return {shown(name),        totals.succeeded(), totals.failed(),
          totals.cancelled(), totals.units(),     client::seconds_of(totals.gpu_time())};
}

// Larger sample aspect ratios are treated as errors of the file.
constexpr double kMostPixelAspect = 8;

ComponentType samples_of(v1::PictureSamples samples) {
  switch (samples) {
    case v1::PICTURE_SAMPLES_SHORT:
      return ComponentType::kShort;
    case v1::PICTURE_SAMPLES_HALF:
      return ComponentType::kHalf;
    case v1::PICTURE_SAMPLES_FLOAT:
      return ComponentType::kFloat;
    default:
      return ComponentType::kByte;
  }
}

}  // namespace

QString labels_of(const v1::Job& job) {
  QStringList labels;
  for (const auto& [key, value] : job.settings().labels())
    labels.push_back(shown(fmt::format("{}={}", key, value)));
  labels.sort();
  return labels.join(' ');
}

JobRow row_of(const v1::Job& job) {
  const auto kind = options::job_kind_of(job.spec());
  const v1::JobProgress& progress = job.progress();
  const bool running = job.state() == v1::JOB_STATE_RUNNING;
  JobRow row;
  row.id = text(job.id());
  row.revision = job.revision();
  row.state = job.state();
  row.job_class = job.settings().job_class();
  row.priority = job.settings().priority();
  row.attempt = job.attempt();
  row.max_attempts = job.settings().max_attempts();
  row.done = done_of(job);
  row.units_done = progress.units_done();
  row.units_total = progress.units_total();
  if (running && progress.units_per_second() > 0) row.rate = progress.units_per_second();
  if (running && progress.has_eta()) row.eta_seconds = client::seconds_of(progress.eta());
  row.submit_time = client::seconds_of(job.submit_time());
  row.end_time = client::seconds_of(job.end_time());
  if (kind) row.kind = text(kind->name);
  row.files = shown(client::job_files(job));
  const std::vector<options::JobFile> outputs = options::files_of_job(job.spec()).outputs;
  if (!outputs.empty()) row.folder = text(outputs[0].folder());
  row.device = text(job.device());
  row.owner = shown(job.settings().owner());
  row.labels = labels_of(job);
  row.note = shown(job.has_error() ? job.error().message() : job.waiting_reason());
  if (running) row.limited_by = text(progress.limited_by());
  const std::vector<options::JobFile> inputs = options::files_of_job(job.spec()).inputs;
  row.is_set = !inputs.empty() && inputs[0].is_set;
  // The units of a texture are no pictures.
  const bool has_pictures = kind && kind->declaration().media() != v1::MEDIA_KIND_TEXTURE;
  if (job.state() == v1::JOB_STATE_SUCCEEDED && has_pictures) {
    row.units_in = job.result().units_in();
    row.first_unit = job.result().first_frame();
    row.units_out = job.result().units_out();
  }
  return row;
}

JobDetail detail_of(const v1::Job& job) {
  JobDetail detail;
  detail.id = text(job.id());
  detail.revision = job.revision();
  detail.input = shown(job.estimate().input_summary());
  detail.output = shown(job.estimate().output_summary());
  const options::JobFiles files = options::files_of_job(job.spec());
  for (const options::JobFile& file : files.inputs) detail.input_paths.push_back(shown(file.path));
  for (const options::JobFile& file : files.outputs) detail.output_paths.push_back(shown(file.path));
  detail.unit = text(options::unit_of(job.spec()));
  detail.stage = shown(job.progress().stage());
  detail.submit_time = client::seconds_of(job.submit_time());
  detail.start_time = client::seconds_of(job.start_time());
  detail.end_time = client::seconds_of(job.end_time());
  if (const auto kind = options::job_kind_of(job.spec())) {
    detail.reads_files = kind->input_option().has_value();
    detail.writes_files = kind->output_option().has_value();
  }
  if (job.has_result()) add_result(detail, job.result());
  for (const v1::JobAttempt& attempt : job.attempts())
    detail.attempts.push_back({attempt.number(), text(attempt.device()),
                               client::seconds_of(attempt.start_time()),
                               client::seconds_of(attempt.end_time()), shown(attempt.error().message())});
  detail.specification = json_of(job);
  return detail;
}

void add_explanation(JobDetail& detail, const v1::ExplainJobResponse& explanation) {
  for (const std::string& reason : explanation.reasons()) detail.reasons.push_back(shown(reason));
  for (const v1::DevicePrediction& prediction : explanation.predictions()) {
    if (!prediction.chosen()) continue;
    detail.chosen_device = text(prediction.device());
    if (prediction.has_running() || prediction.has_ahead())
      detail.begins_in_seconds =
          client::seconds_of(prediction.running()) + client::seconds_of(prediction.ahead());
    if (prediction.has_own()) detail.own_seconds = client::seconds_of(prediction.own());
  }
}

Statistics statistics_of(const v1::GetStatisticsResponse& response) {
  Statistics statistics;
  for (const v1::DayTotals& day : response.days())
    statistics.days.push_back(totals_of(day.day(), day.totals()));
  for (const v1::NamedTotals& owner : response.owners())
    statistics.owners.push_back(totals_of(owner.name(), owner.totals()));
  for (const v1::NamedTotals& kind : response.kinds())
    statistics.kinds.push_back(totals_of(kind.name(), kind.totals()));
  for (const v1::FailureTotals& failure : response.failures())
    statistics.failures.push_back({text(failure.reason()), failure.jobs(), shown(failure.newest_message())});
  return statistics;
}

LogRow line_of(const v1::ReadJobLogResponse& line) {
  return {line.attempt(), text(client::format_time(line.time())), text(line.level()),
          text(printable_lines(line.text()))};
}

DeviceRow row_of(const v1::DeviceStatus& device) {
  DeviceRow row;
  row.id = text(device.id());
  row.name = shown(device.name());
  row.state = device.state();
  row.reason = shown(device.reason());
  row.jobs = device.job_ids_size();
  row.worker_starts = device.worker_starts();
  row.server_draining = device.server_draining();
  row.queue_paused = device.queue_paused();
  row.memory_bytes = device.memory_bytes();
  if (!device.has_sample()) return row;
  const v1::DeviceSample& sample = device.sample();
  row.sample = sample_of(sample);
  row.memory_used_bytes = sample.memory_used_bytes();
  if (sample.readings().has_memory_used_bytes())
    row.total_memory_used_bytes = sample.readings().memory_used_bytes();
  row.last_batch = sample.last_batch_units();
  row.rate = sample.units_per_second();
  row.load = sample.schedule().predicted_load();
  row.hardware = text(client::format_readings(sample.readings()));
  if (row.sample->external_load > 0) row.external_load_note = shown(sample.schedule().foreign_reason());
  for (const v1::StreamSample& stream : sample.streams()) row.streams.push_back(row_of(stream));
  return row;
}

Picture picture_of(client::JobPicture&& picture) {
  const v1::PictureDescription& what = picture.description;
  Picture result;
  result.samples = samples_of(what.samples());
  result.width = what.width();
  result.height = what.height();
  const double aspect = what.pixel_aspect();
  if (aspect >= 1 / kMostPixelAspect && aspect <= kMostPixelAspect) result.pixel_aspect = aspect;
  result.interlaced = what.interlaced();
  result.top_field_first = what.top_field_first();
  result.pictures = what.pictures();
  result.file = shown(what.file());
  result.bytes = std::move(picture.samples);
  if (what.has_block_modes()) {
    const size_t blocks = size_t((what.width() + 3) / 4) * size_t((what.height() + 3) / 4);
    const size_t begin = result.bytes.size() - std::min(blocks, result.bytes.size());
    result.block_modes = result.bytes.substr(begin);
    result.bytes.resize(begin);
  }
  return result;
}

}  // namespace weft::gui
