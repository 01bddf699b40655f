// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/chain.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include <unistd.h>

#include "options/chain.h"
#include "options/filters.h"
#include "options/values.h"
#include "server/graph/plan_graph.h"
#include "server/media/image/image_file.h"

namespace weft::worker {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

StatusOr<filters::RgbPicture> read_picture(const OpenJobFile& input) {
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(input));
  ASSIGN_OR_RETURN(media::Image image, media::read_image(*file, {}));
  ASSIGN_OR_RETURN(image, media::upright(std::move(image)));
  filters::RgbPicture picture;
  picture.width = image.info.data.width;
  picture.height = image.info.data.height;
  picture.rgb.reserve(size_t(image.info.data.pixels()) * 3);
  for (size_t i = 0; i < image.sample_count(); i++)
    if (i % 4 != 3) picture.rgb.push_back(image.sample(i));
  return picture;
}

StatusOr<filters::FileBytes> read_bytes(const OpenJobFile& input) {
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(input));
  if (file->bytes() > kMostRawFileBytes)
    return invalid_argument("{} has {} bytes, and a file of a filter's has {} at most.", file->name(),
                            file->bytes(), kMostRawFileBytes);
  filters::FileBytes bytes(static_cast<size_t>(file->bytes()));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t count = ::pread(file->descriptor(), &bytes[at], bytes.size() - at, off_t(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return media::system_error(errno, "read", file->name());
    if (count == 0) return data_loss("{} ends after {} of its {} bytes.", file->name(), at, bytes.size());
    at += size_t(count);
  }
  return bytes;
}

std::string name_of_chain(const std::vector<const Message*>& filters) {
  std::string name;
  for (const Message* filter : filters) {
    if (!name.empty()) name += ',';
    name += filter->GetDescriptor()->options().GetExtension(v1::filter).name();
  }
  return name.empty() ? "none" : name;
}

// Returns the network of the chain. If `share` is null, the network has no device and only
// describes the chain.
// `inexact` receives the name of the first filter with results that differ between devices.
// `ends_at_analysis` is that of FilterContext.
StatusOr<graph::Network> network_of(const Chain& chain, const DeviceShare* share,
                                    std::function<void()> alive = {}, std::string* inexact = nullptr,
                                    bool ends_at_analysis = false) {
  const FieldDescriptor* field = options::chain_of(chain.owner->GetDescriptor());
  graph::Network network;
  const graph::Port source = network.set_source(chain.input.format, chain.input.properties);
  std::string blamed;
  filters::FilterContext context;
  if (share != nullptr) {
    context.device = &share->device;
    context.caches = &share->caches;
  }
  if (chain.files != nullptr) {
    context.pictures = &chain.files->pictures;
    context.files = &chain.files->files;
  }
  context.decisions = &chain.decisions;
  context.is_live = chain.input.is_live;
  context.path = field->name();
  context.result_pixels = chain.input.result_pixels;
  context.blamed = &blamed;
  context.inexact = inexact;
  context.ends_at_analysis = ends_at_analysis;
  context.alive = std::move(alive);
  size_t constant_bytes = 0;
  context.constant_bytes = &constant_bytes;
  const StatusOr<graph::Port> result =
      expand_network(context, filters::filters_of(*chain.owner, field->name()), network, source);
  if (result.status().code() == StatusCode::kInvalidArgument && !blamed.empty())
    return blame(fmt::format("{}.{}", chain.prefix, blamed), result.status());
  RETURN_IF_ERROR(result.status());
  if (share == nullptr && constant_bytes > 0) network.expect_preparation({.kept_bytes = constant_bytes});
  return network;
}

}  // namespace

StatusOr<ChainInputs> read_option_files(const std::vector<OpenJobFile>& inputs, std::string_view prefix) {
  auto read = std::make_shared<OptionInputs>();
  for (const OpenJobFile& input : inputs) {
    const std::string& option = input.declared.option;
    if (option == kDecisionsOption) {
      StatusOr<filters::FileBytes> bytes = read_bytes(input);
      if (!bytes.ok()) return blame(fmt::format("{}.{}", prefix, option), bytes.status());
      read->files[option] = *std::move(bytes);
    }
    if (option.find('[') == std::string::npos) continue;  // not a filter's option
    const std::string field = fmt::format("{}.{}", prefix, option);
    if (input.declared.is_raw) {
      StatusOr<filters::FileBytes> bytes = read_bytes(input);
      if (!bytes.ok()) return blame(field, bytes.status());
      read->files[option] = *std::move(bytes);
    } else {
      StatusOr<filters::RgbPicture> picture = read_picture(input);
      if (!picture.ok()) return blame(field, picture.status());
      read->pictures[option] = *std::move(picture);
    }
  }
  return ChainInputs(std::move(read));
}

StatusOr<graph::Network> Chain::expand(const DeviceShare& share, std::function<void()> alive) const {
  return network_of(*this, &share, std::move(alive));
}

