// SPDX-License-Identifier: Apache-2.0
// Who is next: weighted fair sharing of device time among owners, then among an owner's sources.
//
// Start-time fair queueing (Goyal, Vin, Cheng, 1996) on two levels. Everyone carries a tag, the device time used
// divided by the weight; the smallest tag is next. Who comes back after a pause starts at the tag that is being served,
// so that idleness earns nothing. A batch is charged as predicted when it starts and put right when it ends.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "server/schedule/source.h"

namespace weft::schedule {

// One of these for each (class, priority): they are served strictly in order, and share nothing.
class FairShare {
 public:
  static constexpr Duration kMostClaim = std::chrono::seconds(1);

  // The source has work from now on. Its tag, and its owner's if nothing else of him is active, moves up to what is
  // served. Weights may be given anew with each call.
  void activate(const std::string& owner, double owner_weight, SourceId source, double weight);
  // It has none any more. What it used beyond its share is remembered until the others have had as much.
  void deactivate(const std::string& owner, SourceId source);

  // A batch of the source starts, of so much device time by prediction.
  void serve(const std::string& owner, SourceId source, Duration predicted);
  // It took so much longer (below zero: shorter) than was predicted.
  void correct(const std::string& owner, SourceId source, Duration longer);

  // The smaller owner's tag is served first, then the smaller one of his sources; zero for who is not known.
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
    double served = 0;  // the largest tag that a source of his was served at
    int active = 0;
    std::map<SourceId, Member> sources;
  };
  void forget_the_even();

  std::map<std::string, Owner> owners_;
  double served_ = 0;
};

}  // namespace weft::schedule
