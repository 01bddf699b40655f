// SPDX-License-Identifier: Apache-2.0
// Tests that every element of proto/weft/v1 is documented for authors of clients, in a comment or
// in its help.
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>

#include "weft/v1/options.pb.h"

namespace weft {
namespace {

namespace pb = google::protobuf;
using Path = std::vector<int>;  // path in SourceCodeInfo

class Reader {
 public:
  explicit Reader(const pb::FileDescriptorProto& file) : file_(file) {
    for (const auto& place : file.source_code_info().location())
      if (!place.leading_comments().empty() || !place.trailing_comments().empty())
        commented_.insert(Path(place.path().begin(), place.path().end()));
  }

  std::vector<std::string> silent() {
    for (int i = 0; i < file_.message_type_size(); i++)
      read(file_.message_type(i), {pb::FileDescriptorProto::kMessageTypeFieldNumber, i}, "");
    for (int i = 0; i < file_.enum_type_size(); i++)
      read(file_.enum_type(i), {pb::FileDescriptorProto::kEnumTypeFieldNumber, i}, "");
    for (int i = 0; i < file_.service_size(); i++)
      read(file_.service(i), {pb::FileDescriptorProto::kServiceFieldNumber, i});
    for (int i = 0; i < file_.extension_size(); i++)
      note(file_.extension(i).name(), {pb::FileDescriptorProto::kExtensionFieldNumber, i}, "");
    return silent_;
  }

 private:
  static Path below(Path path, int kind, int index) {
    path.insert(path.end(), {kind, index});
    return path;
  }
  void note(const std::string& name, const Path& path, const std::string& help) {
    if (help.empty() && !commented_.contains(path)) silent_.push_back(file_.name() + ": " + name);
  }

  void read(const pb::DescriptorProto& message, const Path& path, const std::string& prefix) {
    if (message.options().map_entry()) return;
    const std::string name = prefix + message.name();
    note(name, path, message.options().GetExtension(v1::job_kind).summary());
    for (int i = 0; i < message.field_size(); i++)
      note(name + "." + message.field(i).name(), below(path, pb::DescriptorProto::kFieldFieldNumber, i),
           message.field(i).options().GetExtension(v1::option).help());
    for (int i = 0; i < message.nested_type_size(); i++)
      read(message.nested_type(i), below(path, pb::DescriptorProto::kNestedTypeFieldNumber, i), name + ".");
    for (int i = 0; i < message.enum_type_size(); i++)
      read(message.enum_type(i), below(path, pb::DescriptorProto::kEnumTypeFieldNumber, i), name + ".");
  }
  void read(const pb::EnumDescriptorProto& type, const Path& path, const std::string& prefix) {
    note(prefix + type.name(), path, "");
    for (int i = 0; i < type.value_size(); i++)
      note(prefix + type.value(i).name(), below(path, pb::EnumDescriptorProto::kValueFieldNumber, i),
           type.value(i).options().GetExtension(v1::choice).help());
  }
  void read(const pb::ServiceDescriptorProto& service, const Path& path) {
    note(service.name(), path, "");
    for (int i = 0; i < service.method_size(); i++)
      note(service.name() + "." + service.method(i).name(),
           below(path, pb::ServiceDescriptorProto::kMethodFieldNumber, i), "");
  }

  const pb::FileDescriptorProto& file_;
  std::set<Path> commented_;
  std::vector<std::string> silent_;
};

TEST(Declarations, EachSaysWhatItIs) {
  pb::FileDescriptorSet set;
  std::ifstream file(WEFT_DECLARATIONS, std::ios::binary);
  ASSERT_TRUE(set.ParseFromIstream(&file)) << WEFT_DECLARATIONS;
  ASSERT_GE(set.file_size(), 12);
  for (const pb::FileDescriptorProto& each : set.file())
    for (const std::string& name : Reader(each).silent())
      ADD_FAILURE() << name << " has neither a comment nor a help; say what it is, its unit and range.";
}

}  // namespace
}  // namespace weft