namespace {

PictureDurations durations_of(const graph::ClockRule& clock) {
  PictureDurations durations;
  const graph::FrameMap* const map = clock.rule != nullptr ? clock.rule->listed() : nullptr;
  if (map == nullptr) return durations;
  const auto [least, most] = std::ranges::minmax(map->entries, {}, &graph::FrameMap::Entry::duration);
  durations.pictures = int64_t(map->entries.size());
  durations.least = least.duration;
  durations.most = most.duration;
  durations.total = map->entries.back().pts + map->entries.back().duration - map->entries.front().pts;
  return durations;
}

// Sets the properties of the chain from its plan with the decisions made so far.
Status describe(Chain& chain) {
  chain.inexact_filter.clear();
  ASSIGN_OR_RETURN(graph::Network network, network_of(chain, nullptr, {}, &chain.inexact_filter));
  const StatusOr<graph::Plan> plan = graph::Plan::compile(network, {});
  if (!plan.ok()) return blame(fmt::format("{}.filters", chain.prefix), plan.status());
  const graph::Port target{plan->outputs[0]};
  chain.target = network.format(target);
  chain.properties = network.properties(target);
  chain.rate = network.rate(target);
  chain.analysis_gap = network.analysis_gap();
  chain.window = plan->window;
  ASSIGN_OR_RETURN(const graph::Timeline timeline, graph::Timeline::make(plan->clocks, {}));
  chain.time_divisor = timeline.time_divisor(plan->output_clock);
  chain.durations = durations_of(plan->clocks[size_t(plan->output_clock)]);
  chain.notes = network.notes();
  chain.summaries = network.summaries();
  chain.work = graph::unit_work(network);
  chain.reads_quantisers = network.reads_quantisers();
  chain.needs_analysis = network.analysis().has_value();
  chain.analysis = chain.needs_analysis ? network.analysis()->name : "";
  if (!chain.needs_analysis) return ok_status();
  // The records may need frames that the pictures do not need.
  ASSIGN_OR_RETURN(graph::Network records, network_of(chain, nullptr, {}, nullptr, true));
  const StatusOr<graph::Plan> analysis = graph::Plan::compile(records, {});
  RETURN_IF_ERROR(analysis.status());
  chain.window.before = std::max(chain.window.before, analysis->window.before);
  chain.window.after = std::max(chain.window.after, analysis->window.after);
  return ok_status();
}

}  // namespace

StatusOr<Chain> plan_chain(const Message& owner, ChainInput input, ChainInputs files,
                           std::string_view prefix) {
  const FieldDescriptor* field = options::chain_of(owner.GetDescriptor());
  const std::shared_ptr<Message> complete(owner.New());
  complete->CopyFrom(owner);
  options::apply_defaults(*complete);
  Chain chain;
  chain.name = name_of_chain(filters::filters_of(*complete, field->name()));
  chain.input = std::move(input);
  chain.owner = complete;
  chain.files = std::move(files);
  chain.prefix = prefix;
  RETURN_IF_ERROR(describe(chain));
  chain.cost_key = fmt::format("{} {}", options::print_chain(owner, *field), chain.input.format.text());
  if (chain.files != nullptr)
    for (const auto& [option, picture] : chain.files->pictures)
      chain.cost_key += fmt::format(" {}x{}", picture.width, picture.height);
  if (chain.target != chain.input.format && chain.target.kind == graph::PortKind::kPixels)
    chain.cost_key += " to " + chain.target.text();
  return chain;
}

v1::UnitWork to_message(const graph::NetworkWork& work) {
  v1::UnitWork message;
  message.set_bytes(work.bytes);
  message.set_operations(work.operations);
  message.set_launches(work.launches);
  return message;
}

namespace {

constexpr int kFullBatches = 1;

// Compiles a plan and halves its batch like Pipeline::make().
StatusOr<graph::Plan> plan_within(graph::Network& network, graph::PlanOptions options, size_t most_bytes) {
  while (true) {
    ASSIGN_OR_RETURN(graph::Plan plan, graph::Plan::compile(network, options));
    options.batch = plan.batch() / 2;
    if (most_bytes == 0 || plan.device_bytes() <= most_bytes || options.batch == 0) return plan;
  }
}

// Sets the device memory of each size of batches. A chain with an analysis has the pipeline of the
// analysis before that of the pictures.
Status add_device_memory(const Chain& chain, graph::Network& network, const graph::PlanOptions& options,
                         size_t most_bytes, ChainMemory& memory) {
  graph::Network records;
  std::vector<graph::Network*> networks = {&network};
  if (chain.needs_analysis) {
    ASSIGN_OR_RETURN(records, network_of(chain, nullptr, {}, nullptr, true));
    networks.push_back(&records);
  }
  size_t preparing = 0;
  for (const graph::ExpectedPreparation& expected : network.expected_preparations()) {
    memory.kept_device_bytes += int64_t(expected.kept_bytes);
    preparing = std::max(preparing, expected.device_bytes);
  }
  for (int times = 0;; times++) {
    const graph::PlanOptions smaller = options.halved(times);
    size_t bytes = preparing;
    for (graph::Network* const each : networks) {
      ASSIGN_OR_RETURN(const graph::Plan plan, plan_within(*each, smaller, most_bytes));
      bytes = std::max(bytes, plan.device_bytes());
    }
    memory.device_bytes.push_back(memory.kept_device_bytes + int64_t(bytes));
    if (smaller.batch == 1) return ok_status();
  }
}

}  // namespace

