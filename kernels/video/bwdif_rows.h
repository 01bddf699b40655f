// SPDX-License-Identifier: Apache-2.0
// Computes bwdif of one row, in integers: all of bwdif.kernel, and the rows near the borders in
// bwdif_packed.kernel. Kernel files include it once, after FRAME_FUNCTIONS; so it has no guard.

// The rows around a missing line. `a` and `b` are the frames just before and after the missing
// field in time.
struct Rows {
  // rows of the current frame; up3 and down3 are three lines away
  Plane up, down, up3, down3;
  Plane previous_up, previous_down;  // rows of the previous frame
  Plane next_up, next_down;          // rows of the next frame
  Plane a, b;                        // the missing line itself
  Plane a_up2, b_up2, a_up4, b_up4;  // rows two and four lines above it, then below it
  Plane a_down2, b_down2, a_down4, b_down4;
};

// Interpolates from the lines of the same field only.
FN void spatial_run(Plane target, Rows r, int maximum, int x_begin, int x_end) {
  INDEPENDENT for (int x = x_begin; x < x_end; x++) {
    const int near = int(r.up.v[x]) + int(r.down.v[x]);
    const int far = int(r.up3.v[x]) + int(r.down3.v[x]);
    target.v[x] = PIXEL(clamp((5077 * near - 981 * far) >> 13, 0, maximum));
  }
}

// Returns the maximum distance of the result from d, from temporal differences; 0 means no motion.
FN int reach_in_time(Rows r, int x) {
  const int c = int(r.up.v[x]);
  const int e = int(r.down.v[x]);
  const int change = abs(int(r.a.v[x]) - int(r.b.v[x])) >> 1;
  const int change_before = (abs(int(r.previous_up.v[x]) - c) + abs(int(r.previous_down.v[x]) - e)) >> 1;
  const int change_after = (abs(int(r.next_up.v[x]) - c) + abs(int(r.next_down.v[x]) - e)) >> 1;
  return max(change, max(change_before, change_after));
}

// Returns the limit, widened if d is outside the range of the lines above and below.
FN int widen(Rows r, int x, int d, int reach) {
  const int c = int(r.up.v[x]);
  const int e = int(r.down.v[x]);
  const int above = (int(r.a_up2.v[x]) + int(r.b_up2.v[x])) >> 1;
  const int below = (int(r.a_down2.v[x]) + int(r.b_down2.v[x])) >> 1;
  return widened(reach, d, c, e, above, below);
}

FN int bounded(int value, int d, int reach, int maximum) {
  return clamp(max(d - reach, min(d + reach, value)), 0, maximum);
}

// Filters near the upper and lower border, with fewer taps.
FN void border_run(Plane target, Rows r, bool widens, int maximum, int x_begin, int x_end) {
  INDEPENDENT for (int x = x_begin; x < x_end; x++) {
    const int d = (int(r.a.v[x]) + int(r.b.v[x])) >> 1;
    const int reach = reach_in_time(r, x);
    const int wide = widens ? widen(r, x, d, reach) : reach;
    const int value = bounded((int(r.up.v[x]) + int(r.down.v[x])) >> 1, d, wide, maximum);
    target.v[x] = PIXEL(reach == 0 ? d : value);
  }
}

FN void full_run(Plane target, Rows r, int maximum, int x_begin, int x_end) {
  INDEPENDENT for (int x = x_begin; x < x_end; x++) {
    const int c = int(r.up.v[x]);
    const int e = int(r.down.v[x]);
    const int at0 = int(r.a.v[x]) + int(r.b.v[x]);
    const int at2 = int(r.a_up2.v[x]) + int(r.b_up2.v[x]) + int(r.a_down2.v[x]) + int(r.b_down2.v[x]);
    const int at4 = int(r.a_up4.v[x]) + int(r.b_up4.v[x]) + int(r.a_down4.v[x]) + int(r.b_down4.v[x]);
    const int far = int(r.up3.v[x]) + int(r.down3.v[x]);
    const int d = at0 >> 1;
    const int reach = reach_in_time(r, x);
    const int in_time = (((5570 * at0 - 3801 * at2 + 1016 * at4) >> 2) + 4309 * (c + e) - 213 * far) >> 13;
    const int in_space = (5077 * (c + e) - 981 * far) >> 13;
    const bool is_vertical_edge = abs(c - e) > abs(int(r.a.v[x]) - int(r.b.v[x]));
    const int value = bounded(is_vertical_edge ? in_time : in_space, d, widen(r, x, d, reach), maximum);
    target.v[x] = PIXEL(reach == 0 ? d : value);
  }
}

