// SPDX-License-Identifier: Apache-2.0
// Makes random networks of nodes that copy parts of units, and computes their expected output on
// the host over a whole clip at once.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <variant>
#include <vector>

#include "server/filters/deinterlace/field_timing.h"
#include "server/graph/cycle_rule.h"
#include "server/graph/pipeline.h"

namespace weft::graph {

using filters::FieldRule;

// bytes of a unit at every port; divisible by 1, 2 and 3 inputs
inline constexpr size_t kUnitBytes = 240;
using Unit = std::vector<std::byte>;

// Units in sequence, with the flags of first units of runs and of interlaced units.
struct UnitClip {
  std::vector<Unit> units;
  std::vector<bool> cuts, interlaced;
  // index of the source unit of each unit, and the run of that source unit
  std::vector<int> sources, runs;

  static UnitClip random(int count, std::mt19937& random, int one_cut_in) {
    UnitClip clip;
    for (int i = 0; i < count; i++) {
      Unit& unit = clip.units.emplace_back(kUnitBytes);
      for (std::byte& byte : unit) byte = std::byte(random() & 0xff);
      clip.cuts.push_back(i == 0 || (one_cut_in > 0 && random() % uint32_t(one_cut_in) == 0));
      clip.interlaced.push_back(random() % 3 != 0);
      clip.sources.push_back(i);
      clip.runs.push_back(i == 0 ? 0 : clip.runs.back() + (clip.cuts.back() ? 1 : 0));
    }
    return clip;
  }
};

// A time rule as data, for the model. std::monostate: the node keeps the clock of its input.
using MapPtr = std::shared_ptr<const FrameMap>;
struct Cycle {
  int units = 0;
};
using TestRule = std::variant<std::monostate, FieldRule, MapPtr, Cycle>;
inline TimeRulePtr rule_of(const TestRule& rule) {
  if (const auto* fields = std::get_if<FieldRule>(&rule)) return filters::by_fields(*fields);
  if (const auto* map = std::get_if<MapPtr>(&rule)) return by_map(*map);
  if (const auto* cycle = std::get_if<Cycle>(&rule)) return by_cycle(cycle->units);
  return nullptr;
}

inline bool is_by_unit(const TestRule& rule) {
  const TimeRulePtr made = rule_of(rule);
  return made != nullptr && made->is_by_unit();
}

// A node that copies part i of each output unit from input i, at a fixed distance in units. The
// second of two output units has another distance.
class Parts final : public Node {
 public:
  struct Offsets {
    int first = 0, second = 0;
  };
  // Each of the `outputs` receives the same bytes.
  Parts(std::vector<Offsets> offsets, TestRule rule, int portions = 1, std::vector<UnitMapPtr> maps = {},
        int outputs = 1)
      : offsets_(std::move(offsets)), rule_(std::move(rule)), portions_(portions) {
    descriptor_.name = "parts";
    descriptor_.rule = rule_of(rule_);
    descriptor_.maps = std::move(maps);
    descriptor_.outputs.assign(size_t(outputs), PortFormat::data("test", kUnitBytes));
    for (const Offsets& offset : offsets_)
      descriptor_.inputs.push_back(
          {std::max({0, -offset.first, -offset.second}), std::max({0, offset.first, offset.second})});
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  int portions() const override { return portions_; }
  size_t scratch_bytes(int units) const override { return size_t(units) * 16; }
  void enqueue(device::Stream& stream, const Step& step) override {
    // All work is in the last portion, to test that the inputs still exist then.
    if (!has_end(step.portion)) return;
    units_done += step.units;
    const size_t part = kUnitBytes / offsets_.size();
    for (int unit = 0; unit < step.units; unit++)
      for (int output = 0; output < int(step.outputs.size()); output++)
        for (size_t input = 0; input < offsets_.size(); input++)
          for (int k = 0; k < step.shape->units[size_t(output)]; k++) {
            const int index =
                step.rows[size_t(unit * step.shape->ints + step.shape->targets[size_t(output)] + k)];
            if (index < 0) continue;
            const int offset = k == 0 ? offsets_[input].first : offsets_[input].second;
            stream.copy(*step.arena, step.output_offset(output, unit, k) + input * part, *step.arena,
                        step.input_offset(int(input), unit, offset) + input * part, part);
          }
  }

  // Computes the output over a whole clip at once. Inputs without a map have the same cuts.
  UnitClip plain(const std::vector<const UnitClip*>& inputs) const {
    UnitClip out;
    const auto* map = std::get_if<MapPtr>(&rule_);
    const auto* fields = std::get_if<FieldRule>(&rule_);
    const auto* cycle = std::get_if<Cycle>(&rule_);
    const int64_t count = int64_t(inputs[0]->units.size());
    if (map != nullptr) {
      int64_t previous = -1;
      for (const FrameMap::Entry& entry : entries_of(**map, count)) {
        if (entry.unit >= count) break;
        out.units.push_back(unit_at(inputs, int64_t(out.units.size()), entry.unit, false));
        out.interlaced.push_back(inputs[0]->interlaced[size_t(entry.unit)]);
        add_source(out, *inputs[0], entry.unit);
        bool is_cut = previous < 0;
        for (int64_t i = previous + 1; i <= entry.unit; i++)
          is_cut = is_cut || (inputs[0]->cuts[size_t(i)] && i > 0);
        out.cuts.push_back(is_cut);
        previous = entry.unit;
      }
      return out;
    }
    int position = 0;  // in the cycle
    for (int64_t i = 0; i < count; i++) {
      const bool is_interlaced = inputs[0]->interlaced[size_t(i)];
      if (inputs[0]->cuts[size_t(i)]) position = 0;
      if (cycle != nullptr && position++ % cycle->units == cycle->units - 1) continue;
      const bool is_treated = fields != nullptr && (is_interlaced || !fields->only_flagged);
      for (int k = 0; k < (is_treated && fields->per_field ? 2 : 1); k++) {
        const int64_t own = cycle == nullptr ? i : int64_t(out.units.size());
        out.units.push_back(unit_at(inputs, own, i, k == 1));
        add_source(out, *inputs[0], i);
        out.cuts.push_back(inputs[0]->cuts[size_t(i)] && k == 0);
        out.interlaced.push_back(is_interlaced && !is_treated);
      }
    }
    return out;
  }

  static std::vector<FrameMap::Entry> entries_of(const FrameMap& map, int64_t units) {
    if (map.every == 0) return {map.entries.begin(), map.entries.end()};
    std::vector<FrameMap::Entry> entries;
    for (int64_t unit = 0; unit < units; unit += map.every) entries.push_back({.unit = unit});
    return entries;
  }

  int64_t units_done = 0;  // number of units in all steps

 private:
  static void add_source(UnitClip& out, const UnitClip& clip, int64_t unit) {
    out.sources.push_back(clip.sources[size_t(unit)]);
    out.runs.push_back(clip.runs[size_t(unit)]);
  }
  // `own` is the index of the node's output unit, `parent` that of the unit of its first input.
  Unit unit_at(const std::vector<const UnitClip*>& inputs, int64_t own, int64_t parent,
               bool is_second) const {
    Unit unit(kUnitBytes);
    const size_t part = kUnitBytes / offsets_.size();
    for (size_t input = 0; input < offsets_.size(); input++) {
      const UnitClip& clip = *inputs[input];
      const int offset = is_second ? offsets_[input].second : offsets_[input].first;
      const UnitMap* map = descriptor_.map(input);
      int64_t from = map == nullptr ? parent : map->units[size_t(own)];
      for (int i = 0; i < std::abs(offset); i++) {
        if (offset < 0 && from > 0 && !clip.cuts[size_t(from)]) from--;
        if (offset > 0 && from + 1 < int64_t(clip.units.size()) && !clip.cuts[size_t(from + 1)]) from++;
      }
      std::copy_n(clip.units[size_t(from)].begin() + ptrdiff_t(input * part), part,
                  unit.begin() + ptrdiff_t(input * part));
    }
    return unit;
  }

  std::vector<Offsets> offsets_;
  TestRule rule_;
  int portions_;
  NodeDescriptor descriptor_;
};

// A random network for a clip. Each call of make() returns the same network.
class RandomNetwork {
 public:
  RandomNetwork(uint32_t seed, UnitClip source, bool in_portions = false)
      : seed_(seed), in_portions_(in_portions) {
    clips_.push_back(std::move(source));
    std::mt19937 random(seed_);
    visit(random, [&](const std::vector<int>& inputs, std::vector<Parts::Offsets> offsets,
                      const TestRule& rule, int portions) {
      std::vector<const UnitClip*> joined;
      for (const int input : inputs) joined.push_back(&clips_[size_t(input)]);
      UnitClip timed = Parts({offsets[0]}, rule).plain({joined[0]});
      std::vector<UnitMapPtr> maps(inputs.size());
      for (size_t i = 1; i < inputs.size(); i++)
        if (clocks_[size_t(inputs[i])] != clocks_[size_t(inputs[0])] || random() % 8 == 0)
          maps[i] = random_unit_map(random, is_by_unit(rule) ? timed : *joined[0], *joined[i]);
      const bool has_all = std::ranges::all_of(inputs, [&, i = size_t{0}](int input) mutable {
        return maps[i++] != nullptr || clocks_[size_t(input)] == clocks_[size_t(inputs[0])];
      });
      Step step{inputs, std::move(offsets), rule, portions, std::move(maps)};
      step.outputs = 1 + int(random() % 8 == 0);
      step.read_output = int(random() % uint32_t(step.outputs));
      if (!has_all) {
        step.inputs.resize(1);
        step.offsets.resize(1);
        step.maps.clear();
        joined.resize(1);
      }
      clips_.push_back(step.node()->plain(joined));
      steps_.push_back(std::move(step));
    });
    const size_t other = random() % clips_.size();
    if (random() % 4 == 0 && clocks_[other] == clocks_.back()) other_ = int(other);
  }

