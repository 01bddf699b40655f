// SPDX-License-Identifier: Apache-2.0
#include "server/queue/records/record.h"

#include <cctype>
#include <chrono>
#include <string_view>

#include "options/canonical_bytes.h"
#include "options/job_kinds.h"
#include "options/words.h"

namespace weft::queue {
namespace {

// FNV-1a, 64 bits (Fowler, Noll, Vo). The hash distinguishes two requests with one request_id. It
// need not resist deliberate collisions, since a caller gains nothing by one.
uint64_t fnv1a(std::string_view bytes, uint64_t hash) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

std::string class_name(v1::JobClass job_class) {
  return job_class == v1::JOB_CLASS_SPARE ? "spare" : "normal";
}

void show_finished(JobRecord& record) {
  record.job.clear_progress();
  if (record.units_finished == 0) return;
  v1::JobProgress& progress = *record.job.mutable_progress();
  progress.set_units_done(record.units_finished);
  if (record.job.estimate().units_in() >= record.units_finished)
    progress.set_units_total(record.job.estimate().units_in());
}

void note_length(v1::Job& job) {
  const int64_t submitted = job.estimate().units_in(), made = job.result().segments();
  const auto kind = options::job_kind_of(job.spec());
  if (!kind || kind->declaration().media() != v1::MEDIA_KIND_IMAGE || submitted == 0 || made == submitted)
    return;
  job.mutable_result()->add_notes(
      fmt::format("The sequence had {} when it was submitted, and {} when the job ran.",
                  options::format_count(submitted, "frame"), options::format_count(made, "frame")));
}

std::string state_name(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_QUEUED:
      return "queued";
    case v1::JOB_STATE_RUNNING:
      return "running";
    case v1::JOB_STATE_PAUSED:
      return "paused";
    case v1::JOB_STATE_SUCCEEDED:
      return "succeeded";
    case v1::JOB_STATE_FAILED:
      return "failed";
    case v1::JOB_STATE_CANCELLED:
      return "cancelled";
    default:
      return "unspecified";
  }
}

std::string with_dashes(std::string name) {
  for (char& letter : name)
    letter = letter == '_' ? '-' : char(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

uint64_t fingerprint_of(const v1::JobSpec& spec, const v1::JobSettings& settings) {
  const std::string first = options::canonical_bytes(spec);
  const uint64_t hash = fnv1a(first, 0xcbf29ce484222325ULL);
  // The length separates the specification from the settings.
  return fnv1a(options::canonical_bytes(settings), fnv1a(std::to_string(first.size()), hash));
}

google::protobuf::Timestamp to_timestamp(WallTime time) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  google::protobuf::Timestamp result;
  result.set_seconds(seconds.count());
  result.set_nanos(int32_t((since - seconds).count()));
  return result;
}

v1::JobResult kept_result(v1::JobResult result) {
  const size_t all = result.ByteSizeLong();
  if (all <= kLargestResultBytes) return result;
  for (v1::FailedInput& failed : *result.mutable_failed_inputs()) failed.clear_reason();
  if (result.ByteSizeLong() > kLargestResultBytes) result.mutable_textures()->clear_exceptions();
  if (result.ByteSizeLong() > kLargestResultBytes) result.clear_notes();
  if (result.ByteSizeLong() > kLargestResultBytes) result.clear_output_hashes();
  result.add_notes(
      fmt::format("The result is kept in part, as it is too long ({} bytes, at most {}); the log has all.",
                  all, kLargestResultBytes));
  return result;
}

google::rpc::Status to_proto(const Status& status) {
  google::rpc::Status result;
  result.set_code(int(status.code()));
  std::string message(message_of(status));
  if (message.size() > kLargestErrorBytes) {
    size_t end = kLargestErrorBytes;
    while (end > 0 && (message[end] & 0xC0) == 0x80) end--;  // a UTF-8 character is not cut
    message.resize(end);
  }
  result.set_message(std::move(message));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    if (payload.size() > kLargestErrorBytes) return;
    google::protobuf::Any* detail = result.add_details();
    detail->set_type_url(std::string(type));
    detail->set_value(std::string(payload));
  });
  return result;
}

}  // namespace weft::queue
