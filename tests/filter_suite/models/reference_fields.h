// SPDX-License-Identifier: Apache-2.0
// Code shared by the models of deinterlacers: the lines of one field are kept, and the missing
// lines are computed one sample at a time. Only tests include it.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "tests/filter_suite/clip.h"
#include "weft/v1/deinterlace.pb.h"

namespace weft::filters::plain {

// A plane of a picture. Its border repeats outside of it.
struct Plane {
  const Picture* picture;
  int plane;

  int width() const { return picture->format.plane_width(plane); }
  int height() const { return picture->format.plane_height(plane); }
  int operator()(int x, int y) const {
    return picture->at(plane, std::clamp(x, 0, width() - 1), std::clamp(y, 0, height() - 1));
  }
};

// The task to compute one plane of one output picture.
struct Task {
  Plane previous, current, next;
  int kept;         // parity of the kept lines
  bool is_second;   // second of the two pictures of a frame
  bool is_spatial;  // bwdif: interpolate from the field alone
  bool checks;      // with the spatial check of yadif

  Plane before() const { return is_second ? current : previous; }
  Plane after() const { return is_second ? next : current; }
  int mean(int x, int y) const { return (before()(x, y) + after()(x, y)) >> 1; }
};

using Method = int (*)(const Task& task, int x, int y);

// Returns the largest permitted distance of a result from the mean of the samples before and after
// it, from the changes in time.
inline int change(const Task& task, int x, int y, int up, int down) {
  const Plane& c = task.current;
  const int here = std::abs(task.before()(x, y) - task.after()(x, y)) >> 1;
  const auto around = [&](const Plane& other) {
    return (std::abs(other(x, up) - c(x, up)) + std::abs(other(x, down) - c(x, down))) >> 1;
  };
  return std::max({here, around(task.previous), around(task.next)});
}

inline int widened(const Task& task, int x, int y, int up, int down, int reach) {
  const int c = task.current(x, up), e = task.current(x, down), d = task.mean(x, y);
  const int b = task.mean(x, y + 2 * (up - y)) - c;
  const int f = task.mean(x, y + 2 * (down - y)) - e;
  const int highest = std::max({d - e, d - c, std::min(b, f)});
  const int lowest = std::min({d - e, d - c, std::max(b, f)});
  return std::max({reach, lowest, -highest});
}

inline Picture make_picture(Method method, Task task, const Picture& previous, const Picture& current,
                            const Picture& next) {
  Picture result = current;
  for (int plane = 0; plane < current.format.planes(); plane++) {
    task.previous = {&previous, plane};
    task.current = {&current, plane};
    task.next = {&next, plane};
    for (int y = 0; y < task.current.height(); y++) {
      if ((y & 1) == task.kept) continue;
      for (int x = 0; x < task.current.width(); x++) result.at(plane, x, y) = uint16_t(method(task, x, y));
    }
  }
  return result;
}

// Returns the output pictures of every frame. `make` computes one from a task and the previous,
// current and next frame.
template <class Options, class Make>
Clip deinterlaced_by(const Options& options, const Clip& clip, const Make& make, bool checks = true) {
  const int count = int(clip.frames.size());
  Clip result{clip.format, {}, {}, clip.properties};
  const auto add = [&](Picture picture, const FrameInfo& info, int k, bool keeps = false) {
    result.frames.push_back(std::move(picture));
    FrameInfo made;
    if (keeps) made = info;
    made.pts = 2 * info.pts + k * info.duration;
    made.duration = info.duration;
    made.discontinuity = info.discontinuity && k == 0;
    result.infos.push_back(made);
  };
  bool started = false;
  for (int i = 0; i < count; i++) {
    const FrameInfo& info = clip.infos[size_t(i)];
    const bool is_first = i == 0 || info.discontinuity;
    const bool is_last = i + 1 == count || clip.infos[size_t(i) + 1].discontinuity;
    if (info.discontinuity) started = false;
    const Picture& current = clip.frames[size_t(i)];
    // FFmpeg also keeps frames next to a progressive one that repeats a field.
    const auto is_soft_telecine = [](const FrameInfo& other) {
      return !other.interlaced && other.repeats_field;
    };
    const bool is_kept = !info.interlaced || (!is_first && is_soft_telecine(clip.infos[size_t(i) - 1])) ||
                         (!is_last && is_soft_telecine(clip.infos[size_t(i) + 1]));
    if (options.frames() == v1::FRAME_SELECTION_FLAGGED && is_kept) {
      add(current, info, 0, true);
      continue;
    }
    bool top_first = !info.interlaced || info.top_field_first;
    if (options.parity() == v1::PARITY_TOP) top_first = true;
    if (options.parity() == v1::PARITY_BOTTOM) top_first = false;
    const int pictures = options.rate() == v1::OUTPUT_RATE_FIELD ? 2 : 1;
    for (int k = 0; k < pictures; k++) {
      Task task{};
      task.kept = (top_first ? 0 : 1) ^ k;
      task.is_second = k == 1;
      task.is_spatial = k == 0 ? !started && !is_last : is_last;
      task.checks = checks;
      add(make(task, clip.frames[size_t(is_first ? i : i - 1)], current,
               clip.frames[size_t(is_last ? i : i + 1)]),
          info, k);
    }
    started = true;
  }
  return result;
}

// Deinterlaces with a method that computes one missing sample.
template <class Options>
Clip deinterlaced(const Options& options, const Clip& clip, Method method, bool checks = true) {
  const auto make = [method](const Task& task, const Picture& previous, const Picture& current,
                             const Picture& next) {
    return make_picture(method, task, previous, current, next);
  };
  return deinterlaced_by(options, clip, make, checks);
}

}  // namespace weft::filters::plain
