// SPDX-License-Identifier: Apache-2.0
// Registers ivtc: field matching and decimation on the device, with the bytes of FFmpeg's
// fieldmatch and decimate.
#include <bit>

#include "server/filters/cadence/cycle_drop.h"
#include "server/filters/cadence/field_matcher.h"

namespace weft::filters::registered {
namespace {

Status check_power_of_2(const FilterContext& context, const char* option, int value) {
  if (std::has_single_bit(unsigned(value))) return ok_status();
  return context.blame(option, invalid_argument("{} ({}) is no power of 2; {} is one.", option, value,
                                                std::bit_floor(unsigned(value))));
}

Status check(const FilterContext& context, const v1::Ivtc& options, const VideoFormat& format) {
  RETURN_IF_ERROR(check_power_of_2(context, "blockx", options.blockx()));
  RETURN_IF_ERROR(check_power_of_2(context, "blocky", options.blocky()));
  RETURN_IF_ERROR(check_power_of_2(context, "dec_blockx", options.dec_blockx()));
  RETURN_IF_ERROR(check_power_of_2(context, "dec_blocky", options.dec_blocky()));
  if (options.combpel() > options.blockx() * options.blocky())
    return context.blame("combpel",
                         invalid_argument("combpel ({}) exceeds the samples of a block ({}x{}); lower "
                                          "it, or choose larger blocks.",
                                          options.combpel(), options.blockx(), options.blocky()));
  if (options.cycle() == 1)
    return context.blame("cycle",
                         invalid_argument("A cycle of 1 frame would drop every frame; choose 2 or more, "
                                          "or 0 to drop none."));
  const bool has_chroma = options.dec_chroma() && options.cycle() > 0;
  if (has_chroma && options.dec_blockx() < 2 * columns_of_chroma(format.chroma))
    return context.blame(
        "dec_blockx",
        invalid_argument("Half a block (dec_blockx={}) has no column of {} chroma; "
                         "choose {} or more, or dec_chroma=false.",
                         options.dec_blockx(), name_of(format.chroma), 2 * columns_of_chroma(format.chroma)));
  if (has_chroma && options.dec_blocky() < 2 * rows_of_chroma(format.chroma))
    return context.blame(
        "dec_blocky",
        invalid_argument("Half a block (dec_blocky={}) has no row of {} chroma; "
                         "choose {} or more, or dec_chroma=false.",
                         options.dec_blocky(), name_of(format.chroma), 2 * rows_of_chroma(format.chroma)));
  return ok_status();
}

StatusOr<Port> expand(const FilterContext& context, const v1::Ivtc& options, Network& network, Port input) {
  RETURN_IF_ERROR(check(context, options, network.format(input).video));
  ASSIGN_OR_RETURN(const Port matched, add_field_matcher(context, network, input, options));
  if (options.cycle() == 0) return matched;
  return add_cycle_drop(context, network, matched,
                        {.cycle = options.cycle(),
                         .duplicate = options.dupthresh(),
                         .scene = options.dec_scthresh(),
                         .block_width = options.dec_blockx(),
                         .block_height = options.dec_blocky(),
                         .has_chroma = options.dec_chroma()});
}

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"mode: IVTC_MODE_PC_N_UB combmatch: IVTC_COMB_MATCH_FULL chroma: true post: IVTC_POST_BWDIF cycle: 2",
     {64, 48, Chroma::k420, 8}},
    {"mode: IVTC_MODE_PCN_UB combmatch: IVTC_COMB_MATCH_FULL field: PARITY_BOTTOM cycle: 0",
     {64, 48, Chroma::k422, 10}},
    {"mode: IVTC_MODE_PCN combmatch: IVTC_COMB_MATCH_FULL order: PARITY_BOTTOM chroma: true cycle: 3 "
     "combpel: 20",
     {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kIvtc;
const Registration kIvtc = registration<v1::Ivtc, expand>({}, kCases);

}  // namespace weft::filters::registered