// The three frames of a plane and the layout of its rows.
struct Neighbours {
  Plane previous, current, next;
  int stride, height;
  int border;   // bytes per sample: selects the mirroring of lines
  int maximum;  // the largest sample
};

// Computes row y of output frame k (0 first, 1 second). The row must be missing in that frame.
FN void missing_row(Plane target, Neighbours n, int y, int k, bool is_spatial, int x_begin, int x_end) {
  // Lines outside the plane are mirrored. In planes too small for that, the last line is repeated.
  const int last = n.height - 1;
  const int up = clamp(y > n.border - 1 ? y - 1 : y + 1, 0, last);
  const int down = clamp(y + n.border < n.height ? y + 1 : y - 1, 0, last);
  const int up3 = clamp(y > 3 * n.border - 1 ? y - 3 : y + 1, 0, last);
  const int down3 = clamp(y + 3 * n.border < n.height ? y + 3 : y - 1, 0, last);
  const bool is_border = y < 4 || y + 5 > n.height;
  Plane before = n.previous;
  Plane after = n.current;
  if (k != 0) {
    before = n.current;
    after = n.next;
  }
  Rows r;
  r.up = row_of(n.current, up, n.stride);
  r.down = row_of(n.current, down, n.stride);
  r.up3 = row_of(n.current, is_spatial ? up3 : max(y - 3, 0), n.stride);
  r.down3 = row_of(n.current, is_spatial ? down3 : min(y + 3, last), n.stride);
  r.previous_up = row_of(n.previous, up, n.stride);
  r.previous_down = row_of(n.previous, down, n.stride);
  r.next_up = row_of(n.next, up, n.stride);
  r.next_down = row_of(n.next, down, n.stride);
  r.a = row_of(before, y, n.stride);
  r.b = row_of(after, y, n.stride);
  r.a_up2 = row_of(before, max(y - 2, 0), n.stride);
  r.b_up2 = row_of(after, max(y - 2, 0), n.stride);
  r.a_up4 = row_of(before, max(y - 4, 0), n.stride);
  r.b_up4 = row_of(after, max(y - 4, 0), n.stride);
  r.a_down2 = row_of(before, min(y + 2, last), n.stride);
  r.b_down2 = row_of(after, min(y + 2, last), n.stride);
  r.a_down4 = row_of(before, min(y + 4, last), n.stride);
  r.b_down4 = row_of(after, min(y + 4, last), n.stride);
  if (is_spatial)
    spatial_run(target, r, n.maximum, x_begin, x_end);
  else if (is_border)
    border_run(target, r, y >= 2 && y + 3 <= n.height, n.maximum, x_begin, x_end);
  else
    full_run(target, r, n.maximum, x_begin, x_end);
}

// Computes row y of output frame k: a copy, or an interpolation.
FN void picture_row(Plane target, Neighbours n, int y, int k, int flags, int x_begin, int x_end) {
  const bool is_kept = (flags & FLAG_COPY) != 0 || (y & 1) == ((flags ^ k) & FLAG_BOTTOM_FIRST);
  const bool is_spatial = (flags & (k == 0 ? FLAG_SPATIAL_FIRST : FLAG_SPATIAL_SECOND)) != 0;
  if (is_kept)
    copy_run(target, row_of(n.current, y, n.stride), x_begin, x_end);
  else
    missing_row(target, n, y, k, is_spatial, x_begin, x_end);
}
