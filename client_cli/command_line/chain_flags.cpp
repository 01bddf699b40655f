// SPDX-License-Identifier: Apache-2.0
#include "client_cli/command_line/chain_flags.h"

#include <algorithm>

#include "options/words.h"

namespace weft::cli {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void ChainFlags::offer(const options::FilterKind& filter, const std::string& heading) {
  const bool is_known = std::any_of(offered_.begin(), offered_.end(),
                                    [&](const auto& each) { return each.first.name() == filter.name(); });
  if (!is_known) offered_.emplace_back(filter, heading);
}

void ChainFlags::add(Command& command) {
  std::vector<options::Choice> choices;
  std::vector<std::string> names;
  for (const auto& [filter, heading] : offered_) {
    choices.push_back({filter.name(), filter.declaration().summary(), 0});
    names.push_back(filter.name());
  }
  if (choices.size() > 1)
    command
        .choose(command.value("--filter", "FILTER", chosen_,
                              fmt::format("What is done to the pictures. One of {}. Default: {}.",
                                          options::join_or(names), names[0])),
                chosen_, choices)
        .under(offered_[0].second);
  for (const auto& [filter, heading] : offered_) values_.add(command, filter.message(), heading);
}

std::string ChainFlags::first_given() const { return chosen_.empty() ? values_.first_given() : "filter"; }

StatusOr<std::string> ChainFlags::chosen_name(const Message& holder, const FieldDescriptor& chain) const {
  const google::protobuf::Reflection& reflection = *holder.GetReflection();
  const int filters = reflection.FieldSize(holder, &chain);
  if (filters == 0) return chosen_.empty() ? offered_[0].first.name() : chosen_;
  const auto kept = options::filter_of(reflection.GetRepeatedMessage(holder, &chain, 0));
  const bool is_offered = kept && std::any_of(offered_.begin(), offered_.end(), [&](const auto& each) {
                            return each.first.name() == kept->name();
                          });
  if (filters > 1 || !is_offered)
    return invalid_argument(
        "The profile has a chain that is more than one of these filters; give all with --filters instead.");
  return chosen_.empty() ? kept->name() : chosen_;
}

Status ChainFlags::fill(Message& holder, const FieldDescriptor& chain) const {
  ASSIGN_OR_RETURN(const std::string name, chosen_name(holder, chain));
  const auto filter = options::find_filter(chain.message_type(), name);
  if (!filter)
    return invalid_argument("The filter '{}' is none for this kind of job; choose another output.", name);
  const google::protobuf::Reflection& reflection = *holder.GetReflection();
  if (reflection.FieldSize(holder, &chain) == 0) reflection.AddMessage(&holder, &chain);
  Message& element = *reflection.MutableRepeatedMessage(&holder, &chain, 0);
  Message& values = *element.GetReflection()->MutableMessage(&element, filter->field);
  return values_.fill(values, fmt::format("the filter '{}'", name));
}

}  // namespace weft::cli
