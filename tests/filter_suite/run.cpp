// SPDX-License-Identifier: Apache-2.0
#include "tests/filter_suite/run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <google/protobuf/text_format.h>

#include "options/values.h"
#include "tests/filter_suite/guarded_device.h"

namespace weft::filters {

void write_planes(const Picture& picture, std::byte* const data[3], const int stride_bytes[3]) {
  const VideoFormat& format = picture.format;
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++) {
      std::byte* row = data[plane] + ptrdiff_t(y) * stride_bytes[plane];
      for (int x = 0; x < format.plane_width(plane); x++) {
        const uint16_t value = uint16_t(picture.at(plane, x, y));
        std::memcpy(row + x * format.sample_bytes(), &value, size_t(format.sample_bytes()));
      }
    }
}

Picture read_planes(const VideoFormat& format, const std::byte* const data[3], const int stride_bytes[3]) {
  Picture picture(format);
  for (int plane = 0; plane < format.planes(); plane++)
    for (int y = 0; y < format.plane_height(plane); y++) {
      const std::byte* row = data[plane] + ptrdiff_t(y) * stride_bytes[plane];
      for (int x = 0; x < format.plane_width(plane); x++)
        std::memcpy(&picture.at(plane, x, y), row + x * format.sample_bytes(), size_t(format.sample_bytes()));
    }
  return picture;
}

namespace {

Status take(Pipeline& pipeline, std::vector<TimedPicture>& pictures) {
  ASSIGN_OR_RETURN(const std::optional<OutputUnit> unit, pipeline.pop());
  if (!unit) return ok_status();
  pictures.push_back({read_planes(pipeline.target_format().video, unit->data, unit->stride_bytes), unit->time,
                      unit->source_index, unit->ends_source});
  return ok_status();
}

Status move_on(Pipeline& pipeline, const RunOptions& options, std::vector<TimedPicture>& pictures) {
  const int wanted = options.submit_size ? options.submit_size() : pipeline.max_units();
  if (pipeline.submit(wanted) > 0) return ok_status();
  return take(pipeline, pictures);
}

}  // namespace

StatusOr<Network> expand(device::Device* device, const std::vector<Options>& chain, const VideoFormat& format,
                         const PictureProperties& properties, int alternative, const Decisions& decisions) {
  static DeviceCaches* const none = nullptr;
  std::vector<const google::protobuf::Message*> filters;
  for (const Options& options : chain) filters.push_back(options.get());
  Network network;
  const Port source = network.set_source(PortFormat::picture(format), properties);
  FilterContext context;
  context.device = device;
  context.caches = device == nullptr ? none : &caches_of(*device);
  context.path = "filters";
  context.alternative = alternative;
  context.decisions = &decisions;
  const OptionFiles files = case_files(context.path, filters);
  context.files = &files;
  RETURN_IF_ERROR(expand_network(context, filters, network, source).status());
  if (device != nullptr) RETURN_IF_ERROR(prepare(*device, network));
  return network;
}

StatusOr<std::vector<TimedPicture>> run_clip(device::Device& device, const std::vector<Options>& chain,
                                             const Clip& clip, const RunOptions& options) {
  Decisions decisions;
  if (options.decisions != nullptr) {
    decisions = *options.decisions;
  } else {
    ASSIGN_OR_RETURN(decisions, decide(device, chain, clip, options.properties));
  }
  ASSIGN_OR_RETURN(Network network, expand(&device, chain, clip.format, options.properties, -1, decisions));
  return run_network(device, std::move(network), clip, options);
}

StatusOr<std::vector<TimedPicture>> run_network(device::Device& device, Network network, const Clip& clip,
                                                const RunOptions& options) {
  PipelineOptions how;
  how.plan = options.plan;
  how.state = options.state;
  ASSIGN_OR_RETURN(const std::unique_ptr<Pipeline> pipeline, Pipeline::make(device, std::move(network), how));
  std::vector<TimedPicture> pictures;
  for (size_t i = 0; i < clip.frames.size(); i++) {
    while (!pipeline->has_capacity()) RETURN_IF_ERROR(move_on(*pipeline, options, pictures));
    ASSIGN_OR_RETURN(const StagedUnit staged, pipeline->stage());
    write_planes(clip.frames[i], staged.data, staged.stride_bytes);
    pipeline->push(clip.infos[i]);
    if (options.submit_size) pipeline->submit(options.submit_size());
  }
  pipeline->finish();
  while (!pipeline->is_empty()) RETURN_IF_ERROR(move_on(*pipeline, options, pictures));
  if (options.state_after != nullptr) *options.state_after = pipeline->state_after(options.state_at);
  return pictures;
}

