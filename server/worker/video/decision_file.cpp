// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/decision_file.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <google/protobuf/util/json_util.h>

#include "server/graph/network.h"

namespace weft::worker {
namespace {

using graph::AnalysisDecision;
using graph::FrameMap;

std::string text_of(const FrameMap::Entry& entry) {
  std::string text = fmt::format("{} {} {}", entry.unit, entry.pts, entry.duration);
  if (entry.word != 0) text += fmt::format(" {}", entry.word);
  return text;
}

// Reads 3 or 4 integers, separated by single spaces.
std::optional<FrameMap::Entry> entry_of(std::string_view text) {
  int64_t numbers[4] = {};
  int count = 0;
  for (bool is_more = true; is_more; count++) {
    if (count == 4) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[count]);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(size_t(end - text.data()));
    is_more = text.starts_with(' ');
    if (is_more) text.remove_prefix(1);
  }
  using Word = std::numeric_limits<int32_t>;
  if (!text.empty() || count < 3 || numbers[3] < Word::min() || numbers[3] > Word::max()) return std::nullopt;
  return FrameMap::Entry{numbers[0], numbers[1], numbers[2], int32_t(numbers[3])};
}

StatusOr<std::shared_ptr<const FrameMap>> map_of(const v1::DecisionMap& message,
                                                 const std::string& analysis) {
  auto map = std::make_shared<FrameMap>();
  map->time_divisor = message.time_divisor();
  map->rate = {message.rate_numerator(), message.rate_denominator()};
  if (map->time_divisor < 1 || map->rate.numerator < 1 || map->rate.denominator < 1 ||
      map->rate.numerator / map->rate.denominator >= graph::Network::kMostRate)
    return invalid_argument(
        "The rate ({}/{}) and the time divisor ({}) of {} are above 0, and the rate is below {}.",
        map->rate.numerator, map->rate.denominator, map->time_divisor, analysis, graph::Network::kMostRate);
  constexpr int64_t kMostTime = int64_t{1} << 60;
  int repeats = 0;  // frames before this one that are made of the same input frame
  for (const std::string& text : message.frames()) {
    const std::optional<FrameMap::Entry> entry = entry_of(text);
    if (!entry)
      return invalid_argument("A frame of {} is '{}'; write it as FRAME TIME DURATION.", analysis, text);
    const int64_t unit_before = map->entries.empty() ? 0 : map->entries.back().unit;
    const int64_t time_before = map->entries.empty() ? -kMostTime : map->entries.back().pts;
    if (entry->unit < unit_before || entry->pts <= time_before || entry->pts > kMostTime ||
        entry->duration < 1 || entry->duration > kMostTime)
      return invalid_argument(
          "The frames of {} are not in order at '{}': numbers do not fall, times rise, and durations are "
          "above 0.",
          analysis, text);
    repeats = !map->entries.empty() && entry->unit == unit_before ? repeats + 1 : 0;
    if (repeats >= graph::Network::kMostRate)
      return invalid_argument("{} makes more than {} frames of the input's frame {}; remove some.", analysis,
                              graph::Network::kMostRate, entry->unit);
    if (entry->unit - unit_before > graph::Network::kMostWindow)
      return invalid_argument(
          "{} leaves out more than {} frames before the input's frame {}; make a job for "
          "each part (--from, --to).",
          analysis, graph::Network::kMostWindow, entry->unit);
    map->entries.push_back(*entry);
  }
  if (map->entries.empty())
    return invalid_argument("The map of {} has no frames; keep at least one.", analysis);
  return std::shared_ptr<const FrameMap>(std::move(map));
}

StatusOr<AnalysisDecision> decision_of(const v1::FilterDecision& message) {
  AnalysisDecision decision;
  decision.report = message.report();
  decision.is_text = message.lines_size() > 0;
  std::string text = message.parameters();
  for (const std::string& line : message.lines()) text += line + "\n";
  const auto parameters = std::as_bytes(std::span(text));
  decision.bytes.assign(parameters.begin(), parameters.end());
  if (message.has_map()) {
    ASSIGN_OR_RETURN(decision.map, map_of(message.map(), message.analysis()));
  }
  return decision;
}

std::string describe(const v1::DecisionInput& input) {
  return fmt::format("{} bytes, mark {}{}{}", input.bytes(), input.mark(),
                     input.from().empty() ? "" : ", from " + input.from(),
                     input.to().empty() ? "" : ", to " + input.to());
}

}  // namespace

