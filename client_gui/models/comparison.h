// SPDX-License-Identifier: Apache-2.0
// A job's input beside its output: which pictures of them belong together, those that are looked at, and some around them.
#pragma once

#include <QObject>
#include <QTimer>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "client_gui/connection/picture_orders.h"
#include "client_gui/models/fleet.h"

namespace weft::gui {

// Pictures that are kept, the newest: at least the four of two steps.
inline constexpr int64_t kMostKeptPictureBytes = int64_t{256} << 20;
inline constexpr size_t kLeastKeptPictures = 4;
inline constexpr int kThumbnailSide = 96;
inline constexpr int64_t kThumbnailsAround =
    12;  // of the picture that is looked at, on either side, that are asked for

class Comparison : public QObject {
  Q_OBJECT

 public:
  struct Side {
    std::shared_ptr<const Picture> picture;  // null: not there yet, or see error
    QString error;                           // a sentence
  };

  explicit Comparison(Fleet& fleet, QObject* parent = nullptr);

  // Begins at its first picture; the job that is looked at already stays where it is, unless it changed.
  void choose(const PlacedJob& job);
  const std::optional<PlacedJob>& job() const { return job_; }

  // Counts pictures of the output, from 0; where it lies beyond an end, the end is shown.
  void show(int64_t index);
  int64_t index() const { return index_; }
  int64_t pictures() const;  // 0: not known
  // The picture of the input that the output's is made of. Where several are made of one, `place` counts them.
  int64_t input_index(int64_t index) const;
  int64_t place_in_input() const;
  bool has_several_of_one() const;

  const Side& before() const { return before_; }
  const Side& after() const { return after_; }
  // Of a job with several files a small picture of each, as far as they came: of the output where there is one.
  bool has_thumbnails() const { return job_ && job_->job.is_set && pictures() > 1; }
  std::shared_ptr<const Picture> thumbnail(int64_t index) const;
  // Both are there, or why not.
  bool is_settled() const;

 signals:
  void changed();
  void thumbnail_came(int64_t index);

 private:
  void ask();
  void take(int server, const PictureResult& answer);
  void look_at_servers();
  void look_at_job();
  void keep(const PictureResult& answer);
  std::shared_ptr<const Picture> kept(const PictureOrder& order);
  PictureOrder order_of(bool is_output, int64_t index) const;
  void add_thumbnails(std::vector<PictureOrder>& orders) const;

  Fleet& fleet_;
  std::optional<PlacedJob> job_;
  int64_t index_ = 0;
  int direction_ = 1;                     // of the last step
  int64_t in_input_ = 0, in_output_ = 0;  // pictures there are; 0: not known
  Side before_, after_;
  std::deque<PictureResult> kept_;                                // the one looked at last first
  std::map<int64_t, std::shared_ptr<const Picture>> thumbnails_;  // null: there is none
  QTimer again_;
};

}  // namespace weft::gui