  Network make() const {
    Network network;
    std::vector<Port> ports = {network.set_source(PortFormat::data("test", kUnitBytes))};
    for (const Step& step : steps_) {
      std::vector<Port> joined;
      for (const int input : step.inputs) joined.push_back(ports[size_t(input)]);
      const auto outputs = network.add_node(step.node(), joined);
      if (!outputs.ok()) std::abort();
      ports.push_back((*outputs)[size_t(step.read_output)]);
    }
    std::vector<Port> outputs = {ports.back()};
    if (other_ >= 0) outputs.push_back(ports[size_t(other_)]);
    if (!network.set_outputs(outputs).ok()) std::abort();
    return network;
  }

  // Returns the expected units of the outputs: unit 0 of each output, unit 1 of each output, and so
  // on.
  std::vector<Unit> plain() const {
    std::vector<Unit> units;
    for (size_t i = 0; i < clips_.back().units.size(); i++) {
      units.push_back(clips_.back().units[i]);
      if (other_ >= 0) units.push_back(clips_[size_t(other_)].units[i]);
    }
    return units;
  }
  bool has_maps() const {
    return std::ranges::any_of(steps_, [](const Step& step) {
      return std::ranges::any_of(step.maps, [](const UnitMapPtr& map) { return map != nullptr; });
    });
  }

