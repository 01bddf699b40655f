// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/comparison.h"

#include <algorithm>

#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

constexpr std::chrono::milliseconds kAgain(1000);  // delay of a retry if no daemon answered

}  // namespace

Comparison::Comparison(Fleet& fleet, QObject* parent) : QObject(parent), fleet_(fleet) {
  connect(&fleet_, &Fleet::picture_came, this, &Comparison::take);
  connect(&fleet_, &Fleet::links_changed, this, &Comparison::update_servers);
  again_.setSingleShot(true);
  connect(&again_, &QTimer::timeout, this, [this] {
    if (job_) ask();
  });
  connect(&fleet_.jobs(), &QAbstractItemModel::dataChanged, this, &Comparison::update_job);
}

void Comparison::choose(const PlacedJob& job) {
  const bool is_the_same = job_ && job_->server == job.server && job_->job.id == job.job.id;
  if (is_the_same && job_->job.state == job.job.state && job_->job.attempt == job.job.attempt) return;
  job_ = job;
  if (!is_the_same) index_ = 0;
  in_input_ = in_output_ = 0;
  kept_.clear();
  thumbnails_.clear();
  before_ = after_ = {};
  ask();
}

int64_t Comparison::pictures() const {
  if (!job_) return 0;
  if (job_->job.units_out > 0) return job_->job.units_out;
  return in_output_ > 0 ? in_output_ : in_input_;
}

int64_t Comparison::input_index(int64_t index) const {
  if (!job_ || job_->job.units_in <= 0 || job_->job.units_out <= 0) return index;
  return job_->job.first_unit + index * job_->job.units_in / job_->job.units_out;
}

int64_t Comparison::index_in_input() const {
  int64_t number = 0;
  while (number < index_ && input_index(index_ - number - 1) == input_index(index_)) number++;
  return number;
}

bool Comparison::has_several_of_one() const { return job_ && job_->job.units_out > job_->job.units_in; }

bool Comparison::is_settled() const {
  return !job_ ||
         ((before_.picture || !before_.error.isEmpty()) && (after_.picture || !after_.error.isEmpty()));
}

void Comparison::show(int64_t index) {
  const int64_t last = pictures() > 0 ? pictures() - 1 : index;
  index = std::clamp<int64_t>(index, 0, std::max<int64_t>(last, 0));
  if (!job_ || index == index_) return;
  direction_ = index > index_ ? 1 : -1;
  index_ = index;
  ask();
}

PictureOrder Comparison::order_of(bool is_output, int64_t index) const {
  return {job_->job.id, is_output, is_output ? index : input_index(index)};
}

// Shows cached pictures at once and requests the missing ones. The view shows the previous pair
// until both pictures are known.
void Comparison::ask() {
  std::vector<PictureOrder> orders;
  for (const int64_t index : {index_, index_ + direction_})
    for (const bool is_output : {false, true}) {
      if (index < 0 || (pictures() > 0 && index >= pictures())) continue;
      const PictureOrder order = order_of(is_output, index);
      const std::shared_ptr<const Picture> picture = kept(order);
      Side& side = is_output ? after_ : before_;
      if (index == index_) side = {picture, {}};
      if (!picture && std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
    }
  add_thumbnails(orders);
  fleet_.ask_for_pictures(job_->server, std::move(orders));
  emit changed();
}

std::shared_ptr<const Picture> Comparison::thumbnail(int64_t index) const {
  const auto found = thumbnails_.find(index);
  return found == thumbnails_.end() ? nullptr : found->second;
}

// Adds requests for thumbnails after those for the current pictures.
void Comparison::add_thumbnails(std::vector<PictureOrder>& orders) const {
  if (!has_thumbnails()) return;
  const bool is_output = job_->job.state == v1::JOB_STATE_SUCCEEDED;
  const int64_t end = std::min(pictures(), index_ + kThumbnailsAround + 1);
  for (int64_t index = std::max<int64_t>(0, index_ - kThumbnailsAround); index < end; index++)
    if (!thumbnails_.contains(index)) orders.push_back({job_->job.id, is_output, index, kThumbnailSide});
}

void Comparison::take(int server, const PictureResult& answer) {
  if (!job_ || server != job_->server || answer.order.job != job_->job.id) return;
  if (answer.order.longest_side > 0) {
    if (answer.is_lost) return again_.start(kAgain);
    thumbnails_[answer.order.index] = answer.picture;
    return emit thumbnail_came(answer.order.index);
  }
  const bool had_thumbnails = has_thumbnails();
  if (answer.picture) {
    (answer.order.is_output ? in_output_ : in_input_) = answer.picture->pictures;
    keep(answer);
  }
  if (answer.order != order_of(answer.order.is_output, index_)) return;
  Side& side = answer.order.is_output ? after_ : before_;
  side = {answer.picture, answer.error};
  if (answer.is_lost) again_.start(kAgain);
  // the number of pictures was unknown before
  if (has_thumbnails() && !had_thumbnails) return ask();
  emit changed();
}

void Comparison::keep(const PictureResult& answer) {
  kept_.push_front(answer);
  int64_t bytes = 0;
  for (const PictureResult& each : kept_) bytes += int64_t(each.picture->bytes.size());
  while (bytes > kMostKeptPictureBytes && kept_.size() > kLeastKeptPictures) {
    bytes -= int64_t(kept_.back().picture->bytes.size());
    kept_.pop_back();
  }
}

std::shared_ptr<const Picture> Comparison::kept(const PictureOrder& order) {
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const PictureResult& each) { return each.order == order; });
  if (found == kept_.end()) return nullptr;
  const PictureResult answer = *found;
  kept_.erase(found);
  kept_.push_front(answer);
  return answer.picture;
}

void Comparison::update_servers() {
  if (!job_) return;
  const std::vector<int> servers = fleet_.servers();
  if (std::find(servers.begin(), servers.end(), job_->server) != servers.end()) return;
  job_.reset();
  kept_.clear();
  before_ = after_ = {};
  emit changed();
}

// Selects the job again after a change: a running job gets its output later, and a retried job gets
// another one.
void Comparison::update_job() {
  if (!job_) return;
  const int row = fleet_.jobs().row_of(job_->server, job_->job.id);
  if (row >= 0) choose(fleet_.jobs().job_at(row));
}

}  // namespace weft::gui
