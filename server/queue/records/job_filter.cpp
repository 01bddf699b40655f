// SPDX-License-Identifier: Apache-2.0
#include "server/queue/records/job_filter.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "options/job_files.h"
#include "weft/v1/options.pb.h"

namespace weft::queue {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// A kind of job, read from the declarations of its options.
struct Kind {
  std::string name;
  std::vector<const FieldDescriptor*> paths;  // text fields with paths of files
};

Kind describe(const google::protobuf::Descriptor& message) {
  Kind kind;
  kind.name = message.options().GetExtension(v1::job_kind).name();
  for (int i = 0; i < message.field_count(); i++) {
    const FieldDescriptor* field = message.field(i);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING || field->is_repeated()) continue;
    const v1::PathKind path = field->options().GetExtension(v1::option).path();
    if (path != v1::PATH_KIND_UNSPECIFIED) kind.paths.push_back(field);
  }
  return kind;
}

struct KindOfSpec {
  const Kind& kind;
  const Message& message;
};

// The declarations are read once: reading a field's options takes longer than the rest of a filter.
std::optional<KindOfSpec> kind_of(const v1::JobSpec& spec) {
  static const auto* const oneof = v1::JobSpec::descriptor()->FindOneofByName("kind");
  static const std::map<const FieldDescriptor*, Kind> kinds = [] {
    std::map<const FieldDescriptor*, Kind> all;
    for (int i = 0; i < oneof->field_count(); i++)
      all.emplace(oneof->field(i), describe(*oneof->field(i)->message_type()));
    return all;
  }();
  const FieldDescriptor* field = spec.GetReflection()->GetOneofFieldDescriptor(spec, oneof);
  if (field == nullptr) return std::nullopt;
  return KindOfSpec{kinds.at(field), spec.GetReflection()->GetMessage(spec, field)};
}

bool is_of_kind(const v1::JobSpec& spec, const std::string& name) {
  const std::optional<KindOfSpec> found = kind_of(spec);
  return found && found->kind.name == name;
}

bool occurs_in_paths(const v1::JobSpec& spec, const std::string& text) {
  const std::optional<KindOfSpec> found = kind_of(spec);
  if (!found) return false;
  return std::any_of(found->kind.paths.begin(), found->kind.paths.end(), [&](const FieldDescriptor* path) {
    std::string scratch;
    const Message& message = found->message;
    return message.GetReflection()->GetStringReference(message, path, &scratch).find(text) !=
           std::string::npos;
  });
}

// The fields of a message with paths of files, and the fields with messages that have such fields.
struct FileFields {
  std::vector<std::pair<const FieldDescriptor*, v1::PathKind>> own;
  std::vector<const FieldDescriptor*> inside;
};
using FileFieldsOf = std::map<const google::protobuf::Descriptor*, FileFields>;

// Returns true if the message, or a message in it, may have paths of files. Messages may be
// recursive, such as a chain.
bool find_file_fields(const google::protobuf::Descriptor& message, FileFieldsOf& all) {
  const auto [entry, is_new] = all.try_emplace(&message);
  if (!is_new) return true;
  FileFields& fields = entry->second;
  for (int i = 0; i < message.field_count(); i++) {
    const FieldDescriptor* field = message.field(i);
    const v1::PathKind path = field->options().GetExtension(v1::option).path();
    if (path != v1::PATH_KIND_UNSPECIFIED) fields.own.emplace_back(field, path);
    if (field->message_type() != nullptr && find_file_fields(*field->message_type(), all))
      fields.inside.push_back(field);
  }
  return !fields.own.empty() || !fields.inside.empty();
}

void add_files(const Message& message, v1::PathKind kind, std::vector<std::string>& files) {
  // Read once, as in kind_of().
  static const FileFieldsOf all = [] {
    FileFieldsOf read;
    find_file_fields(*v1::JobSpec::descriptor(), read);
    return read;
  }();
  const FileFields& fields = all.at(message.GetDescriptor());
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  for (const auto& [field, path] : fields.own)
    if (path == kind)
      if (const std::string text = reflection.GetString(message, field); !text.empty())
        files.push_back(std::filesystem::path(text).lexically_normal().string());
  for (const FieldDescriptor* field : fields.inside) {
    if (!field->is_repeated()) {
      if (reflection.HasField(message, field)) add_files(reflection.GetMessage(message, field), kind, files);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); i++)
      add_files(reflection.GetRepeatedMessage(message, field, i), kind, files);
  }
}

