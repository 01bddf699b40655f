// SPDX-License-Identifier: Apache-2.0
// Shares device slots among owners, fairly and by weight. No side effects.
//
// The method is start-time fair queueing (Goyal, Vin, Cheng, 1996). Each owner has a tag: the time
// for which the owner's jobs held slots, divided by the weight. The owner with the smallest tag is
// next. A started job is charged with the usual duration of its owner's jobs, so that one owner
// does not receive all of several free slots; an ended job is charged with its real duration. An
// owner that returns after a pause starts at the common tag: idle time gives no claim, and use of
// idle devices costs nothing. Classes NORMAL and SPARE are counted separately.
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

using OwnerWeights = std::map<std::string, double>;  // weights other than 1, by owner

inline double weight_of(const OwnerWeights& weights, const std::string& owner) {
  const auto found = weights.find(owner);
  return found == weights.end() ? 1 : found->second;
}

// The unit of sharing: an owner within a class.
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
  // Returns the tag of the owner's job after n others.
  double of(int64_t n) const { return first + double(n) * step; }
};

class OwnerShares {
 public:
  static constexpr Duration kUsualAtFirst = std::chrono::minutes(1);
  // Upper bound of the claim, at weight 1, of an owner that waited for one device while jobs of
  // others ran.
  static constexpr Duration kMostClaim = std::chrono::hours(4);
  static constexpr size_t kMostRemembered = 1000;  // owners without waiting or running jobs

  void set_weights(OwnerWeights weights) { weights_ = std::move(weights); }

  // Count a job of the owner that joins or leaves the line.
  void join(const ShareKey& key, TimePoint now);
  void leave(const ShareKey& key);
  // Count the time for which a job holds a slot. A repeated start and an end without a start have
  // no effect.
  void start(const ShareKey& key, const std::string& job_id, TimePoint now);
  void end(const std::string& job_id, TimePoint now);

  Turns turns(const ShareKey& key, TimePoint now) const;

 private:
  struct Share {
    double tag = 0;    // seconds, from ended jobs
    double usual = 0;  // usual duration of the owner's jobs in a slot, in seconds
    int64_t waiting = 0;
    std::map<std::string, TimePoint> running;  // start times by job
    bool is_active() const { return waiting > 0 || !running.empty(); }
  };
  Share& activate(const ShareKey& key, TimePoint now);
  double tag_by_now(const std::string& owner, const Share& share, TimePoint now) const;
  double least_tag(const ShareKey& key, TimePoint now) const;
  double tag_where_others_are(bool spare, TimePoint now) const;
  void forget_some();

  OwnerWeights weights_;
  std::map<ShareKey, Share> shares_;
  std::unordered_map<std::string, ShareKey> runs_;  // running jobs
  // Largest tag at which a job started, by class.
  std::array<double, 2> served_{};
};

}  // namespace weft::queue
