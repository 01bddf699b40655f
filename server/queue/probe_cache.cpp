// SPDX-License-Identifier: Apache-2.0
#include "server/queue/probe_cache.h"

#include <filesystem>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::queue {
namespace {

// The same for equal messages: maps are sorted.
std::string bytes_of(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

std::string key_of(const v1::JobSpec& spec, const CheckedFiles& files) {
  v1::JobSpec general = spec;
  if (const auto kind = options::job_kind_of(spec)) {
    google::protobuf::Message& message = kind->choose(general);
    for (const options::Option& option : options::options_of(kind->message()))
      if (option.path_kind() != v1::PATH_KIND_UNSPECIFIED) options::clear(message, option);
  }
  const struct stat& facts = files.input_facts;
  return fmt::format("{} {} {} {}.{} {} ", facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim.tv_sec,
                     facts.st_mtim.tv_nsec,
                     std::filesystem::path(files.paths.output.path).extension().string()) +
         bytes_of(general);
}

// What another look would tell too.
bool lasts(const StatusOr<v1::JobEstimate>& answer) {
  return answer.ok() || answer.status().code() == StatusCode::kInvalidArgument;
}

}  // namespace

void ProbeCache::probe(const v1::JobSpec& spec, CheckedFiles& files, Prober::Answer answer) {
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
  prober_.probe(spec, std::move(files.input),
                [this, key](const StatusOr<v1::JobEstimate>& told) { remember(key, told); });
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
