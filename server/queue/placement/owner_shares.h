// SPDX-License-Identifier: Apache-2.0
// Whose job is next: weighted fair sharing of the places on devices among owners. Pure.
//
// Start-time fair queueing (Goyal, Vin, Cheng, 1996). Each owner carries a tag: the time that his jobs held places,
// divided by his weight; the smallest tag is next. A job is charged with what his jobs usually take when it starts, so that of places
// that are free at once he does not get all, and with what it took when it ends. Who comes back after a pause
// starts where the others are: idleness earns nothing, and who had idle devices for himself pays nothing for it. Jobs of class NORMAL and
// SPARE are counted apart.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/clock.h"

namespace weft::queue {

using OwnerWeights = std::map<std::string, double>;  // those that are not 1

inline double weight_of(const OwnerWeights& weights, const std::string& owner) {
  const auto found = weights.find(owner);
  return found == weights.end() ? 1 : found->second;
}

// Those who share: owners within a class.
struct ShareKey {
  bool spare = false;
  std::string owner;
  bool operator<(const ShareKey& other) const {
    return std::tie(spare, owner) < std::tie(other.spare, other.owner);
  }
};

// The tags at which an owner's next jobs start, in seconds.
struct Turns {
  double first = 0, step = 0;
  double of(int64_t n) const { return first + double(n) * step; }  // of the job behind n others of his
};

class OwnerShares {
 public:
  static constexpr Duration kUsualAtFirst = std::chrono::minutes(1);
  // Who waited for one device while others went on has this much of a claim to places on these, at a weight of 1.
  static constexpr Duration kMostClaim = std::chrono::hours(4);
  static constexpr size_t kMostRemembered = 1000;  // owners with nothing to do

  void set_weights(OwnerWeights weights) { weights_ = std::move(weights); }

  // One more job of the owner's stands in line, or one less.
  void join(const ShareKey& key, TimePoint now);
  void leave(const ShareKey& key);
  // A job holds a place from now on, and no longer. Each once; others change nothing.
  void start(const ShareKey& key, const std::string& job_id, TimePoint now);
  void end(const std::string& job_id, TimePoint now);

  Turns turns(const ShareKey& key, TimePoint now) const;

 private:
  struct Share {
    double tag = 0;    // by jobs that ended
    double usual = 0;  // seconds that a job holds its place
    int64_t waiting = 0;
    std::map<std::string, TimePoint> running;  // by job: since when
    bool is_active() const { return waiting > 0 || !running.empty(); }
  };
  Share& activate(const ShareKey& key, TimePoint now);
  double tag_by_now(const std::string& owner, const Share& share, TimePoint now) const;
  double least_tag(const ShareKey& key, TimePoint now) const;
  double tag_where_others_are(bool spare, TimePoint now) const;
  void forget_some();

  OwnerWeights weights_;
  std::map<ShareKey, Share> shares_;
  std::unordered_map<std::string, ShareKey> runs_;  // by job
  std::array<double, 2> served_{};                  // by class: the largest tag that a job started at
};

}  // namespace weft::queue
