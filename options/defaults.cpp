// SPDX-License-Identifier: Apache-2.0
// Implements the functions of values.h that concern defaults.
#include <memory>

#include "options/values.h"
#include "options/visit.h"

namespace weft::options {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

Status apply_choice_default(Message& message, std::string_view text) {
  const size_t equals = text.find('=');
  const std::optional<Option> option = find_option(message.GetDescriptor(), text.substr(0, equals));
  if (!option || equals == std::string_view::npos)
    return invalid_argument("A choice's default ({}) names no option of its message.", text);
  return is_set(message, *option) ? ok_status() : set_from_text(message, *option, text.substr(equals + 1));
}

void apply_defaults(Message& message) {
  visit_options(message, "", [](Message& holder, const Option& option, const std::string&) {
    // A default that does not parse is a defect of its declaration, which check_declarations()
    // reports in a test.
    if (!option.default_text().empty() && !is_set(holder, option))
      static_cast<void>(set_from_text(holder, option, option.default_text()).ok());
    if (option.type() != ValueType::kChoice || option.is_repeated()) return;
    const int chosen = holder.GetReflection()->GetEnumValue(holder, &option.field());
    for (const Choice& choice : option.choices())
      for (const std::string& text : choice.number == chosen ? choice.defaults : std::vector<std::string>())
        static_cast<void>(apply_choice_default(holder, text).ok());
  });
}

void clear_defaults(Message& message) {
  const Reflection& reflection = *message.GetReflection();
  for (const Option& option : options_of(message.GetDescriptor())) {
    if (!option.is_chain()) {
      if (is_default(message, option)) clear(message, option);
      continue;
    }
    Message& holder = holder_of(message, option);
    for (int i = 0; i < holder.GetReflection()->FieldSize(holder, &option.field()); i++)
      clear_defaults(*holder.GetReflection()->MutableRepeatedMessage(&holder, &option.field(), i));
  }
  for (int i = 0; i < message.GetDescriptor()->real_oneof_decl_count(); i++) {
    const FieldDescriptor* chosen =
        reflection.GetOneofFieldDescriptor(message, message.GetDescriptor()->oneof_decl(i));
    if (chosen != nullptr && chosen->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      clear_defaults(*reflection.MutableMessage(&message, chosen));
  }
}

bool is_default(const Message& message, const Option& option) {
  if (!is_set(message, option)) return true;
  const std::unique_ptr<Message> without(message.New());
  without->CopyFrom(message);
  clear(*without, option);
  apply_defaults(*without);
  return format_values(*without, option) == format_values(message, option);
}

}  // namespace weft::options
