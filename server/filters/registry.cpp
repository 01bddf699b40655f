// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string>

#include "server/filters/filter.h"

namespace weft::filters {

// Written by CMake from the files there are.
extern const std::span<const Registration* const> kAllFilters;

std::span<const Registration* const> all_filters() { return kAllFilters; }

const Registration* find_filter(std::string_view name) {
  const auto found =
      std::ranges::find(kAllFilters, name, [](const Registration* r) { return r->descriptor.name; });
  return found == kAllFilters.end() ? nullptr : *found;
}

std::string filter_name(v1::DeinterlaceFilter filter) {
  constexpr std::string_view kPrefix = "DEINTERLACE_FILTER_";
  std::string name = v1::DeinterlaceFilter_Name(filter);
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  for (char& letter : name)
    letter = letter == '_' ? '-' : char(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

namespace {

// Validation at submit is stricter (options/); here nothing may reach a filter that it has no meaning for.
Status check_options(const v1::DeinterlaceOptions& options) {
  const auto check = [](std::string_view field, int value, bool is_valid) {
    if (value != 0 && is_valid) return ok_status();
    return invalid_argument(
        "The option '{}' has no meaning ({}); fill in the defaults before a filter is made.", field, value);
  };
  RETURN_IF_ERROR(check("filter", options.filter(), v1::DeinterlaceFilter_IsValid(options.filter())));
  RETURN_IF_ERROR(check("rate", options.rate(), v1::OutputRate_IsValid(options.rate())));
  RETURN_IF_ERROR(check("parity", options.parity(), v1::Parity_IsValid(options.parity())));
  return check("frames", options.frames(), v1::FrameSelection_IsValid(options.frames()));
}

}  // namespace

Status check_format(const FilterDescriptor& filter, const VideoFormat& format) {
  const FormatRange& range = filter.formats;
  if (format.width < range.min_width || format.height < range.min_height)
    return invalid_argument("The picture ({}x{}) is smaller than {} takes ({}x{}).", format.width,
                            format.height, filter.name, range.min_width, range.min_height);
  if (format.width > kMaxPictureSide || format.height > kMaxPictureSide)
    return invalid_argument("The picture ({}x{}) is larger than filters take ({} in either direction).",
                            format.width, format.height, kMaxPictureSide);
  if (format.bit_depth < range.min_bit_depth || format.bit_depth > range.max_bit_depth)
    return invalid_argument("The samples have {} bits, and {} takes {} to {}.", format.bit_depth, filter.name,
                            range.min_bit_depth, range.max_bit_depth);
  return ok_status();
}

StatusOr<std::unique_ptr<Filter>> make_deinterlacer(device::Device& device, const VideoFormat& format,
                                                    const v1::DeinterlaceOptions& options) {
  RETURN_IF_ERROR(check_options(options));
  const std::string name = filter_name(options.filter());
  const Registration* registration = find_filter(name);
  if (registration == nullptr) return invalid_argument("There is no filter '{}'.", name);
  RETURN_IF_ERROR(check_format(registration->descriptor, format));
  return registration->make(device, format, options);
}

}  // namespace weft::filters
