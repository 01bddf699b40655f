// SPDX-License-Identifier: Apache-2.0
#include "server/queue/job_table.h"

#include <algorithm>
#include <utility>

#include "server/queue/records/job_filter.h"
#include "server/queue/records/ulid.h"

namespace weft::queue {
namespace {

constexpr std::string_view kPageTokenPrefix = "before-";
constexpr size_t kMostCandidates = 8;  // number of ids in an error

std::pair<int64_t, std::string> end_and_id(const v1::Job& job) {
  return {job.end_time().seconds() * 1'000'000'000 + job.end_time().nanos(), job.id()};
}

}  // namespace

int64_t bytes_of(const v1::Job& job) { return int64_t(job.ByteSizeLong()); }

std::string page_token_after(const std::string& id) { return std::string(kPageTokenPrefix) + id; }

void JobTable::put(RecordPtr record) {
  const v1::Job& job = record->job;
  auto [entry, added] = jobs_.try_emplace(job.id());
  const bool held = !added && !is_final(entry->second->job.state());
  if (held && is_final(job.state())) let_go(*record);
  if (!held && !is_final(job.state())) hold(*record);
  if (!added) {
    forget_end(*entry->second);
    by_state_[size_t(entry->second->job.state())].erase(entry->first);
    count_queued(entry->second->job, -1);
    count_owner(*entry->second, -1);
  }
  if (is_final(job.state())) ended_.insert(end_and_id(job));
  if (record->keeps_work) kept_work_.insert(end_and_id(job));
  if (added && !job.request_id().empty()) requests_[job.request_id()] = job.id();
  entry->second = std::move(record);
  by_state_[size_t(entry->second->job.state())].emplace(entry->first, &entry->second);
  count_queued(entry->second->job, 1);
  count_owner(*entry->second, 1);
}

void JobTable::count_owner(const JobRecord& record, int change) {
  const v1::Job& job = record.job;
  const auto owned = owners_.try_emplace(job.settings().owner()).first;
  const int64_t bytes = change * weft::queue::bytes_of(job);
  owned->second.bytes.all += bytes;
  if (is_final(job.state())) {
    owned->second.bytes.ended += bytes;
    if (change > 0)
      owned->second.ended.insert(end_and_id(job));
    else
      owned->second.ended.erase(end_and_id(job));
  }
  if (owned->second.bytes.all == 0) owners_.erase(owned);
}

JobTable::OwnerBytes JobTable::bytes_of(const std::string& owner) const {
  const auto owned = owners_.find(owner);
  return owned == owners_.end() ? OwnerBytes{} : owned->second.bytes;
}

void JobTable::visit_ended_of(const std::string& owner,
                              const std::function<bool(const RecordPtr&)>& visit) const {
  if (const auto owned = owners_.find(owner); owned != owners_.end()) visit_ends(owned->second.ended, visit);
}

void JobTable::count_queued(const v1::Job& job, int change) {
  if (job.state() == v1::JOB_STATE_QUEUED) queued_by_class_[size_t(job.settings().job_class())] += change;
}

void JobTable::remove(const std::string& id) {
  const auto entry = jobs_.find(id);
  if (entry == jobs_.end()) return;
  const v1::Job& job = entry->second->job;
  if (!job.request_id().empty()) requests_.erase(job.request_id());
  if (!is_final(job.state())) let_go(*entry->second);
  forget_end(*entry->second);
  by_state_[size_t(job.state())].erase(entry->first);
  count_queued(job, -1);
  count_owner(*entry->second, -1);
  jobs_.erase(entry);
}

void JobTable::hold(const JobRecord& record) {
  const v1::Job& job = record.job;
  for (const std::string& claim : claims_of_outputs(job.spec(), record.real_paths).held)
    writers_[claim].insert(job.id());
  for (const std::string& claim : claims_of_inputs(job.spec(), record.real_paths).held)
    readers_[claim].insert(job.id());
}

void JobTable::let_go(const FileClaims& claims, const std::string& id, Holders& holders) {
  for (const std::string& claim : claims.held) {
    const auto found = holders.find(claim);
    if (found == holders.end()) continue;
    found->second.erase(id);
    if (found->second.empty()) holders.erase(found);
  }
}

void JobTable::let_go(const JobRecord& record) {
  const v1::Job& job = record.job;
  let_go(claims_of_outputs(job.spec(), record.real_paths), job.id(), writers_);
  let_go(claims_of_inputs(job.spec(), record.real_paths), job.id(), readers_);
}

RecordPtr JobTable::find_holder(const FileClaims& claims, const Holders& holders) const {
  for (const std::string& claim : claims.conflicting)
    if (const auto found = holders.find(claim); found != holders.end()) return find(*found->second.begin());
  return nullptr;
}

RecordPtr JobTable::find_writer(const v1::JobSpec& spec, const v1::JobSpec& real_paths) const {
  return find_holder(claims_of_outputs(spec, real_paths), writers_);
}

RecordPtr JobTable::find_reader(const v1::JobSpec& spec, const v1::JobSpec& real_paths) const {
  return find_holder(claims_of_outputs(spec, real_paths), readers_);
}

RecordPtr JobTable::find(const std::string& id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second;
}

StatusOr<RecordPtr> JobTable::resolve(std::string_view id_or_prefix) const {
  const std::string id = normalise_ulid(id_or_prefix);
  const auto found = jobs_.lower_bound(id);
  if (found != jobs_.end() && found->first == id) return found->second;
  if (id.size() < kShortestIdPrefix)
    return invalid_argument("The id ({}) is too short; give at least {} characters of it.", id_or_prefix,
                            kShortestIdPrefix);
  if (found == jobs_.end() || !found->first.starts_with(id))
    return not_found(
        "There is no job with the id ({}): it is wrong, or the job was forgotten; `weft list --all` lists "
        "the "
        "jobs.",
        id_or_prefix);
  std::vector<std::string> candidates;
  auto next = found;
  for (; next != jobs_.end() && next->first.starts_with(id) && candidates.size() < kMostCandidates; ++next)
    candidates.push_back(next->first);
  if (candidates.size() == 1) return found->second;
  const bool is_cut = next != jobs_.end() && next->first.starts_with(id);
  return invalid_argument(
      "More than one job has an id that begins with ({}): {}{}; give more characters of the id.",
      id_or_prefix, fmt::join(candidates, ", "), is_cut ? " and others" : "");
}

RecordPtr JobTable::find_request(const std::string& request_id) const {
  const auto found = requests_.find(request_id);
  return found == requests_.end() ? nullptr : find(found->second);
}

// Merges the maps of the wanted states, from the newest job to the oldest.
void JobTable::visit_states(const v1::JobFilter& filter, std::string_view before, const Visit& visit) const {
  struct Head {
    const StateMap* map;
    StateMap::const_iterator next;  // one past the newest job that was not visited yet
  };
  std::vector<Head> heads;
  for (const size_t state : wanted_states(filter)) {
    const StateMap& map = by_state_[state];
    const auto end = before.empty() ? map.end() : map.lower_bound(before);
    if (end != map.begin()) heads.push_back({&map, end});
  }
  while (!heads.empty()) {
    const auto newest = std::max_element(heads.begin(), heads.end(), [](const Head& a, const Head& b) {
      return std::prev(a.next)->first < std::prev(b.next)->first;
    });
    --newest->next;
    const RecordPtr& record = *newest->next->second;
    if (newest->next == newest->map->begin()) heads.erase(newest);
    if (!visit(record)) return;
  }
}

std::vector<size_t> JobTable::wanted_states(const v1::JobFilter& filter) const {
  std::vector<size_t> wanted;
  for (size_t state = 0; state < by_state_.size(); state++)
    if (filter.states().empty() || std::count(filter.states().begin(), filter.states().end(), int(state)) > 0)
      wanted.push_back(state);
  return wanted;
}

void JobTable::visit_ids(const v1::JobFilter& filter, std::string_view before, const Visit& visit) const {
  std::vector<std::string> ids(filter.ids().begin(), filter.ids().end());
  std::sort(ids.begin(), ids.end(), std::greater<>());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const std::string& id : ids) {
    const RecordPtr record = before.empty() || id < before ? find(id) : nullptr;
    if (record != nullptr && !visit(record)) return;
  }
}

void JobTable::visit(const v1::JobFilter& filter, std::string_view before, const Visit& visit) const {
  if (filter.ids().empty())
    visit_states(filter, before, visit);
  else
    visit_ids(filter, before, visit);
}

Status JobTable::begin(Walk& walk) const {
  const v1::ListJobsRequest& request = walk.request;
  if (request.page_size() < 0 || request.page_size() > kLargestPageSize)
    return invalid_argument("The page size ({}) is not between 0 and {}.", request.page_size(),
                            kLargestPageSize);
  const std::string_view token = request.page_token();
  if (!token.empty() &&
      (!token.starts_with(kPageTokenPrefix) || !is_ulid(token.substr(kPageTokenPrefix.size()))))
    return invalid_argument("The page token ({}) is not one that an earlier page gave.", token);
  walk.begun = true;
  if (!asks_for_states_only(request.filter())) return ok_status();
  // Totals by state are known, so that the jobs of earlier pages need not be examined.
  for (const size_t state : wanted_states(request.filter()))
    walk.page.total += int64_t(by_state_[state].size());
  if (!token.empty()) walk.before = token.substr(kPageTokenPrefix.size());
  return ok_status();
}

Status JobTable::list_some(Walk& walk) const {
  if (!walk.begun) RETURN_IF_ERROR(begin(walk));
  const v1::ListJobsRequest& request = walk.request;
  const bool counted = asks_for_states_only(request.filter());
  const size_t size = size_t(request.page_size() == 0 ? kDefaultPageSize : request.page_size());
  std::string_view page_begin = request.page_token();
  if (!page_begin.empty()) page_begin.remove_prefix(kPageTokenPrefix.size());
  Page& page = walk.page;
  int examined = 0;
  walk.complete = true;
  visit(request.filter(), std::string(walk.before), [&](const RecordPtr& record) {
    if (examined++ == kStretchLength) {
      walk.complete = false;
      return false;
    }
    walk.before = record->job.id();
    if (!matches(request.filter(), record->job)) return true;
    if (!counted) page.total++;
    if (!page_begin.empty() && record->job.id() >= page_begin) return true;
    if (page.jobs.size() < size) {
      page.jobs.push_back(record);
      return true;
    }
    page.next_page_token = page_token_after(page.jobs.back()->job.id());
    return !counted;
  });
  return ok_status();
}

JobTable::Stretch JobTable::stretch(const v1::JobFilter& filter, const std::string& after,
                                    const std::string& last) const {
  Stretch stretch;
  int examined = 0;
  size_t bytes = 0;
  auto entry = jobs_.upper_bound(after);
  for (; entry != jobs_.end() && entry->first <= last && examined < kStretchLength; ++entry, ++examined) {
    if (bytes >= kLargestPageBytes) break;
    stretch.last = entry->first;
    if (!matches(filter, entry->second->job)) continue;
    bytes += size_t(weft::queue::bytes_of(entry->second->job));
    stretch.jobs.push_back(entry->second);
  }
  stretch.end = entry == jobs_.end() || entry->first > last;
  return stretch;
}

std::vector<RecordPtr> JobTable::newest_changes(size_t count) const {
  std::vector<RecordPtr> jobs;
  jobs.reserve(jobs_.size());
  for (const auto& [id, record] : jobs_) jobs.push_back(record);
  const size_t kept = std::min(count, jobs.size());
  std::partial_sort(jobs.begin(), jobs.begin() + ptrdiff_t(kept), jobs.end(),
                    [](const auto& a, const auto& b) { return a->job.revision() > b->job.revision(); });
  jobs.resize(kept);
  return jobs;
}

void JobTable::forget_end(const JobRecord& record) {
  ended_.erase(end_and_id(record.job));
  kept_work_.erase(end_and_id(record.job));
}

void JobTable::visit_ends(const Ends& ends, const std::function<bool(const RecordPtr&)>& visit) const {
  for (const auto& [end, id] : ends)
    if (!visit(find(id))) return;
}
void JobTable::visit_ended(const std::function<bool(const RecordPtr&)>& visit) const {
  visit_ends(ended_, visit);
}
void JobTable::visit_kept_work(const std::function<bool(const RecordPtr&)>& visit) const {
  visit_ends(kept_work_, visit);
}

std::vector<std::string> JobTable::ids() const {
  std::vector<std::string> ids;
  ids.reserve(jobs_.size());
  for (const auto& [id, record] : jobs_) ids.push_back(id);
  return ids;
}

std::vector<std::string> JobTable::ids(v1::JobState state) const {
  std::vector<std::string> ids;
  for (const auto& [id, record] : by_state_[size_t(state)]) ids.emplace_back(id);
  return ids;
}

}  // namespace weft::queue
