// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/job_result.h"

#include <algorithm>
#include <cmath>

#include <google/protobuf/util/time_util.h>

namespace weft::worker {
namespace {

using google::protobuf::util::TimeUtil;

void add_stage(v1::JobResult& result, const char* name, const StageMeter& meter) {
  auto& stages = *result.mutable_stages();
  auto found =
      std::find_if(stages.begin(), stages.end(), [&](const auto& stage) { return stage.stage() == name; });
  v1::StageRate& stage = found == stages.end() ? *result.add_stages() : *found;
  stage.set_stage(name);
  stage.set_units(stage.units() + meter.units);
  *stage.mutable_busy() = stage.busy() + TimeUtil::NanosecondsToDuration(meter.busy().count());
}

}  // namespace

v1::JobResult add_up(const v1::JobResult& earlier, const JobMeter& meter, Duration wall_time) {
  using google::protobuf::operator+;
  v1::JobResult result = earlier;
  result.set_units_in(meter.units_done);
  result.set_units_out(meter.outputs_done);
  result.set_corrupt_packets(meter.corrupt_packets);
  *result.mutable_gpu_time() = earlier.gpu_time() + TimeUtil::NanosecondsToDuration(meter.device_ns);
  *result.mutable_wall_time() = earlier.wall_time() + TimeUtil::NanosecondsToDuration(wall_time.count());
  add_stage(result, "decode", meter.decode);
  add_stage(result, "copy", meter.copy);
  add_stage(result, "filter", meter.filter);
  add_stage(result, "encode", meter.encode);
  return result;
}

v1::JobProgress progress_of(const JobMeter& meter, double rate, const char* stage,
                            std::string_view limited_by) {
  v1::JobProgress progress;
  const int64_t done = meter.units_done;
  const int64_t total = meter.units_total;
  progress.set_units_done(done);
  // otherwise the estimate was too low and is omitted
  if (total >= done) progress.set_units_total(total);
  progress.set_units_per_second(rate);
  // rounded up to whole seconds, so that it is never 0 before the end
  if (total > done && rate > 0)
    *progress.mutable_eta() = TimeUtil::SecondsToDuration(int64_t(std::ceil(double(total - done) / rate)));
  progress.set_outputs_done(meter.outputs_done);
  progress.set_stage(stage);
  progress.set_limited_by(limited_by.data(), limited_by.size());
  return progress;
}

}  // namespace weft::worker
