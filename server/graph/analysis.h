// SPDX-License-Identifier: Apache-2.0
// Analyses the whole input before a filter runs. A network measures every unit, the measurements
// are stored as records, and a pure function computes a decision from them. The filter is then
// expanded again with the decision. A filter may have several analyses, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/graph/frame_map.h"

namespace weft::graph {

// Times of a measured unit. A record consists of plain bytes, in memory and in files: first the
// times, then the bytes that the node wrote.
struct RecordTimes {
  int64_t pts = 0;  // in the time unit of the measured port's clock
  int64_t duration = 0;
};

// Records of all units, in order.
struct Records {
  size_t bytes_each = 0;  // bytes of a unit's measurement
  std::span<const std::byte> bytes;

  size_t size() const { return bytes.size() / (sizeof(RecordTimes) + bytes_each); }
  RecordTimes times(size_t unit) const;
  std::span<const std::byte> measured(size_t unit) const;
};

// The result of an analysis.
struct AnalysisDecision {
  std::shared_ptr<const FrameMap> map{};  // timeline of the filter's output; null: unchanged
  std::vector<std::byte> bytes{};         // parameters for the filter's nodes
  bool is_text = false;                   // `bytes` are lines of text, which users may edit
  // Sentence for the job's notes, for decisions that do not determine it; empty: none.
  std::string report{};
  // further tables of a live decision, for the filter itself
  std::shared_ptr<const void> tables{};
};
using Decide = std::function<StatusOr<AnalysisDecision>(const Records&)>;

// A part of the input in a summary of a decision.
struct SummarySection {
  int64_t first_frame = 0, frames = 0;  // frames of the filter's input
  double begin = 0, end = 0;            // in the source's time unit
  int kind = 0;                         // index in DecisionSummary::kinds
  std::vector<double> values{};         // one for each of DecisionSummary::series
};

// Meaning of a value of each section.
struct SummarySeries {
  std::string name{};
  bool is_identifier = false;  // the number of a pattern, for example: no quantity
};

// A decision for people. Derived from a decision, so that it describes an edited one as well. Names
// are terms that the filter declares (v1.FilterDeclaration).
struct DecisionSummary {
  std::string report{};  // sentence for the job's notes
  std::vector<std::string> kinds{};
  std::vector<SummarySeries> series{};
  std::vector<SummarySection> sections{};  // in order of time
};
using DecisionSummaries = std::map<std::string, DecisionSummary, std::less<>>;

// Decides while records arrive, for an input without a known end. The maps of the decision grow
// (MapGrowth). Not thread-safe; pipelines that read the maps must not run at the same time
// (PipelineOptions::maps).
class LiveDecision {
 public:
  virtual ~LiveDecision() = default;

  virtual std::shared_ptr<const AnalysisDecision> decision() const = 0;
  // Returns the delay: the number of records after a record until decided() exceeds its number.
  virtual int delay() const = 0;
  // Adds the records of the next units.
  virtual void push(const Records& records) = 0;
  virtual void finish() = 0;  // no further records follow
  // Returns the number of units of the measured input, in order, with complete entries. After
  // finish() these are all units.
  virtual int64_t decided() const = 0;
};
using MakeLiveDecision = std::function<std::unique_ptr<LiveDecision>()>;

// Decisions of a chain by the name of their analysis, such as "filters[1].decimate".
using Decisions = std::map<std::string, std::shared_ptr<const AnalysisDecision>, std::less<>>;

}  // namespace weft::graph