StatusOr<ChainMemory> memory_of(const Chain& chain, const graph::PlanOptions& options, size_t most_bytes) {
  ASSIGN_OR_RETURN(graph::Network network, network_of(chain, nullptr));
  graph::PlanOptions on_gpu = options, on_cpu = options;
  on_gpu.whole_units = true;
  // Only memory in use counts: on the CPU about one of the batches is filled.
  on_cpu.in_flight = std::min(options.in_flight, kFullBatches);
  ASSIGN_OR_RETURN(const graph::Plan own, plan_within(network, on_gpu, most_bytes));
  ASSIGN_OR_RETURN(const graph::Plan shared, plan_within(network, on_cpu, most_bytes));
  ChainMemory memory;
  memory.batch = std::max(own.batch(), shared.batch());
  memory.plan_graph = graph::plan_graph(network, own);
  RETURN_IF_ERROR(add_device_memory(chain, network, on_gpu, most_bytes, memory));
  size_t host = own.host_bytes(), both = shared.host_bytes() + shared.device_bytes();
  for (const graph::ExpectedPreparation& expected : network.expected_preparations()) {
    host = std::max({host, expected.host_bytes, expected.making_bytes});
    both = std::max({both, expected.host_bytes + expected.device_bytes, expected.making_bytes});
  }
  memory.host_bytes = int64_t(host);
  memory.shared_bytes = int64_t(both) + memory.kept_device_bytes;
  return memory;
}

StatusOr<Chain> decide(const Chain& chain, const DeviceShare& share, std::span<const std::byte> records) {
  ASSIGN_OR_RETURN(const graph::Network network, network_of(chain, &share));
  if (!network.analysis())
    return internal_error("There is nothing to be decided on in the chain {}.", chain.name);
  const graph::Analysis& analysis = *network.analysis();
  ASSIGN_OR_RETURN(graph::AnalysisDecision decision,
                   analysis.decide({network.format(analysis.records).bytes, records}));
  return with_decision(chain, std::make_shared<graph::AnalysisDecision>(std::move(decision)));
}

StatusOr<Chain> with_decision(const Chain& chain, std::shared_ptr<const graph::AnalysisDecision> decision) {
  Chain decided = chain;
  decided.decisions[chain.analysis] = std::move(decision);
  RETURN_IF_ERROR(describe(decided));
  return decided;
}

namespace {

// Returns the owner of a chain with the filters up to that of the analysis.
std::unique_ptr<Message> owner_up_to_analysis(const Chain& chain, const FieldDescriptor* field) {
  std::unique_ptr<Message> message(chain.owner->New());
  message->CopyFrom(*chain.owner);
  int filter = 0;  // the number in "filters[1].decimate"
  const size_t begin = chain.analysis.find('[') + 1;
  std::from_chars(chain.analysis.data() + begin, chain.analysis.data() + chain.analysis.size(), filter);
  const google::protobuf::Reflection* reflection = message->GetReflection();
  while (reflection->FieldSize(*message, field) > filter + 1) reflection->RemoveLast(message.get(), field);
  return message;
}

}  // namespace

std::string filters_up_to_analysis(const Chain& chain) {
  const FieldDescriptor* field = options::chain_of(chain.owner->GetDescriptor());
  return options::print_chain(*owner_up_to_analysis(chain, field), *field);
}

std::string measured_filters(const Chain& chain) {
  const FieldDescriptor* field = options::chain_of(chain.owner->GetDescriptor());
  const std::unique_ptr<Message> owner = owner_up_to_analysis(chain, field);
  const int filters = owner->GetReflection()->FieldSize(*owner, field);
  Message* const element = owner->GetReflection()->MutableRepeatedMessage(owner.get(), field, filters - 1);
  std::vector<const FieldDescriptor*> chosen;
  element->GetReflection()->ListFields(*element, &chosen);
  for (const FieldDescriptor* choice : chosen) {
    if (choice->message_type() == nullptr) continue;
    const filters::Registration* const filter = filters::find_filter(choice->message_type());
    if (filter == nullptr) continue;
    Message* const options = element->GetReflection()->MutableMessage(element, choice);
    for (const std::string_view name : filter->unmeasured_options)
      if (const FieldDescriptor* option = choice->message_type()->FindFieldByName(std::string(name)))
        options->GetReflection()->ClearField(options, option);
  }
  return options::print_chain(*owner, *field);
}

}  // namespace weft::worker