 private:
  struct Step {
    std::vector<int> inputs;
    std::vector<Parts::Offsets> offsets;
    TestRule rule;
    int portions = 1;
    std::vector<UnitMapPtr> maps;
    // number of the node's output ports, and the index of the one that other nodes read
    int outputs = 1, read_output = 0;

    std::unique_ptr<Parts> node() const {
      return std::make_unique<Parts>(offsets, rule, portions, maps, outputs);
    }
  };

  // Calls `add` for each node in order. Ports are numbered in that order. Ports of one clock may be
  // joined; others are joined by a map.
  template <class Add>
  void visit(std::mt19937& random, Add add) {
    clocks_ = {0};
    std::vector<int> rates = {1};  // rate by clock
    const int nodes = 1 + int(random() % 7);
    for (int i = 0; i < nodes; i++) {
      // The inputs are the newest port or older ports of the same clock, at most three.
      const int clock = clocks_[random() % 2 == 0 ? clocks_.size() - 1 : random() % clocks_.size()];
      std::vector<int> alike;
      for (int port = 0; port < int(clocks_.size()); port++)
        if (clocks_[size_t(port)] == clock) alike.push_back(port);
      std::vector<int> inputs;
      const int count = i + 1 == nodes && random() % 2 == 0 ? 1 : 1 + int(random() % 3);
      for (int k = 0; k < count; k++) inputs.push_back(alike[random() % alike.size()]);
      inputs[0] = alike.back();
      for (int k = 1; k < count; k++)
        if (random() % 3 == 0) inputs[size_t(k)] = int(random() % clocks_.size());
      std::vector<Parts::Offsets> offsets;
      for (int k = 0; k < count; k++) offsets.push_back({int(random() % 5) - 2, int(random() % 5) - 2});
      TestRule rule;
      int next_clock = clock;
      const uint32_t kind = random() % 7;
      if (kind == 0 && rates[size_t(clock)] < 4) {
        // Each rule makes a new clock: parity distinguishes clocks that are not meant to be equal.
        rule = FieldRule{
            .per_field = random() % 4 != 0, .only_flagged = random() % 2 == 0, .parity = v1::PARITY_TOP};
        next_clock = int(rates.size());
        rates.push_back(rates[size_t(clock)] * 2);
      } else if (kind == 1 && rates[size_t(clock)] < 4) {
        const auto map = random_map(random, int64_t(clips_[size_t(inputs[0])].units.size()));
        next_clock = int(rates.size());
        rates.push_back(rates[size_t(clock)] * (map->rate.numerator > map->rate.denominator ? 2 : 1));
        rule = MapPtr(map);
      } else if (kind == 2) {
        // Equal rules share a clock, so each cycle has a length of its own.
        rule = Cycle{2 + int(rates.size())};
        next_clock = int(rates.size());
        rates.push_back(rates[size_t(clock)]);
      }
      add(inputs, std::move(offsets), rule, in_portions_ && random() % 2 == 0 ? 3 : 1);
      clocks_.push_back(next_clock);
    }
  }

