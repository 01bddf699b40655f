// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/single_filter.h"

#include "options/filters.h"
#include "options/option.h"
#include "options/values.h"

namespace weft::worker {
namespace {

using google::protobuf::Message;

// By the names of the options, which every deinterlacer shares.
v1::DeinterlaceOptions deinterlacer_of(const std::string& name, const Message& filter) {
  v1::DeinterlaceOptions result;
  result.set_filter(
      v1::DeinterlaceFilter(options::choice_number(v1::DeinterlaceFilter_descriptor(), name).value_or(0)));
  for (const options::Option& option : options::options_of(filter.GetDescriptor())) {
    const std::string flag = option.flag() == "spatial-check" ? "yadif-spatial-check" : option.flag();
    const auto own = options::find_option(result.GetDescriptor(), flag);
    if (own && options::is_set(filter, option))
      static_cast<void>(options::set_from_text(result, *own, options::format_value(filter, option)).ok());
  }
  options::apply_defaults(result);
  return result;
}

Status no_part(const Message& holder, const std::string& prefix) {
  for (const options::Option& option : options::options_of(holder.GetDescriptor())) {
    const v1::TextForm form = option.declaration().form();
    if ((form == v1::TEXT_FORM_BEGIN || form == v1::TEXT_FORM_END) && options::is_set(holder, option))
      return unimplemented("A part of a video ({}.{}) is not worked on yet; leave '{}' out.", prefix,
                           option.flag(), option.flag());
  }
  return ok_status();
}

}  // namespace

StatusOr<SingleFilter> single_filter(const Message& holder, const std::string& prefix) {
  RETURN_IF_ERROR(no_part(holder, prefix));
  const google::protobuf::FieldDescriptor& chain = *options::chain_of(holder.GetDescriptor());
  const int count = holder.GetReflection()->FieldSize(holder, &chain);
  if (count != 1)
    return unimplemented("A chain of {} filters ({}.filters) does not run yet; give one filter.", count,
                         prefix);
  const Message& element = holder.GetReflection()->GetRepeatedMessage(holder, &chain, 0);
  const auto kind = options::filter_of(element);
  if (!kind) return invalid_argument("The chain ({}.filters) holds nothing; give a filter.", prefix);
  const Message& filter = element.GetReflection()->GetMessage(element, kind->field);
  SingleFilter result;
  if (kind->declaration().role() == v1::FILTER_ROLE_DEINTERLACER) {
    result.deinterlacer = deinterlacer_of(kind->name(), filter);
  } else if (const auto* bloom = dynamic_cast<const v1::BloomOptions*>(&filter)) {
    result.bloom = *bloom;
    options::apply_defaults(*result.bloom);
  } else {
    return unimplemented("The filter '{}' ({}.filters) does not run yet; give a deinterlacer or bloom.",
                         kind->name(), prefix);
  }
  return result;
}

}  // namespace weft::worker
