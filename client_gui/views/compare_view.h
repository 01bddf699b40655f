// SPDX-License-Identifier: Apache-2.0
// What a job read beside what it wrote, picture by picture.
#pragma once

#include <QPointF>
#include <QWidget>
#include <optional>

#include "client_gui/models/comparison.h"
#include "client_gui/pictures/picture_kind.h"
#include "client_gui/pictures/pixels.h"
#include "client_gui/views/picture_canvas.h"

class QAction;
class QActionGroup;
class QComboBox;
class QHBoxLayout;
class QKeySequence;
class QLabel;
class QListWidget;
class QSlider;
class QSpinBox;
class QToolButton;

namespace weft::gui {

class CompareView : public QWidget {
  Q_OBJECT

 public:
  explicit CompareView(Fleet& fleet, QWidget* parent = nullptr);

  // Until then: the job on top of the table that has an output.
  void choose(const PlacedJob& job) { comparison_.choose(job); }
  PictureCanvas& canvas() { return *canvas_; }
  Comparison& comparison() { return comparison_; }
  // Nothing that is to be shown is on its way.
  bool is_settled() const { return !isVisible() || comparison_.is_settled(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  // What of the fields of interlaced pictures is looked at.
  enum class Fields { kWoven, kOfThePicture, kTop, kBottom };
  // A side as it was made visible last.
  struct Shown {
    std::shared_ptr<const Picture> source;
    Field field = Field::kWoven;
    std::shared_ptr<const Picture> picture;  // with that field
    double exposure = 0;
    bool has_modes = false, is_lit = false;  // as textures may be looked at
    QPointF light;
    QImage image;
  };

  void make_steps();
  QLayout* make_looks();
  void add_modes(QHBoxLayout& line);
  void add_texture_looks(QHBoxLayout& line);
  static QString words_of_mode(int mode);
  void make_thumbnails();
  void show_thumbnails();
  void show_thumbnail(int64_t index);
  QAction& add_action(const QString& name, const QString& text, const QKeySequence& key,
                      std::function<void()> act);
  void choose_some();
  void set_mode(CompareMode mode);
  void follow();
  void show_numbers();
  void show_pictures();
  void update_side(Shown& shown, const Comparison::Side& side, Field field) const;
  PictureCanvas::Content content() const;
  Field field_of_before() const;
  Viewing viewing() const;
  double pixel_aspect() const;
  QString words_of(const Comparison::Side& side) const;
  void show_pixel(const std::optional<QPoint>& pixel);

  Fleet& fleet_;
  Comparison comparison_;
  QLabel* said_;
  PictureCanvas* canvas_;
  QWidget* steps_;
  QSlider* place_;
  QSpinBox* number_;
  QLabel* count_;
  QActionGroup* modes_;
  QComboBox* fields_;
  QToolButton* square_;  // pixels are shown so, whatever they are
  QToolButton* block_modes_;
  QToolButton* lit_;
  QPointF light_{0.3, 0.25};  // parts of the picture
  QListWidget* thumbnails_;
  QSlider* gain_;
  QLabel* gain_said_;
  QSlider* exposure_;
  QLabel* exposure_said_;
  QLabel* zoom_said_;
  QLabel* pixel_said_;
  Shown before_, after_;
};

}  // namespace weft::gui