  // Returns a map with a unit of `read` for each unit of `own`, at most a few source units away, or
  // null if a unit has none.
  static UnitMapPtr random_unit_map(std::mt19937& random, const UnitClip& own, const UnitClip& read) {
    auto map = std::make_shared<UnitMap>();
    const uint32_t most = random() % 4 == 0 ? 16 : 4;
    map->before = int(random() % most);
    map->after = int(random() % most);
    size_t least = 0;
    for (size_t unit = 0; unit < own.units.size(); unit++) {
      std::vector<size_t> possible;
      for (size_t at = least; at < read.units.size(); at++) {
        const int later = read.sources[at] - own.sources[unit];
        if (read.runs[at] == own.runs[unit] && later <= map->after && -later <= map->before)
          possible.push_back(at);
      }
      if (possible.empty()) return nullptr;
      // Mostly near the first possible unit, so that some remain for the next unit.
      least = possible[std::min<size_t>(random() % possible.size(), random() % possible.size())];
      map->units.push_back(int64_t(least));
    }
    return map->units.empty() ? nullptr : map;
  }

  // Returns a map of four of five units, of every n-th unit, or of random units, some of them
  // twice.
  static std::shared_ptr<const FrameMap> random_map(std::mt19937& random, int64_t units) {
    const uint32_t kind = random() % 3;
    if (kind == 0) return map_of_every(1 + int(random() % 4));
    auto map = std::make_shared<FrameMap>();
    map->rate = kind == 1 ? Rate{4, 5} : Rate{3, 2};
    const uint32_t dropped = random() % 5;
    bool is_dense = true;
    for (int64_t unit = 0; unit < units; unit++) {
      if (random() % 8 == 0) is_dense = !is_dense;
      const int times = kind == 1 ? (unit % 5 != int64_t(dropped) ? 1 : 0)
                                  : int(is_dense ? 1 + random() % 2 : random() % 4 / 3);
      for (int i = 0; i < times; i++) map->entries.push_back({unit, unit, 1, 0});
    }
    return map;
  }

  uint32_t seed_;
  bool in_portions_;
  std::vector<int> clocks_;      // clock by port
  std::vector<UnitClip> clips_;  // expected units by port
  std::vector<Step> steps_;
  int other_ = -1;  // output port in addition to the newest; -1: none
};

}  // namespace weft::graph
