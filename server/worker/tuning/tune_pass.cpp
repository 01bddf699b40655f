// SPDX-License-Identifier: Apache-2.0
#include "server/worker/tuning/tune_pass.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>

#include <google/protobuf/text_format.h>

#include "options/values.h"

namespace weft::worker {
namespace {

uint64_t add_bytes(uint64_t hash, std::span<const std::byte> bytes) {  // FNV-1a, eight bytes at a time
  constexpr uint64_t kPrime = 0x100000001b3;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  for (; i < bytes.size(); i++) hash = (hash ^ std::to_integer<uint64_t>(bytes[i])) * kPrime;
  return hash;
}

uint64_t add_unit(uint64_t hash, const filters::PortFormat& format, const filters::OutputUnit& unit) {
  if (format.kind != filters::PortKind::kPicture) return add_bytes(hash, {unit.data[0], format.bytes});
  const VideoFormat& video = format.video;
  for (int plane = 0; plane < video.planes(); plane++)
    for (int y = 0; y < video.plane_height(plane); y++)
      hash = add_bytes(hash, {unit.data[plane] + ptrdiff_t(y) * unit.stride_bytes[plane],
                              size_t(video.plane_width(plane)) * size_t(video.sample_bytes())});
  return hash;
}

// Edges and slopes that move from frame to frame, with a little noise: what filters look for is there, and none of their ways is left out.
void draw(const VideoFormat& format, int64_t frame, const filters::StagedUnit& staged) {
  const uint32_t mask = (1u << format.bit_depth) - 1;
  uint32_t noise = 1 + uint32_t(frame);
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++) {
      std::byte* row = staged.data[plane] + ptrdiff_t(y) * staged.stride_bytes[plane];
      for (int x = 0; x < format.plane_width(plane); x++) {
        noise = noise * 1664525u + 1013904223u;
        const uint32_t edges = uint32_t(x + 3 * frame) / 24 % 2 * (mask / 3);
        const uint32_t value = (edges + uint32_t(x) + 2 * uint32_t(y) + (noise >> 29)) & mask;
        if (format.sample_bytes() == 1) {
          row[x] = std::byte(value);
        } else {
          const auto word = uint16_t(value);
          std::memcpy(row + 2 * ptrdiff_t(x), &word, sizeof(word));
        }
      }
    }
}

Status push_frame(filters::Pipeline& pipeline, int64_t index) {
  ASSIGN_OR_RETURN(const filters::StagedUnit staged, pipeline.stage());
  draw(pipeline.source_format().video, index, staged);
  filters::FrameInfo info;
  info.pts = index;
  info.interlaced = true;
  info.top_field_first = true;
  pipeline.push(info);
  return ok_status();
}

// A round is one unit, so that its launches are of the same sizes each time. Where frames are done in portions, each is one.
class WholeRounds final : public filters::Batches {
 public:
  explicit WholeRounds(filters::Pipeline& pipeline) : pipeline_(pipeline) {}

  bool has_room() const override { return pipeline_.has_room(); }
  void finish() override { pipeline_.finish(); }
  int ready() const override { return has_portions() ? pipeline_.ready() : std::min(pipeline_.ready(), 1); }
  int submit(int max_units, const filters::SubmittedBatch& after) override {
    submits_++;
    if (has_portions()) return pipeline_.submit(max_units, after);
    return std::min(pipeline_.submit(pipeline_.max_units(), after), 1);
  }
  filters::SubmittedBatch last_batch() const override { return pipeline_.last_batch(); }
  StatusOr<Duration> wait_for(const filters::SubmittedBatch& batch) override {
    return pipeline_.wait_for(batch);
  }
  bool is_complete() const override { return true; }
  bool is_submitted() const override { return pipeline_.is_submitted(); }
  bool is_empty() const override { return pipeline_.is_empty(); }
  std::vector<filters::BatchTime> take_costs() override { return pipeline_.take_costs(); }
  // How often submit() was called: counted before it takes anything. Any thread.
  int submits() const { return submits_; }

 private:
  bool has_portions() const { return pipeline_.portions() > 1; }

  filters::Pipeline& pipeline_;
  std::atomic<int> submits_{0};
};

}  // namespace

std::string TuneSubject::name() const {
  return fmt::format("{} ({}x{}, {} bits, batches of {})", filter->name(), format.width, format.height,
                     format.bit_depth, batch);
}

