// SPDX-License-Identifier: Apache-2.0
// Implements two passes of the encoder for VideoRunner. The first one goes over the whole video, in
// lanes, and its segments are durable like those of the pictures.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fault_point.h"
#include "server/media/write/encoder_pass.h"
#include "server/media/write/segment_file.h"
#include "server/media/write/video_encoder.h"
#include "server/worker/video/bit_budget.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {

// Makes the segments of the journal `name`.
Status VideoRunner::run_step(const std::string& name, VideoPlan& plan) {
  journal_ = journal_of(name);
  RETURN_IF_ERROR(resume_segments(plan));
  go_on_as_before(plan);
  return process(plan);
}

// Encodes the whole video once, and divides the bits of the second pass between the segments. If
// the quantisers turn out to be far from those of the second pass, the model of sizes is wrong, and
// the first pass is repeated with a nearer quality: that of the model, then that of a line through
// the logarithms of both sizes.
Status VideoRunner::measure(VideoPlan& plan) {
  constexpr double kNear = 2, kCrfOfDoubling = 6;
  media::EncoderPass& pass = plan.encoder.pass;
  pass.number = 1;
  pass.folder = share_.scratch_folder;
  const BitBudget budget{pass.mean_rate, plan.most_rate, media::reads_times(plan.encoder.encoder)};
  BitShares shares;
  double crf_before = 0, excess_before = 0;
  for (int number = 0;; number++) {
    plan.first_pass = first_pass_name(number);
    RETURN_IF_ERROR(run_step(plan.first_pass, plan));
    FAULT_POINT("worker.first_pass.finished");
    ASSIGN_OR_RETURN(shares, state_.check(divide_bits(finished_, plan.output, budget), Origin::kInput));
    events_.on_log(
        "info", fmt::format("First pass: crf {:.0f}; the second pass has quantisers {:.2f} times as coarse.",
                            pass.crf, shares.scale));
    begin_anew();
    const double crf = pass.crf, excess = std::log2(shares.excess);
    const bool is_near = shares.scale < kNear && shares.scale > 1 / kNear;
    if (is_near || number + 1 == kMostFirstPasses) break;
    double step = kCrfOfDoubling * std::log2(shares.scale);
    if (number > 0 && excess != excess_before) step = -excess * (crf - crf_before) / (excess - excess_before);
    pass.crf = media::allowed_first_pass_crf(crf + step);
    if (pass.crf == crf) break;
    crf_before = crf;
    excess_before = excess;
  }
  plan.segment_rates = std::move(shares.rates);
  const int64_t highest = *std::ranges::max_element(plan.segment_rates);
  ASSIGN_OR_RETURN(pass.level,
                   state_.check(media::common_level(plan.encoder, plan.output, highest), Origin::kOutput));
  pass.number = 2;
  return ok_status();
}

StatusOr<media::EncoderPass> VideoRunner::pass_of(int64_t segment, const VideoPlan& plan) const {
  media::EncoderPass pass = plan.encoder.pass;
  if (pass.number != 2) return pass;
  if (segment >= int64_t(plan.segment_rates.size()))
    return data_loss("The first pass found {} segments, and the second one has further frames.",
                     plan.segment_rates.size());
  pass.rate = plan.segment_rates[size_t(segment)];
  ASSIGN_OR_RETURN(const auto reader,
                   media::SegmentReader::open(journal_of(plan.first_pass).location(segment)));
  std::vector<uint8_t> statistics;
  RETURN_IF_ERROR(reader->read(reader->packets().size() - 1, statistics));
  pass.statistics.assign(statistics.begin(), statistics.end());
  return pass;
}

}  // namespace weft::worker
