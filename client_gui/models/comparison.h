// SPDX-License-Identifier: Apache-2.0
// Fetches the pictures of a job's input and output in pairs. A cache contains the pictures near the
// current position.
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

// The limits of the cache: bytes, and a least number of pictures, which is enough for two
// positions.
inline constexpr int64_t kMostKeptPictureBytes = int64_t{256} << 20;
inline constexpr size_t kLeastKeptPictures = 4;
inline constexpr int kThumbnailSide = 96;
// number of thumbnails on each side of the current position
inline constexpr int64_t kThumbnailsAround = 12;

class Comparison : public QObject {
  Q_OBJECT

 public:
  struct Side {
    std::shared_ptr<const Picture> picture;  // null: not fetched yet, or an error
    QString error;                           // one sentence; empty: no error
  };

  explicit Comparison(Fleet& fleet, QObject* parent = nullptr);

  // Selects a job and its first picture. If the job is already selected, the position stays and the
  // pictures are fetched again only if the job's state or attempt has changed.
  void choose(const PlacedJob& job);
  const std::optional<PlacedJob>& job() const { return job_; }

  // Selects a picture of the output. `index` counts from 0 and is clamped to the valid range.
  void show(int64_t index);
  int64_t index() const { return index_; }
  int64_t pictures() const;  // number of pictures; 0: unknown
  // Return the picture of the input that an output picture was made from, and the index of the
  // current output picture among those of the same input picture.
  int64_t input_index(int64_t index) const;
  int64_t index_in_input() const;
  bool has_several_of_one() const;

  const Side& before() const { return before_; }
  const Side& after() const { return after_; }
  // Returns true if the job has several files. Each one has a small picture, of the output if the
  // job has succeeded.
  bool has_thumbnails() const { return job_ && job_->job.is_set && pictures() > 1; }
  std::shared_ptr<const Picture> thumbnail(int64_t index) const;
  // Returns true if there is no job, or if a picture or an error is known for both sides.
  bool is_settled() const;

 signals:
  void changed();
  void thumbnail_came(int64_t index);

 private:
  void ask();
  void take(int server, const PictureResult& answer);
  void update_servers();
  void update_job();
  void keep(const PictureResult& answer);
  std::shared_ptr<const Picture> kept(const PictureOrder& order);
  PictureOrder order_of(bool is_output, int64_t index) const;
  void add_thumbnails(std::vector<PictureOrder>& orders) const;

  Fleet& fleet_;
  std::optional<PlacedJob> job_;
  int64_t index_ = 0;
  int direction_ = 1;                     // direction of the last step: 1 or -1
  int64_t in_input_ = 0, in_output_ = 0;  // numbers of pictures; 0: unknown
  Side before_, after_;
  // cache, the most recently shown picture first
  std::deque<PictureResult> kept_;
  std::map<int64_t, std::shared_ptr<const Picture>> thumbnails_;  // by index; null: not available
  QTimer again_;
};

}  // namespace weft::gui
