// SPDX-License-Identifier: Apache-2.0
// Compares a job's input and output, picture by picture.
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

  // Selects a job. Without a call, the first job in the table with an output is selected.
  void choose(const PlacedJob& job) { comparison_.choose(job); }
  PictureCanvas& canvas() { return *canvas_; }
  Comparison& comparison() { return comparison_; }
  // Returns true if no requested data is pending.
  bool is_settled() const { return !isVisible() || comparison_.is_settled(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  // The shown fields of interlaced pictures.
  enum class Fields { kWoven, kOfThePicture, kTop, kBottom };
  // The last displayed state of a side.
  struct Shown {
    std::shared_ptr<const Picture> source;
    Field field = Field::kWoven;
    std::shared_ptr<const Picture> picture;  // picture after the selection of `field`
    double exposure = 0;
    bool has_modes = false, is_lit = false;  // overlays of textures
    QPointF light;
    QImage image;
  };

  void make_steps();
  QLayout* make_view_modes();
  void add_modes(QHBoxLayout& line);
  void add_texture_views(QHBoxLayout& line);
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
  QSlider* position_;
  QSpinBox* number_;
  QLabel* count_;
  QActionGroup* modes_;
  QComboBox* fields_;
  QToolButton* square_;  // checked: the pixel aspect ratio is ignored
  QToolButton* block_modes_;
  QToolButton* lit_;
  QPointF light_{0.3, 0.25};  // position of the light as fractions of the picture's size
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
