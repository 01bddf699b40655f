// SPDX-License-Identifier: Apache-2.0
// Shares device time among owners by weight, then among the sources of an owner.
//
// Start-time fair queueing (Goyal, Vin, Cheng, 1996) on two levels. Each participant has a tag: the
// device time used, divided by the weight. The participant with the smallest tag is next. After a
// pause, a participant starts at the current tag, so that it earns nothing by being idle. A batch
// is charged with its predicted cost at its start, and the charge is corrected at its end.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "server/schedule/source.h"

namespace weft::schedule {

// Shares of one (class, priority). Instances are served strictly in order and share nothing.
class FairShare {
 public:
  static constexpr Duration kMostClaim = std::chrono::seconds(1);

  // Marks the source as active: it has work. Its tag rises at least to the tag that is served now;
  // so does the owner's tag if no other source of the owner is active. Each call may change the
  // weights.
  void activate(const std::string& owner, double owner_weight, SourceId source, double weight);
  // Marks the source as idle. Its excess use is remembered until the other sources have used as
  // much.
  void deactivate(const std::string& owner, SourceId source);

  // Charges a starting batch with its predicted device time.
  void serve(const std::string& owner, SourceId source, Duration predicted);
  // Adds `longer`, the real minus the predicted time of a batch, to the charge. It may be negative.
  void correct(const std::string& owner, SourceId source, Duration longer);

  // Tags that determine the order of service: the smaller owner tag comes first, then the smaller
  // source tag. Zero if the owner or source is not known.
  struct Tags {
    double owner = 0, source = 0;
  };
  Tags tags_of(const std::string& owner, SourceId source) const;

 private:
  struct Member {
    double tag = 0, weight = 1;
    bool active = false;
  };
  struct Owner {
    double tag = 0, weight = 1;
    double served = 0;  // largest tag at which one of the owner's sources was served
    int active = 0;
    std::map<SourceId, Member> sources;
  };
  void forget_the_even();

  std::map<std::string, Owner> owners_;
  double served_ = 0;
};

}  // namespace weft::schedule