StatusOr<std::vector<TuneSubject>> tune_subjects(const std::vector<std::string>& filters,
                                                 const device::DeviceInfo& info) {
  std::vector<const filters::Registration*> chosen;
  for (const std::string& name : filters) {
    const filters::Registration* filter = filters::find_filter(name);
    if (filter == nullptr)
      return not_found("There is no filter '{}'; `weft help --filters` lists them.", name);
    chosen.push_back(filter);
  }
  if (filters.empty()) chosen.assign(filters::all_filters().begin(), filters::all_filters().end());
  std::vector<TuneSubject> subjects;
  for (const filters::Registration* filter : chosen) {
    if (!filter->range.takes_pictures) continue;
    std::set<std::tuple<std::string_view, Chroma, int>> seen;
    for (const filters::Case& one : filter->cases) {
      if (!seen.emplace(one.options, one.format.chroma, one.format.bit_depth).second) continue;
      const auto* prototype =
          google::protobuf::MessageFactory::generated_factory()->GetPrototype(filter->message());
      std::shared_ptr<google::protobuf::Message> message(prototype->New());
      if (!google::protobuf::TextFormat::ParseFromString(std::string(one.options), message.get())) continue;
      options::apply_defaults(*message);
      VideoFormat format = one.format;
      format.width = info.is_software ? 352 : 1920;
      format.height = info.is_software ? 288 : 1080;
      for (const int batch : {1, 4}) subjects.push_back({filter, message, format, batch});
    }
  }
  return subjects;
}

StatusOr<std::unique_ptr<filters::Pipeline>> TunePass::open(const TuneSubject& subject) {
  filters::Network network;
  {
    const auto turn = share_.loop.opening_turn();
    filters::FilterContext context;
    context.device = &share_.device;
    context.caches = &share_.caches;
    const filters::Port source = network.set_source(filters::PortFormat::picture(subject.format));
    ASSIGN_OR_RETURN(const filters::Port result,
                     filters::expand_filter(context, *subject.options, network, source));
    RETURN_IF_ERROR(network.set_outputs({network.analysis() ? network.analysis()->records : result}));
  }
  schedule::SourceSpec source = source_;
  source.cost_key = "tuning";
  RETURN_IF_ERROR(preparing_.run(share_.device, network, source));
  const auto turn = share_.loop.opening_turn();
  filters::PipelineOptions options;
  options.plan = {.batch = subject.batch, .in_flight = 1, .held = 0};
  options.observer = &observer_;
  return filters::Pipeline::make(share_.device, std::move(network), options);
}

StatusOr<uint64_t> TunePass::run(const TuneSubject& subject, const std::function<StatusOr<bool>()>& next) {
  ASSIGN_OR_RETURN(std::unique_ptr<filters::Pipeline> pipeline, open(subject));
  const StatusOr<uint64_t> hash = run_all(*pipeline, subject, next);
  const auto turn = share_.loop.opening_turn();  // memory is freed
  pipeline.reset();
  return hash;
}

StatusOr<uint64_t> TunePass::run_all(filters::Pipeline& pipeline, const TuneSubject& subject,
                                     const std::function<StatusOr<bool>()>& next) {
  schedule::SourceSpec source = source_;
  source.cost_key = "tuning " + subject.name();
  source.max_units = pipeline.portions() > 1 ? pipeline.max_units() : 1;
  source.portions = pipeline.portions();
  uint64_t hash = 0xcbf29ce484222325;
  int64_t pushed = 0;
  WholeRounds rounds(pipeline);
  bool is_started = false, is_finished = false;
  const auto step = [&]() -> StatusOr<bool> {
    const bool waits = pipeline.ready() > 0;  // for its turn; asked before what is in flight
    ASSIGN_OR_RETURN(const auto unit, pipeline.pop());
    if (unit) {
      hash = add_unit(hash, pipeline.target_format(), *unit);
      return true;
    }
    if (is_finished || waits) return false;
    if (std::exchange(is_started, false)) {
      ASSIGN_OR_RETURN(const bool goes_on, next());
      if (!goes_on) {
        is_finished = true;
        pipeline.finish();
        return false;
      }
    }
    const int before = rounds.submits();
    for (int i = 0; i < subject.batch && pipeline.has_room(); i++)
      RETURN_IF_ERROR(push_frame(pipeline, pushed++));
    is_started = pipeline.ready() > 0 || rounds.submits() != before;  // the loop may be there already
    return !is_started;  // a filter that looks ahead wants more frames before it begins
  };
  RETURN_IF_ERROR(
      preparing_.run_all(rounds, std::move(source), Duration::max(), "The kernels cannot be tuned", step));
  return hash;
}

StatusOr<uint64_t> TunePass::run_batches(const TuneSubject& subject, int batches) {
  int left = batches;
  return run(subject, [&]() -> StatusOr<bool> { return --left > 0; });
}

}  // namespace weft::worker
