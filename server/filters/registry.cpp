// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "server/filters/filter.h"
#include "weft/v1/options.pb.h"

namespace weft::filters {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// CMake writes the definition from the existing files; a test may define another table.
std::span<const Registration* const> filter_table();

std::string_view Registration::name() const { return message()->options().GetExtension(v1::filter).name(); }

std::span<const Registration* const> all_filters() { return filter_table(); }

const Registration* find_filter(const google::protobuf::Descriptor* message) {
  const auto found =
      std::ranges::find(filter_table(), message, [](const Registration* r) { return r->message(); });
  return found == filter_table().end() ? nullptr : *found;
}
const Registration* find_filter(std::string_view name) {
  const auto found = std::ranges::find(filter_table(), name, [](const Registration* r) { return r->name(); });
  return found == filter_table().end() ? nullptr : *found;
}

const RgbPicture* FilterContext::picture(std::string_view option) const {
  if (pictures == nullptr) return nullptr;
  const auto found = pictures->find(fmt::format("{}.{}", path, option));
  return found == pictures->end() ? nullptr : &found->second;
}

const FileBytes* FilterContext::file(std::string_view option) const {
  if (files == nullptr) return nullptr;
  const auto found = files->find(fmt::format("{}.{}", path, option));
  return found == files->end() ? nullptr : &found->second;
}

namespace {

std::string name_of_analysis(std::string_view path, std::string_view analysis) {
  return analysis.empty() ? std::string(path) : fmt::format("{}/{}", path, analysis);
}

}  // namespace

std::shared_ptr<const AnalysisDecision> FilterContext::decision(std::string_view analysis) const {
  if (decisions == nullptr) return nullptr;
  const auto found = decisions->find(name_of_analysis(path, analysis));
  return found == decisions->end() ? nullptr : found->second;
}

Status FilterContext::analyse(Network& network, Port records, Decide decide, std::string_view analysis,
                              MakeLiveDecision follow) const {
  const std::string name = name_of_analysis(path, analysis);
  network.analyse({name, records, std::move(decide), std::move(follow)});
  if (device == nullptr && !ends_at_analysis) return ok_status();
  return failed_precondition("There is no decision of the analysis {} yet; let its records be measured.",
                             name);
}

void FilterContext::summarize(Network& network, DecisionSummary summary, std::string_view analysis) const {
  network.summarize(name_of_analysis(path, analysis), std::move(summary));
}

Status FilterContext::blame(std::string_view option, Status status) const {
  if (blamed != nullptr && !status.ok()) *blamed = option.empty() ? path : fmt::format("{}.{}", path, option);
  return status;
}

StatusOr<const device::Kernel*> FilterContext::load(std::string_view kernel) const {
  if (kernels != nullptr) kernels->emplace(kernel);
  if (device == nullptr) return static_cast<const device::Kernel*>(nullptr);
  return device->load(kernel);
}

namespace {

// Validation at submission is stricter (options/). This check rejects enumeration values without a
// meaning.
Status check_options(const FilterContext& context, const Message& options) {
  const auto& reflection = *options.GetReflection();
  for (int i = 0; i < options.GetDescriptor()->field_count(); i++) {
    const FieldDescriptor& field = *options.GetDescriptor()->field(i);
    if (field.type() != FieldDescriptor::TYPE_ENUM || field.is_repeated()) continue;
    const int value = reflection.GetEnumValue(options, &field);
    const bool has_default = !field.options().GetExtension(v1::option).default_value().empty();
    if (field.enum_type()->FindValueByNumber(value) != nullptr && (value != 0 || !has_default)) continue;
    return context.blame(
        field.name(),
        invalid_argument("The option '{}' has no meaning ({}); fill in the defaults before a filter is made.",
                         field.name(), value));
  }
  return ok_status();
}

Status check_port(const Registration& filter, const PortFormat& format) {
  const PortRange& range = filter.range;
  const bool is_picture = format.kind == PortKind::kPicture;
  const bool is_image = format.kind == PortKind::kPixels;
  if (!(is_picture && range.takes_pictures) && !(is_image && range.takes_images))
    return invalid_argument("The filter {} does not take {}.", filter.name(),
                            is_picture ? "video" : "images");
  const int width = is_picture ? format.video.width : format.width;
  const int height = is_picture ? format.video.height : format.height;
  if (width < range.min_width || height < range.min_height)
    return invalid_argument("The picture ({}x{}) is smaller than {} takes ({}x{}).", width, height,
                            filter.name(), range.min_width, range.min_height);
  if (width > kMaxPictureSide || height > kMaxPictureSide)
    return invalid_argument("The picture ({}x{}) is larger than filters take ({} in either direction).",
                            width, height, kMaxPictureSide);
  if (is_picture &&
      (format.video.bit_depth < range.min_bit_depth || format.video.bit_depth > range.max_bit_depth))
    return invalid_argument("The samples have {} bits, and {} takes {} to {}.", format.video.bit_depth,
                            filter.name(), range.min_bit_depth, range.max_bit_depth);
  return ok_status();
}

// Notes that quantisers no longer belong to the samples if the size of the pictures has changed.
void note_geometry(Network& network, Port input, Port result) {
  const PortFormat &before = network.format(input), &after = network.format(result);
  PictureProperties properties = network.properties(result);
  const bool has_moved = before.video.width != after.video.width || before.video.height != after.video.height;
  if (!has_moved || properties.quantisers == QuantiserScale::kNone) return;
  properties.quantisers = QuantiserScale::kMisplaced;
  network.set_properties(result, properties);
}

}  // namespace

StatusOr<Port> expand_filter(const FilterContext& context, const Message& options, Network& network,
                             Port input) {
  const Registration* filter = find_filter(options.GetDescriptor());
  if (filter == nullptr)
    return context.blame(
        "", unimplemented("There is no filter '{}' in this build of Weft.", options.GetDescriptor()->name()));
  RETURN_IF_ERROR(check_options(context, options));
  RETURN_IF_ERROR(context.blame("", check_port(*filter, network.format(input))));
  ASSIGN_OR_RETURN(const Port result, filter->expand(context, options, network, input));
  note_geometry(network, input, result);
  return result;
}

OptionFiles case_files(std::string_view path, std::span<const Message* const> filters) {
  OptionFiles files;
  for (size_t i = 0; i < filters.size(); i++) {
    const Registration* filter = find_filter(filters[i]->GetDescriptor());
    if (filter == nullptr || filter->case_file == nullptr) continue;
    for (int k = 0; k < filters[i]->GetDescriptor()->field_count(); k++) {
      const FieldDescriptor& field = *filters[i]->GetDescriptor()->field(k);
      if (field.options().GetExtension(v1::option).raw_file())
        files[fmt::format("{}[{}].{}.{}", path, i, filter->name(), field.name())] = filter->case_file();
    }
  }
  return files;
}

const Message* filter_in(const Message& element) {
  const auto& reflection = *element.GetReflection();
  const auto* choice = element.GetDescriptor()->oneof_decl(0);
  const FieldDescriptor* field = reflection.GetOneofFieldDescriptor(element, choice);
  return field == nullptr ? nullptr : &reflection.GetMessage(element, field);
}

std::vector<const Message*> filters_of(const Message& owner, std::string_view name) {
  std::vector<const Message*> filters;
  const FieldDescriptor* field = owner.GetDescriptor()->FindFieldByName(std::string(name));
  for (int i = 0; i < owner.GetReflection()->FieldSize(owner, field); i++)
    if (const Message* filter = filter_in(owner.GetReflection()->GetRepeatedMessage(owner, field, i)))
      filters.push_back(filter);
  return filters;
}

StatusOr<Port> expand_chain(const FilterContext& chain, std::span<const Message* const> filters,
                            Network& network, Port input) {
  FilterContext context = chain;
  for (size_t i = 0; i < filters.size(); i++) {
    if (i + 1 < filters.size())
      context.result_pixels.reset();
    else
      context.result_pixels = chain.result_pixels;
    const Registration* filter = find_filter(filters[i]->GetDescriptor());
    const std::string_view name = filter == nullptr ? "" : filter->name();
    context.path = fmt::format("{}[{}].{}", chain.path, i, name);
    const StatusOr<Port> result = expand_filter(context, *filters[i], network, input);
    if (!result.ok() && chain.blamed != nullptr && chain.blamed->empty()) *chain.blamed = context.path;
    RETURN_IF_ERROR(result.status());
    if (!network.is_exact() && chain.inexact != nullptr && chain.inexact->empty()) *chain.inexact = name;
    input = *result;
  }
  return input;
}

StatusOr<Port> expand_network(const FilterContext& context, std::span<const Message* const> filters,
                              Network& network, Port source) {
  const StatusOr<Port> result = expand_chain(context, filters, network, source);
  std::vector<Port> outputs;
  if ((context.device != nullptr || context.ends_at_analysis) && network.analysis()) {
    outputs = {network.analysis()->records};
  } else {
    RETURN_IF_ERROR(result.status());
    outputs = {*result};
    outputs.insert(outputs.end(), network.reports().begin(), network.reports().end());
  }
  RETURN_IF_ERROR(network.set_outputs(outputs));
  return outputs.front();
}

}  // namespace weft::filters
