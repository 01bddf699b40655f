// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/segment_journal.h"

#include <cerrno>
#include <charconv>
#include <span>
#include <string>
#include <vector>

#include "server/media/file_bytes.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"
#include "server/media/write/segment_file.h"

namespace weft::worker {
namespace {

using internal::v1::SegmentRecord;

constexpr std::string_view kSuffix = ".weft";
// ending of the unfinished segments of tasks on other devices, before the number of the task
constexpr std::string_view kOfTask = ".partial-";
constexpr int64_t kMostPlanBytes = 1 << 30;

}  // namespace

// Parses "segment-000012.weft", "segment-000012.weft.partial" or "segment-000012.weft.partial-1".
// Returns nullopt for other names.
std::optional<SegmentJournal::Entry> SegmentJournal::entry_of(std::string_view name) const {
  if (!name.starts_with(prefix_)) return std::nullopt;
  name.remove_prefix(prefix_.size());
  Entry entry;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), entry.segment);
  const std::string_view ending(end, size_t(name.data() + name.size() - end));
  if (error != std::errc() || !ending.starts_with(kSuffix)) return std::nullopt;
  entry.is_complete = ending == kSuffix;
  entry.is_of_task = ending.substr(kSuffix.size()).starts_with(kOfTask);
  return entry;
}

media::FileLocation SegmentJournal::location(int64_t index) const {
  return {folder_, fmt::format("{}{:06}{}", prefix_, index, kSuffix)};
}

StatusOr<SegmentRecord> SegmentJournal::check(int64_t index, std::string_view key,
                                              const std::function<Status()>& alive) const {
  ASSIGN_OR_RETURN(auto reader, media::SegmentReader::open(location(index)));
  SegmentRecord record;
  if (!record.ParseFromString(reader->callers_bytes()))
    return data_loss("Segment {} carries a record that cannot be read.", index);
  if (record.key() != key)
    return failed_precondition(
        "Segment {} belongs to other settings, another input or another version of Weft.", index);
  if (reader->header().segment != index || record.outputs() != int64_t(reader->packets().size()))
    return data_loss("Segment {} is not what its record says.", index);
  std::vector<uint8_t> data;
  for (size_t i = 0; i < reader->packets().size(); i++) {
    RETURN_IF_ERROR(alive());
    RETURN_IF_ERROR(reader->read(i, data));
  }
  return record;
}

std::optional<SegmentRecord> SegmentJournal::read_record(int64_t index) const {
  const auto reader = media::SegmentReader::open(location(index));
  SegmentRecord record;
  if (!reader.ok() || !record.ParseFromString((*reader)->callers_bytes())) return std::nullopt;
  return record;
}

std::optional<SegmentRecord> SegmentJournal::first_record() const { return read_record(0); }

std::optional<SegmentRecord> SegmentJournal::record(int64_t index, std::string_view key) const {
  std::optional<SegmentRecord> record = read_record(index);
  if (record && record->key() != key) record.reset();
  return record;
}

Status SegmentJournal::write_plan(const internal::v1::SegmentPlan& plan) const {
  return media::write_whole_file({folder_, plan_name()}, plan.SerializeAsString());
}

std::optional<internal::v1::SegmentPlan> SegmentJournal::read_plan(std::string_view key) const {
  media::Descriptor file(media::open_in(folder_, plan_name(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return std::nullopt;
  const StatusOr<media::InputFilePtr> input = media::InputFile::adopt(std::move(file), plan_name());
  if (!input.ok()) return std::nullopt;
  const auto bytes = media::load_file(**input, kMostPlanBytes, "plan of the segments");
  internal::v1::SegmentPlan plan;
  if (!bytes.ok() || !plan.ParseFromString(**bytes)) return std::nullopt;
  if (!key.empty() && plan.key() != key) return std::nullopt;
  return plan;
}

StatusOr<std::map<int64_t, SegmentRecord>> SegmentJournal::scan(
    std::string_view key, const std::function<Status()>& alive,
    const std::function<void(std::string)>& note) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, list());
  std::map<int64_t, SegmentRecord> records;
  Status first_error;
  for (const std::string& name : names) {
    const std::optional<Entry> entry = entry_of(name);
    if (!entry || !entry->is_complete) continue;
    RETURN_IF_ERROR(alive());
    StatusOr<SegmentRecord> record = check(entry->segment, key, alive);
    RETURN_IF_ERROR(alive());  // a stop is not damage
    if (record.ok())
      records[entry->segment] = *std::move(record);
    else if (first_error.ok() && record.status().code() != StatusCode::kNotFound)
      first_error = record.status();
  }
  if (!first_error.ok()) note(fmt::format("{} It is made again.", message_of(first_error)));
  // A task on another device may be writing its files.
  RETURN_IF_ERROR(remove_all_but([&](const Entry& entry) {
    return entry.is_of_task || (entry.is_complete && records.contains(entry.segment));
  }));
  return records;
}

StatusOr<std::vector<std::byte>> SegmentJournal::read(int64_t segments) const {
  std::vector<std::byte> all;
  std::vector<uint8_t> data;
  for (int64_t segment = 0; segment < segments; segment++) {
    ASSIGN_OR_RETURN(auto reader, media::SegmentReader::open(location(segment)));
    for (size_t i = 0; i < reader->packets().size(); i++) {
      RETURN_IF_ERROR(reader->read(i, data));
      const auto bytes = std::as_bytes(std::span(data));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
  }
  return all;
}

Status SegmentJournal::remove_from(int64_t first) const {
  return remove_all_but([first](const Entry& entry) { return entry.is_complete && entry.segment < first; });
}

StatusOr<std::vector<std::string>> SegmentJournal::list() const {
  const media::FileCall call("listed", "");
  return media::list_in(folder_, ".");
}

Status SegmentJournal::remove_all_but(const std::function<bool(const Entry&)>& is_wanted) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, list());
  const media::FileCall call("removed", "");
  for (const std::string& name : names) {
    const std::optional<Entry> entry = entry_of(name);
    if (!entry || is_wanted(*entry)) continue;
    if (media::remove_in(folder_, name) != 0 && errno != ENOENT)
      return media::system_error(errno, "removed", name);
  }
  return ok_status();
}

}  // namespace weft::worker
