// SPDX-License-Identifier: Apache-2.0
#include "tests/filter_suite/reference.h"

#include <algorithm>
#include <cstdlib>

namespace weft::filters {
namespace {

// A plane of a picture whose lines and columns repeat past its ends.
struct Plane {
  const Picture* picture;
  int plane;

  int width() const { return picture->format.plane_width(plane); }
  int height() const { return picture->format.plane_height(plane); }
  int operator()(int x, int y) const {
    return picture->at(plane, std::clamp(x, 0, width() - 1), std::clamp(y, 0, height() - 1));
  }
};

// One plane of one picture that is to be made.
struct Task {
  Plane previous, current, next;
  int kept;         // the parity of the lines that stay
  bool is_second;   // of the two pictures of a frame
  bool is_spatial;  // bwdif: nothing but the field itself
  bool checks;      // yadif's spatial check

  Plane before() const { return is_second ? current : previous; }
  Plane after() const { return is_second ? next : current; }
  int mean(int x, int y) const { return (before()(x, y) + after()(x, y)) >> 1; }
};

int bob(const Task& task, int x, int y) { return task.current(x, y > 0 ? y - 1 : 1); }

int weave(const Task& task, int x, int y) { return task.is_second ? task.next(x, y) : task.current(x, y); }

// How far a result may lie from what is there before and after: changes in time.
int change(const Task& task, int x, int y, int up, int down) {
  const Plane& c = task.current;
  const int here = std::abs(task.before()(x, y) - task.after()(x, y)) >> 1;
  const auto around = [&](const Plane& other) {
    return (std::abs(other(x, up) - c(x, up)) + std::abs(other(x, down) - c(x, down))) >> 1;
  };
  return std::max({here, around(task.previous), around(task.next)});
}

int widened(const Task& task, int x, int y, int up, int down, int reach) {
  const int c = task.current(x, up), e = task.current(x, down), d = task.mean(x, y);
  const int b = task.mean(x, y + 2 * (up - y)) - c;
  const int f = task.mean(x, y + 2 * (down - y)) - e;
  const int highest = std::max({d - e, d - c, std::min(b, f)});
  const int lowest = std::min({d - e, d - c, std::max(b, f)});
  return std::max({reach, lowest, -highest});
}

int yadif_direction(const Task& task, int x, int up, int down) {
  const Plane& c = task.current;
  const auto score = [&](int j) {
    int sum = 0;
    for (int i = -1; i <= 1; i++) sum += std::abs(c(x + i + j, up) - c(x + i - j, down));
    return sum;
  };
  int best = score(0) - 1, direction = 0;
  for (const int side : {-1, 1})
    for (const int j : {side, 2 * side}) {
      if (score(j) >= best) break;
      best = score(j);
      direction = j;
    }
  return (c(x + direction, up) + c(x - direction, down)) >> 1;
}

int yadif(const Task& task, int x, int y) {
  const int height = task.current.height(), width = task.current.width();
  const int up = y > 0 ? y - 1 : y + 1;
  const int down = y + 1 < height ? y + 1 : y - 1;
  int value = (task.current(x, up) + task.current(x, down)) >> 1;
  if (x >= 3 && x < width - 3) value = yadif_direction(task, x, up, down);
  int reach = change(task, x, y, up, down);
  if (task.checks && y != 1 && y + 2 != height) reach = widened(task, x, y, up, down, reach);
  const int d = task.mean(x, y);
  return std::max(d - reach, std::min(d + reach, value));
}

int bwdif_interpolated(const Task& task, int x, int y) {
  const Plane& c = task.current;
  const auto both = [&](int line) { return task.before()(x, line) + task.after()(x, line); };
  const int near = c(x, y - 1) + c(x, y + 1), far = c(x, y - 3) + c(x, y + 3);
  if (std::abs(c(x, y - 1) - c(x, y + 1)) <= std::abs(task.before()(x, y) - task.after()(x, y)))
    return (5077 * near - 981 * far) >> 13;
  const int in_time =
      5570 * both(y) - 3801 * (both(y - 2) + both(y + 2)) + 1016 * (both(y - 4) + both(y + 4));
  return ((in_time >> 2) + 4309 * near - 213 * far) >> 13;
}

// FFmpeg mirrors at the border by the sample's size in bytes.
int bwdif(const Task& task, int x, int y) {
  const Plane& c = task.current;
  const int height = c.height(), bytes = c.picture->format.sample_bytes();
  const int maximum = (1 << c.picture->format.bit_depth) - 1;
  const int up = y >= bytes ? y - 1 : y + 1;
  const int down = y + bytes < height ? y + 1 : y - 1;
  if (task.is_spatial) {
    const int up3 = y >= 3 * bytes ? y - 3 : y + 1;
    const int down3 = y + 3 * bytes < height ? y + 3 : y - 1;
    return std::clamp((5077 * (c(x, up) + c(x, down)) - 981 * (c(x, up3) + c(x, down3))) >> 13, 0, maximum);
  }
  int reach = change(task, x, y, up, down);
  const int d = task.mean(x, y);
  if (reach == 0) return d;
  const bool is_border = y < 4 || y + 5 > height;
  if (y >= 2 && y + 3 <= height) {
    const int b = task.mean(x, y - 2) - c(x, up), f = task.mean(x, y + 2) - c(x, down);
    const int highest = std::max({d - c(x, down), d - c(x, up), std::min(b, f)});
    const int lowest = std::min({d - c(x, down), d - c(x, up), std::max(b, f)});
    reach = std::max({reach, lowest, -highest});
  }
  const int value = is_border ? (c(x, up) + c(x, down)) >> 1 : bwdif_interpolated(task, x, y);
  return std::clamp(std::max(d - reach, std::min(d + reach, value)), 0, maximum);
}

using Method = int (*)(const Task& task, int x, int y);

Method method_of(v1::DeinterlaceFilter filter) {
  switch (filter) {
    case v1::DEINTERLACE_FILTER_BOB:
      return bob;
    case v1::DEINTERLACE_FILTER_WEAVE:
      return weave;
    case v1::DEINTERLACE_FILTER_YADIF:
      return yadif;
    case v1::DEINTERLACE_FILTER_BWDIF:
      return bwdif;
    default:
      std::abort();
  }
}

Picture make_picture(Method method, Task task, const Picture& previous, const Picture& current,
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

}  // namespace

std::vector<Picture> reference(const v1::DeinterlaceOptions& options, const Clip& clip) {
  const Method method = method_of(options.filter());
  const int count = int(clip.frames.size());
  std::vector<Picture> result;
  bool started = false;
  for (int i = 0; i < count; i++) {
    const FrameInfo& info = clip.infos[size_t(i)];
    const bool is_first = i == 0 || info.discontinuity;
    const bool is_last = i + 1 == count || clip.infos[size_t(i) + 1].discontinuity;
    if (info.discontinuity) started = false;
    const Picture& current = clip.frames[size_t(i)];
    const bool keeps = options.frames() == v1::FRAME_SELECTION_FLAGGED && !info.interlaced;
    if (keeps) {
      result.push_back(current);
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
      task.checks = !options.yadif().has_spatial_check() || options.yadif().spatial_check();
      result.push_back(make_picture(method, task, clip.frames[size_t(is_first ? i : i - 1)], current,
                                    clip.frames[size_t(is_last ? i : i + 1)]));
    }
    started = true;
  }
  return result;
}

}  // namespace weft::filters
