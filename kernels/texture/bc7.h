// SPDX-License-Identifier: Apache-2.0
// Defines the tables of BC7 (Khronos Data Format 1.4, "BPTC"; Microsoft, "BC7 Format Mode
// Reference"), and its bits. Included between KERNEL_FILE and KERNEL_FILE_END.

// Values for each mode: number of subsets, then the bits of the partition number, of a colour, of
// alpha, of an index and of an index of the second plane.
TABLE(int, kSubsets, 8) = {3, 2, 3, 2, 1, 1, 1, 2};
TABLE(int, kPartitionBits, 8) = {4, 6, 6, 6, 0, 0, 0, 6};
TABLE(int, kColourBits, 8) = {4, 6, 5, 7, 5, 7, 7, 5};
TABLE(int, kAlphaBits, 8) = {0, 0, 0, 0, 6, 8, 7, 5};
TABLE(int, kIndexBits, 8) = {3, 3, 2, 2, 2, 2, 4, 2};
TABLE(int, kSecondBits, 8) = {0, 0, 0, 0, 3, 2, 0, 0};
// Lowest bit of endpoints (P-bit): none, one per endpoint, or one shared by both endpoints of a
// subset.
#define P_NONE 0
#define P_EACH 1
#define P_SHARED 2
TABLE(int, kPBits, 8) = {P_EACH, P_SHARED, P_NONE, P_EACH, P_NONE, P_NONE, P_EACH, P_EACH};

// Bit i is the subset of texel i = x + 4 y.
TABLE(uint, kTwoSubsets, 64) = {
    0xCCCCu, 0x8888u, 0xEEEEu, 0xECC8u, 0xC880u, 0xFEECu, 0xFEC8u, 0xEC80u, 0xC800u, 0xFFECu, 0xFE80u,
    0xE800u, 0xFFE8u, 0xFF00u, 0xFFF0u, 0xF000u, 0xF710u, 0x008Eu, 0x7100u, 0x08CEu, 0x008Cu, 0x7310u,
    0x3100u, 0x8CCEu, 0x088Cu, 0x3110u, 0x6666u, 0x366Cu, 0x17E8u, 0x0FF0u, 0x718Eu, 0x399Cu, 0xAAAAu,
    0xF0F0u, 0x5A5Au, 0x33CCu, 0x3C3Cu, 0x55AAu, 0x9696u, 0xA55Au, 0x73CEu, 0x13C8u, 0x324Cu, 0x3BDCu,
    0x6996u, 0xC33Cu, 0x9966u, 0x0660u, 0x0272u, 0x04E4u, 0x4E40u, 0x2720u, 0xC936u, 0x936Cu, 0x39C6u,
    0x639Cu, 0x9336u, 0x9CC6u, 0x817Eu, 0xE718u, 0xCCF0u, 0x0FCCu, 0x7744u, 0xEE22u};
// Bits 2i and 2i + 1 are the subset of texel i.
TABLE(uint, kThreeSubsets, 64) = {
    0xAA685050u, 0x6A5A5040u, 0x5A5A4200u, 0x5450A0A8u, 0xA5A50000u, 0xA0A05050u, 0x5555A0A0u, 0x5A5A5050u,
    0xAA550000u, 0xAA555500u, 0xAAAA5500u, 0x90909090u, 0x94949494u, 0xA4A4A4A4u, 0xA9A59450u, 0x2A0A4250u,
    0xA5945040u, 0x0A425054u, 0xA5A5A500u, 0x55A0A0A0u, 0xA8A85454u, 0x6A6A4040u, 0xA4A45000u, 0x1A1A0500u,
    0x0050A4A4u, 0xAAA59090u, 0x14696914u, 0x69691400u, 0xA08585A0u, 0xAA821414u, 0x50A4A450u, 0x6A5A0200u,
    0xA9A58000u, 0x5090A0A8u, 0xA8A09050u, 0x24242424u, 0x00AA5500u, 0x24924924u, 0x24499224u, 0x50A50A50u,
    0x500AA550u, 0xAAAA4444u, 0x66660000u, 0xA5A0A5A0u, 0x50A050A0u, 0x69286928u, 0x44AAAA44u, 0x66666600u,
    0xAA444444u, 0x54A854A8u, 0x95809580u, 0x96969600u, 0xA85454A8u, 0x80959580u, 0xAA141414u, 0x96960000u,
    0xAAAA1414u, 0xA05050A0u, 0xA0A5A5A0u, 0x96000000u, 0x40804080u, 0xA9A8A9A8u, 0xAAAAAA44u, 0x2A4A5254u};
// Anchor texels, with an index of one bit less: that of subset 1 of two, in the lowest four bits;
// those of subsets 1 and 2 of three, in the next bits.
TABLE(int, kAnchors, 64) = {3903, 2111, 2303, 1023, 3983, 3903, 1023, 2303, 3983, 3983, 3951, 3951, 3951,
                            3935, 3903, 2111, 3903, 2098, 3976, 1010, 3890, 2104, 3944, 2223, 850,  3976,
                            1666, 2658, 3976, 3928, 2802, 2290, 3983, 1023, 3894, 2648, 2658, 2216, 2447,
                            2815, 1778, 3896, 2290, 3922, 1010, 1791, 1791, 2294, 3894, 1010, 3926, 3928,
                            3935, 3983, 3922, 4002, 3935, 4015, 3983, 4063, 1023, 4034, 3890, 2111};

FN int subset_of(int subsets, int pattern, int texel) {
  if (subsets == 1) return 0;
  if (subsets == 2) return int((kTwoSubsets[pattern] >> texel) & 1u);
  return int((kThreeSubsets[pattern] >> (2 * texel)) & 3u);
}
FN int anchor_of(int subsets, int pattern, int subset) {
  if (subset == 0) return 0;
  const int shift = subsets == 2 ? 0 : subset == 1 ? 4 : 8;
  return (kAnchors[pattern] >> shift) & 15;
}

// Returns the weight, in 64ths, for an index of 2, 3 or 4 bits.
FN int weight_of(int bits, int index) {
  if (bits == 2) return 21 * index + (index >> 1);
  if (bits == 3) return 9 * index + (index >> 2);
  return 4 * index + (index >> 2) + ((index >> 1) & 1);
}
FN int between(int end_0, int end_1, int weight) {
  return ((64 - weight) * end_0 + weight * end_1 + 32) >> 6;
}

// Expands a value of 4 to 8 bits to 8 bits.
FN int widen(int value, int bits) { return (value << (8 - bits)) | (value >> (2 * bits - 8)); }