std::vector<std::string> files_of(const v1::JobSpec& spec, v1::PathKind kind) {
  std::vector<std::string> files;
  add_files(spec, kind, files);
  return files;
}

// Returns "/v/x.mkv" for "/v/x.2.mkv", or an empty string if the path has not the form of an output
// part.
std::string output_of_part(const std::string& path) {
  const std::filesystem::path part_path(path);
  const std::filesystem::path stem = part_path.stem();
  if (!stem.has_extension()) return "";
  options::JobFile output;
  output.path = (part_path.parent_path() / (stem.stem().string() + part_path.extension().string()))
                    .lexically_normal()
                    .string();
  return options::output_part_number(output, part_path.filename().string()) > 0 ? output.path : "";
}

std::vector<std::string> joined(std::vector<std::string> paths, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(paths));
  return paths;
}

FileClaims claims_of(const std::vector<std::string>& paths, bool has_parts) {
  const auto all_parts = [](const std::string& output) { return "all pieces of " + output; };
  const auto a_part = [](const std::string& output) { return "a piece of " + output; };
  FileClaims claims;
  for (const std::string& path : paths) {
    claims.held.push_back(path);
    claims.conflicting.push_back(path);
    if (const std::string output = output_of_part(path); !output.empty()) {
      claims.held.push_back(a_part(output));
      claims.conflicting.push_back(all_parts(output));
    }
    if (!has_parts) continue;
    claims.held.push_back(all_parts(path));
    claims.conflicting.push_back(a_part(path));
  }
  return claims;
}

bool has_labels(const v1::Job& job, const v1::JobFilter& filter) {
  const auto& labels = job.settings().labels();
  return std::ranges::all_of(filter.label_keys(),
                             [&](const std::string& key) { return labels.contains(key); }) &&
         std::all_of(filter.labels().begin(), filter.labels().end(), [&](const auto& wanted) {
           const auto found = labels.find(wanted.first);
           return found != labels.end() && found->second == wanted.second;
         });
}

bool is_since(const google::protobuf::Timestamp& time, const google::protobuf::Timestamp& since) {
  return std::pair(time.seconds(), time.nanos()) >= std::pair(since.seconds(), since.nanos());
}

template <class Values, class Value>
bool is_empty_or_has(const Values& values, const Value& value) {
  return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

std::vector<std::string> outputs_of_spec(const v1::JobSpec& spec) {
  return files_of(spec, v1::PATH_KIND_OUTPUT_FILE);
}
std::vector<std::string> inputs_of_spec(const v1::JobSpec& spec) {
  return files_of(spec, v1::PATH_KIND_INPUT_FILE);
}

FileClaims claims_of_outputs(const v1::JobSpec& spec, const v1::JobSpec& real_paths) {
  return claims_of(joined(outputs_of_spec(spec), outputs_of_spec(real_paths)),
                   options::has_output_parts(spec));
}
FileClaims claims_of_inputs(const v1::JobSpec& spec, const v1::JobSpec& real_paths) {
  return claims_of(joined(inputs_of_spec(spec), inputs_of_spec(real_paths)), false);
}

bool matches(const v1::JobFilter& filter, const v1::Job& job, bool with_state) {
  return (!with_state || is_empty_or_has(filter.states(), int(job.state()))) &&
         (filter.owner().empty() || filter.owner() == job.settings().owner()) &&
         is_empty_or_has(filter.ids(), job.id()) && has_labels(job, filter) &&
         (!filter.has_since() || is_since(job.submit_time(), filter.since())) &&
         (filter.kind().empty() || is_of_kind(job.spec(), filter.kind())) &&
         (filter.text().empty() || occurs_in_paths(job.spec(), filter.text()));
}

bool asks_for_states_only(const v1::JobFilter& filter) {
  v1::JobFilter rest = filter;
  rest.clear_states();
  return rest.ByteSizeLong() == 0;
}

}  // namespace weft::queue
