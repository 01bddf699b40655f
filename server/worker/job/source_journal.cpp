// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/source_journal.h"

#include <cerrno>
#include <charconv>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/media/file_bytes.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"
#include "server/media/frame_hash.h"

namespace weft::worker {
namespace {

constexpr std::string_view kFirstLine = "What each image was made of\n";
constexpr int64_t kMostJournalBytes = int64_t{1} << 30;

FileIdentity identity_in(const struct stat& info) {
  return {info.st_size, int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec, info.st_ino};
}

// Returns a line of the journal: a hash of the rest, then size, time, inode, the length of the
// name, and the name, which may contain any bytes.
std::string line_of(const std::string& image, const FileIdentity& source) {
  const std::string rest =
      fmt::format("{} {} {} {} {}\n", source.bytes, source.changed_ns, source.inode, image.size(), image);
  media::Hasher hasher(1);
  hasher.add(std::span(reinterpret_cast<const uint8_t*>(rest.data()), rest.size()));
  return fmt::format("{} {}", hasher.value(), rest);
}

// Parses a number and the space after it, and removes both from `text`.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
  text.remove_prefix(size_t(end - text.data()) + 1);
  return true;
}

}  // namespace

StatusOr<FileIdentity> identity_of(const media::InputFile& file) {
  const media::FileCall call("examined", file.name());
  struct stat info {};
  if (::fstat(file.descriptor(), &info) != 0) return media::system_error(errno, "looked at", file.name());
  return identity_in(info);
}

std::optional<FileIdentity> identity_of(const OpenJobFile& input, const std::string& name) {
  const media::FileCall call("examined", name);
  struct stat info {};
  const bool is_there = input.declared.is_sequence
                            ? ::fstatat(input.descriptor.get(), name.c_str(), &info, 0) == 0
                            : ::fstat(input.descriptor.get(), &info) == 0;
  if (!is_there) return std::nullopt;
  return identity_in(info);
}

StatusOr<std::unique_ptr<SourceJournal>> SourceJournal::open(int folder, std::string name) {
  std::unique_ptr<SourceJournal> journal(new SourceJournal(folder, std::move(name)));
  bool is_whole = false;
  if (media::is_in(folder, journal->name_)) {
    media::Descriptor file(media::open_in(folder, journal->name_, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) return media::system_error(errno, "opened", journal->name_);
    const StatusOr<media::InputFilePtr> input = media::InputFile::adopt(std::move(file), journal->name_);
    // truncated by a crash
    const bool is_empty = input.status().code() == StatusCode::kInvalidArgument;
    if (!input.ok() && !is_empty) return input.status();
    if (!is_empty) {
      ASSIGN_OR_RETURN(const auto text,
                       media::load_file(**input, kMostJournalBytes, "list of finished images"));
      is_whole = journal->parse(*text);
    }
  }
  const std::lock_guard lock(journal->mutex_);
  if (!is_whole) RETURN_IF_ERROR(journal->rewrite());
  return journal;
}

// Parses the journal. Returns false if a line is damaged; the lines before it are kept.
bool SourceJournal::parse(std::string_view text) {
  if (!text.starts_with(kFirstLine)) return false;
  text.remove_prefix(kFirstLine.size());
  while (!text.empty()) {
    const std::string_view line = text;
    uint64_t hash = 0;
    size_t length = 0;
    FileIdentity source;
    const bool is_whole = take_number(text, hash) && take_number(text, source.bytes) &&
                          take_number(text, source.changed_ns) && take_number(text, source.inode) &&
                          take_number(text, length) && length < text.size();
    if (!is_whole) return false;
    const std::string image(text.substr(0, length));
    text.remove_prefix(length + 1);
    if (line_of(image, source) != line.substr(0, line.size() - text.size())) return false;
    sources_[image] = source;
  }
  return true;
}

// Call with the lock held.
Status SourceJournal::rewrite() {
  std::string text(kFirstLine);
  for (const auto& [image, source] : sources_) text += line_of(image, source);
  file_.reset();
  return media::write_whole_file({folder_, name_}, text);
}

std::optional<FileIdentity> SourceJournal::source_of(const std::string& image) const {
  const std::lock_guard lock(mutex_);
  const auto found = sources_.find(image);
  return found == sources_.end() ? std::nullopt : std::optional(found->second);
}

std::map<std::string, FileIdentity> SourceJournal::sources() const {
  const std::lock_guard lock(mutex_);
  return sources_;
}

Status SourceJournal::add(const std::string& image, const FileIdentity& source) {
  const std::lock_guard lock(mutex_);
  const media::FileCall call("written", name_);
  if (!file_)
    file_ = media::Descriptor(
        media::open_in(folder_, name_, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) return media::system_error(errno, "opened", name_);
  const std::string line = line_of(image, source);
  const ssize_t written = ::write(file_.get(), line.data(), line.size());
  // A partial line is dropped when the journal is next opened.
  if (written != ssize_t(line.size())) {
    const int error = written < 0 ? errno : ENOSPC;
    file_.reset();
    return media::system_error(error, "written", name_);
  }
  if (::fdatasync(file_.get()) != 0) return media::system_error(errno, "synced", name_);
  sources_[image] = source;
  return ok_status();
}

Status SourceJournal::retain(std::map<std::string, FileIdentity> sources) {
  const std::lock_guard lock(mutex_);
  if (sources == sources_) return ok_status();
  sources_ = std::move(sources);
  return rewrite();
}

}  // namespace weft::worker
