// SPDX-License-Identifier: Apache-2.0
// stored.h for the CPU's wide bodies: two complex numbers of one line. Included after wide_pixels.h, or wide.h with fp32.

#if defined(HALF_POINTS)
FN Four four_stored(const STORED* place) { return four_of_halves(place); }
FN void put_stored(STORED* place, Four v, float scale) { put_halves_within(place, v * scale); }
#else
FN Four four_stored(const STORED* place) { return four_at(place); }
FN void put_stored(STORED* place, Four v, float) { put_four(place, v); }
#endif
