// SPDX-License-Identifier: Apache-2.0
// Registers QTGMC (Vit's script for AviSynth, after Didée's TempGaussMC). Pictures interpolated
// from single fields are smoothed along motion, which removes bobbing lines, and sharpened again.
#include "server/filters/qtgmc/graph.h"

namespace weft::filters::registered {
namespace {

// The cases exclude the network, so that all computations use integers.
constexpr Case kCases[] = {
    {"preset: QTGMC_PRESET_SLOWER edi_mode: QTGMC_EDI_BOB lossless: 1", {97, 65, Chroma::k420, 8}},
    {"preset: QTGMC_PRESET_FASTER edi_mode: QTGMC_EDI_BWDIF parity: PARITY_BOTTOM",
     {64, 48, Chroma::k422, 10}},
    {"preset: QTGMC_PRESET_ULTRA_FAST source_match: 3 edi_mode: QTGMC_EDI_BOB lossless: 2 fps_divisor: 2",
     {37, 50, Chroma::k444, 16}},
};

}  // namespace

extern const Registration kQtgmc;
const Registration kQtgmc = registration<v1::Qtgmc, qtgmc::add_qtgmc>({}, kCases);

}  // namespace weft::filters::registered