StatusOr<std::vector<std::byte>> measure(device::Device& device, Network network, const Clip& clip) {
  ASSIGN_OR_RETURN(const auto pipeline, Pipeline::make(device, std::move(network), {}));
  const size_t bytes = pipeline->target_format().bytes;
  std::vector<std::byte> records;
  size_t pushed = 0;
  while (!pipeline->is_empty()) {
    while (pushed < clip.frames.size() && pipeline->has_capacity()) {
      ASSIGN_OR_RETURN(const StagedUnit staged, pipeline->stage());
      write_planes(clip.frames[pushed], staged.data, staged.stride_bytes);
      pipeline->push(clip.infos[pushed++]);
    }
    if (pushed == clip.frames.size() && !pipeline->is_submitted()) pipeline->finish();
    pipeline->submit(pipeline->max_units());
    ASSIGN_OR_RETURN(const auto unit, pipeline->pop());
    if (!unit) continue;
    const RecordTimes times{unit->time.pts, unit->time.duration};
    const auto head = std::as_bytes(std::span(&times, 1));
    records.insert(records.end(), head.begin(), head.end());
    records.insert(records.end(), unit->data[0], unit->data[0] + bytes);
  }
  return records;
}

StatusOr<Decisions> decide(device::Device& device, const std::vector<Options>& chain, const Clip& clip,
                           const PictureProperties& properties) {
  Decisions decisions;
  while (true) {
    ASSIGN_OR_RETURN(Network network, expand(&device, chain, clip.format, properties, -1, decisions));
    if (!network.analysis()) return decisions;
    const Analysis analysis = *network.analysis();
    const size_t bytes_each = network.format(analysis.records).bytes;
    ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, measure(device, std::move(network), clip));
    ASSIGN_OR_RETURN(AnalysisDecision decision, analysis.decide({bytes_each, bytes}));
    decisions[analysis.name] = std::make_shared<AnalysisDecision>(std::move(decision));
  }
}

std::vector<Picture> pictures_of(const std::vector<TimedPicture>& timed) {
  std::vector<Picture> pictures;
  for (const TimedPicture& picture : timed) pictures.push_back(picture.picture);
  return pictures;
}

namespace {

// Fills in the defaults, in chains within a filter as well.
void fill_in_defaults(google::protobuf::Message& options) {
  options::apply_defaults(options);
  const auto& reflection = *options.GetReflection();
  for (int i = 0; i < options.GetDescriptor()->field_count(); i++) {
    const auto* field = options.GetDescriptor()->field(i);
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE || !field->is_repeated())
      continue;
    for (int element = 0; element < reflection.FieldSize(options, field); element++) {
      auto* filter = reflection.MutableRepeatedMessage(&options, field, element);
      const auto* chosen =
          filter->GetReflection()->GetOneofFieldDescriptor(*filter, filter->GetDescriptor()->oneof_decl(0));
      if (chosen != nullptr) fill_in_defaults(*filter->GetReflection()->MutableMessage(filter, chosen));
    }
  }
}

}  // namespace

Options parse_options(std::string_view filter, std::string_view text) {
  const Registration* registration = find_filter(filter);
  if (registration == nullptr) std::abort();
  const auto* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(registration->message());
  Options options(prototype->New());
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text), options.get())) std::abort();
  fill_in_defaults(*options);
  return options;
}

namespace {

struct OpenDevice {
  std::unique_ptr<device::Device> device;
  DeviceCaches caches;  // destroyed before the device
};

const std::vector<std::unique_ptr<OpenDevice>>& open_devices() {
  static const std::vector<std::unique_ptr<OpenDevice>> opened = [] {
    std::vector<std::unique_ptr<OpenDevice>> devices;
    for (const device::DeviceInfo& info : device::list_devices_and_twins(nullptr)) {
      auto device = info.kind == device::BackendKind::kCpu ? open_guarded(info) : device::open_device(info);
      if (!device.ok()) continue;
      devices.push_back(std::make_unique<OpenDevice>());
      devices.back()->device = *std::move(device);
    }
    return devices;
  }();
  return opened;
}

}  // namespace

std::vector<device::Device*> test_devices() {
  std::vector<device::Device*> devices;
  for (const auto& open : open_devices()) devices.push_back(open->device.get());
  return devices;
}

DeviceCaches& caches_of(device::Device& device) {
  for (const auto& open : open_devices())
    if (open->device.get() == &device) return open->caches;
  std::abort();
}

}  // namespace weft::filters