v1::FilterDecision to_message(const Chain& chain, const AnalysisDecision& decision) {
  v1::FilterDecision message;
  message.set_analysis(chain.analysis);
  message.set_filters(filters_up_to_analysis(chain));
  message.set_report(decision.report);
  const std::string parameters(reinterpret_cast<const char*>(decision.bytes.data()), decision.bytes.size());
  if (decision.is_text) {
    std::istringstream lines(parameters);
    for (std::string line; std::getline(lines, line);) message.add_lines(line);
  } else {
    message.set_parameters(parameters);
  }
  if (decision.map == nullptr) return message;
  v1::DecisionMap& map = *message.mutable_map();
  map.set_time_divisor(decision.map->time_divisor);
  map.set_rate_numerator(decision.map->rate.numerator);
  map.set_rate_denominator(decision.map->rate.denominator);
  for (const FrameMap::Entry& entry : decision.map->entries) map.add_frames(text_of(entry));
  return message;
}

void add_summary(const Chain& decided, double time_unit, v1::FilterDecision& decision) {
  decision.clear_timeline();
  const auto found = decided.summaries.find(decision.analysis());
  if (found == decided.summaries.end()) return;
  const graph::DecisionSummary& summary = found->second;
  decision.set_report(summary.report);
  v1::DecisionTimeline& timeline = *decision.mutable_timeline();
  for (const std::string& kind : summary.kinds) timeline.add_kinds(kind);
  for (const graph::SummarySeries& series : summary.series) {
    v1::DecisionSeries& added = *timeline.add_series();
    added.set_name(series.name);
    added.set_is_identifier(series.is_identifier);
  }
  const auto seconds = [&](double time) {
    constexpr double kMicroseconds = 1e6;
    return std::round((time - summary.sections.front().begin) * time_unit * kMicroseconds) / kMicroseconds;
  };
  for (const graph::SummarySection& section : summary.sections) {
    v1::DecisionSection& added = *timeline.add_sections();
    added.set_first_frame(section.first_frame);
    added.set_frames(section.frames);
    added.set_begin(seconds(section.begin));
    added.set_end(seconds(section.end));
    added.set_kind(summary.kinds[size_t(section.kind)]);
    added.mutable_values()->Assign(section.values.begin(), section.values.end());
  }
}

v1::DecisionInput decision_input(const internal::v1::InputState& input, const v1::VideoJob& job) {
  v1::DecisionInput message;
  message.set_bytes(input.bytes());
  message.set_mark(fmt::format("{:016x}", input.mark()));
  message.set_from(job.from());
  message.set_to(job.to());
  return message;
}

StatusOr<std::string> print_decisions(const v1::DecisionFile& file) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  if (const auto printed = google::protobuf::util::MessageToJsonString(file, &text, options); !printed.ok())
    return internal_error("Decisions cannot be printed ({}).", std::string(printed.message()));
  return text;
}

StatusOr<v1::DecisionFile> parse_decisions(std::span<const std::byte> bytes) {
  v1::DecisionFile file;
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const auto parsed = google::protobuf::util::JsonStringToMessage(text, &file); !parsed.ok())
    return invalid_argument("The file of decisions is not valid JSON of its format ({}).",
                            std::string(parsed.message()));
  if (file.version() != kDecisionVersion)
    return invalid_argument(
        "The file of decisions has version {}, and this program reads version {}; measure "
        "again.",
        file.version(), kDecisionVersion);
  return file;
}

Status check_input(const v1::DecisionFile& file, const v1::DecisionInput& input) {
  if (!file.has_input() || file.input().SerializeAsString() == input.SerializeAsString()) return ok_status();
  return invalid_argument(
      "The decisions were made for another input ({}) than this one ({}); measure again, or remove 'input' "
      "from the file to apply them nevertheless.",
      describe(file.input()), describe(input));
}

StatusOr<Chain> with_decisions(const Chain& chain, const v1::DecisionFile& file) {
  Chain decided = chain;
  int used = 0;
  while (decided.needs_analysis) {
    const auto found = std::find_if(file.decisions().begin(), file.decisions().end(),
                                    [&](const auto& each) { return each.analysis() == decided.analysis; });
    if (found == file.decisions().end()) break;
    if (const std::string filters = filters_up_to_analysis(decided); filters != found->filters())
      return invalid_argument(
          "The decision of {} was made for the filters '{}', and these are '{}'; measure "
          "again.",
          found->analysis(), found->filters(), filters);
    ASSIGN_OR_RETURN(AnalysisDecision decision, decision_of(*found));
    ASSIGN_OR_RETURN(decided,
                     with_decision(decided, std::make_shared<graph::AnalysisDecision>(std::move(decision))));
    used++;
  }
  if (used == file.decisions_size()) return decided;
  return invalid_argument("The file has {} decisions, and the filters use {} of them ({}); measure again.",
                          file.decisions_size(), used, chain.name);
}

}  // namespace weft::worker
