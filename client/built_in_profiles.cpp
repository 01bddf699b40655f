// SPDX-License-Identifier: Apache-2.0
#include "client/built_in_profiles.h"

#include "options/chain.h"

namespace weft::client {
namespace {

constexpr BuiltInProfile kProfiles[] = {
    {"anime-tv",
     "Animation from television (MPEG-2, H.264): film, 30p and 60p at their rates, without blocks and "
     "banding.",
     "kfm=ucf=yes:nr=yes,deblock=medium,temporal_nr,deband,edgelevel", "ENCODER_X265", 20},
    {"film-dvd", "Film from DVD with hard or soft telecine: 24p, with light deblocking.",
     "repeat_fields,kfm=24p,deblock=weak", "ENCODER_X264", 18},
    {"sport-1080i", "Video with motion in every field, of 1080 lines: one frame per field.", "qtgmc=faster",
     "ENCODER_X264", 20},
    {"vhs", "Digitised tapes: one frame per field, denoised along motion.",
     "qtgmc=slower:ez_denoise=2,smdegrain=2", "ENCODER_X264", 18},
};

}  // namespace

std::span<const BuiltInProfile> built_in_profiles() { return kProfiles; }

StatusOr<v1::Profile> make_profile(const BuiltInProfile& profile) {
  v1::Profile made;
  made.set_description(std::string(profile.description));
  v1::VideoJob& job = *made.mutable_spec()->mutable_video();
  const auto* chain = v1::VideoJob::descriptor()->FindFieldByName("filters");
  if (const Status parsed = options::parse_chain(profile.filters, job, *chain); !parsed.ok())
    return internal_error("The profile '{}' has an error: {}", profile.name, std::string(parsed.message()));
  v1::Encoder encoder = v1::ENCODER_UNSPECIFIED;
  if (!v1::Encoder_Parse(std::string(profile.encoder), &encoder))
    return internal_error("The profile '{}' has no such encoder ({}).", profile.name, profile.encoder);
  job.mutable_encoding()->set_encoder(encoder);
  job.mutable_encoding()->set_crf(profile.crf);
  return made;
}

}  // namespace weft::client
