// SPDX-License-Identifier: Apache-2.0
#include "client/json.h"

#include <memory>

#include <google/protobuf/util/type_resolver.h>
#include <google/protobuf/util/type_resolver_util.h>

#include "options/option.h"

namespace weft::client {
namespace {

namespace pb = google::protobuf;

constexpr const char* kUrlPrefix = "type.googleapis.com";

std::string url_of(const std::string& name) { return fmt::format("{}/{}", kUrlPrefix, name); }

// The program's types, with the short names of choices in front of protobuf's: the first name is printed, all are read.
class ShortNames final : public pb::util::TypeResolver {
 public:
  pb::util::Status ResolveMessageType(const std::string& url, pb::Type* type) override {
    return types_->ResolveMessageType(url, type);
  }

  pb::util::Status ResolveEnumType(const std::string& url, pb::Enum* type) override {
    const auto status = types_->ResolveEnumType(url, type);
    const pb::EnumDescriptor* declared =
        pb::DescriptorPool::generated_pool()->FindEnumTypeByName(url.substr(url.find('/') + 1));
    if (!status.ok() || declared == nullptr) return status;
    pb::Enum named;
    for (int i = 0; i < declared->value_count(); i++) {
      pb::EnumValue& value = *named.add_enumvalue();
      value.set_number(declared->value(i)->number());
      value.set_name(options::choice_name(declared, value.number()));
    }
    named.mutable_enumvalue()->MergeFrom(type->enumvalue());
    type->mutable_enumvalue()->Swap(named.mutable_enumvalue());
    return status;
  }

 private:
  const std::unique_ptr<pb::util::TypeResolver> types_{
      pb::util::NewTypeResolverForDescriptorPool(kUrlPrefix, pb::DescriptorPool::generated_pool())};
};

// Protobuf names types by their URL, which says nothing to users.
std::string without_urls(std::string text) {
  for (const std::string& url : {url_of("weft.v1."), url_of("")})
    for (size_t at = text.find(url); at != std::string::npos; at = text.find(url)) text.erase(at, url.size());
  return text;
}

}  // namespace

StatusOr<std::string> print_json(const pb::Message& message, const pb::util::JsonPrintOptions& options) {
  ShortNames names;
  std::string text;
  const auto status = pb::util::BinaryToJsonString(&names, url_of(message.GetDescriptor()->full_name()),
                                                   message.SerializeAsString(), &text, options);
  if (!status.ok())
    return internal_error("A message has no JSON ({}).", without_urls(status.message().as_string()));
  return text;
}

Status parse_json(const std::string& text, pb::Message& message, const pb::util::JsonParseOptions& options) {
  ShortNames names;
  std::string bytes;
  const auto status = pb::util::JsonToBinaryString(&names, url_of(message.GetDescriptor()->full_name()), text,
                                                   &bytes, options);
  if (!status.ok()) return invalid_argument("{}", without_urls(status.message().as_string()));
  return message.ParseFromString(bytes) ? ok_status() : internal_error("A message from JSON cannot be read.");
}

}  // namespace weft::client
