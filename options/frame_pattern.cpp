// SPDX-License-Identifier: Apache-2.0
#include "options/frame_pattern.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace weft::options {

namespace {

struct NumberField {
  size_t begin = 0;
  size_t end = 0;
  int width = 1;
  bool any_width = false;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns true if the mark at `at` follows a backslash and is literal.
bool is_escape(std::string_view name, size_t at) {
  return name[at] == '\\' && at + 1 < name.size() &&
         std::string_view("#*%").find(name[at + 1]) != std::string_view::npos;
}

// Returns the field that begins at `at`, an empty field for "%%", or nullopt if no field begins
// there.
std::optional<NumberField> field_at(std::string_view name, size_t at) {
  if (name[at] == '*') return NumberField{at, at + 1, 1, true};
  if (name[at] == '#') {
    const size_t end = std::min(name.size(), name.find_first_not_of('#', at));
    return NumberField{at, end, int(std::min<size_t>(end - at, 1000))};
  }
  if (name[at] != '%') return std::nullopt;
  size_t end = at + 1;
  int width = 0;
  while (end < name.size() && is_digit(name[end]) && width < 1000) width = width * 10 + (name[end++] - '0');
  if (end < name.size() && name[end] == 'd') return NumberField{at, end + 1, std::max(width, 1)};
  return std::nullopt;
}

std::vector<NumberField> fields_of(std::string_view name) {
  std::vector<NumberField> fields;
  for (size_t at = 0; at < name.size();) {
    if (name.substr(at, 2) == "%%" || is_escape(name, at)) {
      at += 2;
    } else if (const std::optional<NumberField> field = field_at(name, at)) {
      fields.push_back(*field);
      at = field->end;
    } else {
      at++;
    }
  }
  return fields;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size(); at++) {
    if (is_escape(text, at)) at++;
    result += text[at];
    if (text.substr(at, 2) == "%%" && (at == 0 || !is_escape(text, at - 1))) at++;
  }
  return result;
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  if (text.empty() || text.size() > size_t(kMaxFrameDigits) || !std::ranges::all_of(text, is_digit))
    return std::nullopt;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

bool has_frame_field(std::string_view path) { return !fields_of(name_in(path)).empty(); }

std::string name_of_one_file(std::string_view path) {
  std::string result;
  for (size_t at = 0; at < path.size(); at++) {
    if (is_escape(path, at)) at++;
    result += path[at];
  }
  return result;
}

StatusOr<FramePattern> FramePattern::parse(std::string_view path) {
  const std::string_view name = name_in(path);
  const std::string_view folder = path.substr(0, path.size() - name.size());
  const std::vector<NumberField> fields = fields_of(name);
  if (!fields_of(folder).empty())
    return invalid_argument("The frame's number stands in a folder's name ({}); put it into the file's name.",
                            path);
  if (fields.size() != 1)
    return invalid_argument(
        "The name ({}) has {} fields for a frame's number; give one, such as %04d or ####.", path,
        fields.size());
  const NumberField& field = fields[0];
  if (field.width > kMaxFrameDigits)
    return invalid_argument("The frame's number in the name ({}) has {} digits, at most {} are known.", path,
                            field.width, kMaxFrameDigits);
  FramePattern pattern;
  pattern.folder_ = unescaped(folder);
  pattern.before_ = unescaped(name.substr(0, field.begin));
  pattern.after_ = unescaped(name.substr(field.end));
  pattern.width_ = field.width;
  pattern.any_width_ = field.any_width;
  return pattern;
}

std::string FramePattern::name(int64_t frame) const {
  return fmt::format("{}{:0{}}{}", before_, frame, width_, after_);
}

std::string FramePattern::name_like(const FramePattern& other, std::string_view other_name) const {
  const std::string_view digits = other.digits_in(other_name).value_or("");
  return any_width_ ? fmt::format("{}{}{}", before_, digits, after_) : name(whole_number(digits).value_or(0));
}

std::optional<std::string_view> FramePattern::digits_in(std::string_view file_name) const {
  if (file_name.size() < before_.size() + after_.size() || !file_name.starts_with(before_) ||
      !file_name.ends_with(after_))
    return std::nullopt;
  return file_name.substr(before_.size(), file_name.size() - before_.size() - after_.size());
}

std::optional<int64_t> FramePattern::frame_of(std::string_view file_name) const {
  const std::optional<int64_t> frame = whole_number(digits_in(file_name).value_or(""));
  if (!frame || any_width_ || name(*frame) == file_name) return frame;
  return std::nullopt;
}

std::vector<std::string> join_frames(const std::vector<std::string>& paths) {
  struct Sequence {
    std::string first;
    int files = 0;
    bool same_width = true;
    std::string before, after;
    size_t width = 0;
  };
  std::vector<Sequence> sequences;
  std::map<std::pair<std::string, std::string>, size_t> numbers;
  constexpr std::string_view kDigits = "0123456789";
  for (const std::string& path : paths) {
    const size_t name = path.rfind('/') + 1;  // 0 if there is no slash
    const size_t dot = path.find_last_of('.');
    const size_t end = dot == std::string::npos || dot <= name ? path.size() : dot;
    const size_t last = path.find_last_of(kDigits, end - 1);
    const size_t begin = last == std::string::npos ? 0 : path.find_last_not_of(kDigits, last) + 1;
    const bool is_numbered = last != std::string::npos && begin >= name &&
                             last + 1 - begin <= kMaxFrameDigits &&
                             path.find_first_of("#*%") == std::string::npos;
    const std::string before = is_numbered ? path.substr(0, begin) : path;
    // Contains a line break, so that no sequence has the same key.
    const std::string after = is_numbered ? path.substr(last + 1) : "\n";
    const size_t width = is_numbered ? last + 1 - begin : 0;
    const auto [numbered, is_new] = numbers.try_emplace({before, after}, sequences.size());
    if (is_new) sequences.push_back({path, 0, true, before, after, width});
    Sequence& sequence = sequences[numbered->second];
    sequence.files++;
    sequence.same_width = sequence.same_width && sequence.width == width;
  }
  std::vector<std::string> result;
  for (const Sequence& each : sequences) {
    const std::string field = each.same_width ? std::string(each.width, '#') : "%d";
    const bool is_sequence = each.files > 1 && each.width > 0;
    result.push_back(is_sequence ? each.before + field + each.after : each.first);
  }
  return result;
}

StatusOr<FrameRange> parse_frame_range(std::string_view text) {
  const size_t dash = text.find('-');
  const size_t cross = text.find('x');
  const auto bad = [&] {
    return invalid_argument(
        "The frames ({}) are no range; give one such as 1-100, or 1-100x2 for every second.", text);
  };
  const auto first = whole_number(text.substr(0, std::min(dash, cross)));
  const auto last =
      dash == std::string_view::npos
          ? first
          : whole_number(text.substr(dash + 1, cross == std::string_view::npos ? cross : cross - dash - 1));
  const auto step =
      cross == std::string_view::npos ? std::optional<int64_t>(1) : whole_number(text.substr(cross + 1));
  if (!first || !last || !step || *step < 1 || *last < *first) return bad();
  return FrameRange{*first, *last, *step};
}

StatusOr<FrameList> list_frames(const FramePattern& pattern, std::span<const std::string> names,
                                const std::optional<FrameRange>& range) {
  std::map<int64_t, std::string> found;
  for (const std::string& name : names) {
    const std::optional<int64_t> frame = pattern.frame_of(name);
    if (!frame || (range && (*frame < range->first || *frame > range->last))) continue;
    const auto [entry, is_new] = found.emplace(*frame, name);
    if (!is_new)
      return invalid_argument("Two files are frame {} of the sequence ({} and {}); take one away.", *frame,
                              entry->second, name);
  }
  if (found.empty())
    return not_found("There is no frame of the sequence ({}{}).", pattern.folder(),
                     pattern.name(range ? range->first : 1));
  const FrameRange wanted = range.value_or(FrameRange{found.begin()->first, found.rbegin()->first, 1});
  const int64_t count = (wanted.last - wanted.first) / wanted.step + 1;
  if (count > kMaxSequenceFrames)
    return invalid_argument("The sequence has {} frames, at most {} are one job; give a range.", count,
                            kMaxSequenceFrames);
  FrameList list;
  for (int64_t frame = wanted.first; frame <= wanted.last; frame += wanted.step) {
    if (auto entry = found.extract(frame))
      list.files.insert(std::move(entry));
    else
      list.missing.push_back(frame);
  }
  if (list.files.empty())
    return not_found("There is no frame of the sequence ({}{}).", pattern.folder(),
                     pattern.name(wanted.first));
  return list;
}

StatusOr<FrameList> list_frames(const FramePattern& pattern, int folder,
                                const std::optional<FrameRange>& range) {
  // Opens the folder again, because duplicates of a descriptor share one read position.
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = own < 0 ? nullptr : ::fdopendir(own);
  if (entries == nullptr) {
    const int error = errno;
    if (own >= 0) ::close(own);
    return unavailable("The sequence's folder cannot be read ({}).", std::strerror(error));
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(entries))
    if (pattern.frame_of(entry->d_name)) names.emplace_back(entry->d_name);
  const int error = errno;
  ::closedir(entries);
  if (error != 0) return unavailable("The sequence's folder cannot be read ({}).", std::strerror(error));
  return list_frames(pattern, names, range);
}

Status check_complete(const FramePattern& pattern, const FrameList& list) {
  if (list.missing.empty()) return ok_status();
  return not_found(
      "The sequence lacks {} of {} frames ({}; the first is {}{}); add them, or leave out what is missing.",
      list.missing.size(), list.missing.size() + list.files.size(), describe_frames(list.missing),
      pattern.folder(), pattern.name(list.missing[0]));
}

std::string describe_frames(std::span<const int64_t> frames, size_t most) {
  std::string text;
  size_t shown = 0;
  for (size_t at = 0; at < frames.size();) {
    if (shown++ == most) return text + fmt::format(" and {} more", frames.size() - at);
    size_t end = at + 1;
    while (end < frames.size() && frames[end] == frames[end - 1] + 1) end++;
    text += text.empty() ? "" : ", ";
    text += end - at == 1 ? fmt::format("{}", frames[at]) : fmt::format("{}-{}", frames[at], frames[end - 1]);
    at = end;
  }
  return text;
}

}  // namespace weft::options
