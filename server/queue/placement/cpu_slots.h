// SPDX-License-Identifier: Apache-2.0
// Counts the CPU slots of running jobs on all devices against a common limit. A slot is a processor
// that the job's decoders and software encoders keep busy.
//
// A job needs the slots of its estimate, which are the threads of its encoder. After jobs of the
// same kind have run on a GPU, it needs the processors that they kept busy there: an encoder that
// waits for filters uses less than its threads. A need above the limit counts as the limit.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace weft::queue {

class CpuSlots {
 public:
  // The processors of a kind of work are believed after this number of samples, and follow them
  // with the inverse of this number.
  static constexpr int kSamples = 5;
  static constexpr size_t kKindsKept = 256;

  // Sets the limit; 0: unknown, every job fits. `is_chosen`: the configuration names it. Without
  // that, some devices start jobs in any case (Placement), and a long wait ends without slots.
  void set_limit(int slots, bool is_chosen) {
    limit_ = slots;
    is_chosen_ = is_chosen;
  }
  int limit() const { return limit_; }
  bool is_chosen() const { return is_chosen_; }

  // Updates the processors that a job of this kind keeps busy. `kind` is JobEstimate.pace_key.
  void learn(std::string_view kind, double processors);
  // Returns the slots of a job, from 1 to the limit. `estimated` is JobEstimate.cpu_slots.
  int need_of(std::string_view kind, int estimated) const;

  // Adds a running job or task; a repeated call has no effect.
  void take(const std::string& key, std::string_view kind, int estimated) {
    taken_.try_emplace(key, Taken{std::string(kind), estimated});
  }
  void give_back(const std::string& key) { taken_.erase(key); }
  int taken() const;

  // `is_spared`: the device starts a job in any case, unless the limit is chosen.
  bool fits(int need, bool is_spared) const {
    if (limit_ == 0 || (is_spared && !is_chosen_)) return true;
    return taken_.empty() || taken() + need <= limit_;
  }
  // Returns a clause such as "it needs 9 of 16 CPU slots, jobs have 12 (cpu_slots)".
  std::string describe(int need) const;

 private:
  struct Taken {
    std::string kind;
    int estimated = 0;
  };
  struct Learnt {
    double processors = 0;
    int samples = 0;
  };

  int limit_ = 0;
  bool is_chosen_ = false;
  std::map<std::string, Learnt, std::less<>> learnt_;  // by kind
  std::unordered_map<std::string, Taken> taken_;       // by job or task
};

}  // namespace weft::queue
