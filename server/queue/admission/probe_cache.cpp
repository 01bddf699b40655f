// SPDX-License-Identifier: Apache-2.0
#include "server/queue/admission/probe_cache.h"

#include <algorithm>
#include <filesystem>

#include "options/canonical_bytes.h"
#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::queue {
namespace {

std::string key_of(const v1::JobSpec& spec, const CheckedFiles& files) {
  v1::JobSpec general = spec;
  if (const auto kind = options::job_kind_of(spec)) {
    google::protobuf::Message& message = kind->choose(general);
    for (const options::Option& option : options::options_of(kind->message()))
      if (option.path_kind() != v1::PATH_KIND_UNSPECIFIED) options::clear(message, option);
  }
  std::string key;
  for (const CheckedInput& input : files.inputs) {
    const struct stat& info = input.info;
    key += fmt::format("{} {} {} {}.{} ", info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                       info.st_mtim.tv_nsec);
  }
  for (const options::JobFile& output : files.named.outputs)
    key += fmt::format("{} {} ", output.option, std::filesystem::path(output.path).extension().string());
  return key + options::canonical_bytes(general);
}

std::vector<channel::FileDescriptor> take_inputs(CheckedFiles& files) {
  std::vector<channel::FileDescriptor> inputs;
  for (CheckedInput& input : files.inputs) inputs.push_back(std::move(input.descriptor));
  return inputs;
}

// Returns true if a change of the inputs is detectable. Returns false for sequences and sets, since
// the properties of a folder do not show a change of a file in it.
bool can_be_known(const CheckedFiles& files) {
  return std::none_of(files.named.inputs.begin(), files.named.inputs.end(),
                      [](const options::JobFile& input) { return input.is_sequence; });
}

// Returns true for an answer that another probe would repeat.
bool lasts(const StatusOr<v1::JobEstimate>& answer) {
  return answer.ok() || answer.status().code() == StatusCode::kInvalidArgument;
}

}  // namespace

void ProbeCache::probe(const v1::JobSpec& spec, CheckedFiles& files, const channel::Credentials& submitter,
                       bool plan_graph, Prober::Answer answer) {
  if (plan_graph || !can_be_known(files))
    return prober_.probe(spec, take_inputs(files), submitter, plan_graph, std::move(answer));
  const std::string key = key_of(spec, files);
  {
    std::unique_lock lock(mutex_);
    if (auto found = by_key_.find(key); found != by_key_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      const StatusOr<v1::JobEstimate> known = found->second->answer;
      lock.unlock();
      return answer(known);
    }
    auto [waiting, first] = asked_.try_emplace(key);
    waiting->second.push_back(std::move(answer));
    if (!first) return;
  }
  prober_.probe(spec, take_inputs(files), submitter, false,
                [this, key](const StatusOr<v1::JobEstimate>& outcome) { remember(key, outcome); });
}

void ProbeCache::remember(const std::string& key, const StatusOr<v1::JobEstimate>& answer) {
  std::vector<Prober::Answer> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting = std::move(asked_[key]);
    asked_.erase(key);
    if (lasts(answer)) {
      entries_.push_front({key, answer});
      by_key_[key] = entries_.begin();
    }
    if (entries_.size() > kProbesRemembered) {
      by_key_.erase(entries_.back().key);
      entries_.pop_back();
    }
  }
  for (const Prober::Answer& each : waiting) each(answer);
}

}  // namespace weft::queue
