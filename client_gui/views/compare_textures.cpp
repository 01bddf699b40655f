// SPDX-License-Identifier: Apache-2.0
// Adds to the comparison of textures: block modes, a light, and thumbnails of a job's files.
#include <QAction>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPixmap>
#include <QSignalBlocker>
#include <QToolButton>

#include "client_gui/views/compare_view.h"

namespace weft::gui {

// Returns the name of a mode. Modes are numbered as in picture_service.proto.
QString CompareView::words_of_mode(int mode) {
  if (mode < 8) return tr("mode %1").arg(mode);
  if (mode == 16) return tr("color0 > color1: 4-colour mode");
  return mode == 17 ? tr("color0 <= color1: 3-colour mode") : tr("reserved mode");
}

void CompareView::add_texture_views(QHBoxLayout& line) {
  const auto add = [&](QToolButton& button, const QString& name, const QString& text, const QString& tip,
                       Qt::Key key) {
    QAction& action = add_action(name, text, key, [this] { show_pictures(); });
    action.setCheckable(true);
    button.setDefaultAction(&action);
    button.setToolTip(tip);
    line.addWidget(&button);
  };
  add(*block_modes_, "block-modes", tr("Block modes"),
      tr("Colour each block by its mode (B); the mode of the block under the pointer is shown as text"),
      Qt::Key_B);
  add(*lit_, "lit", tr("Lit"), tr("Show normals as a surface with a light at the pointer (L)"), Qt::Key_L);
}

void CompareView::make_thumbnails() {
  constexpr int kFrame = 28;  // pixels for the name and the scroll bar
  thumbnails_->setAccessibleName(tr("Files of the job"));
  thumbnails_->setViewMode(QListView::IconMode);
  thumbnails_->setFlow(QListView::LeftToRight);
  thumbnails_->setWrapping(false);
  thumbnails_->setMovement(QListView::Static);
  thumbnails_->setUniformItemSizes(true);
  thumbnails_->setIconSize({kThumbnailSide, kThumbnailSide});
  thumbnails_->setGridSize({kThumbnailSide + 8, kThumbnailSide + kFrame});
  thumbnails_->setFixedHeight(kThumbnailSide + 2 * kFrame);
  thumbnails_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(thumbnails_, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row >= 0) comparison_.show(row);
  });
}

void CompareView::show_thumbnails() {
  thumbnails_->setVisible(comparison_.has_thumbnails());
  const int wanted = comparison_.has_thumbnails() ? int(comparison_.pictures()) : 0;
  const QSignalBlocker quiet(thumbnails_);
  if (thumbnails_->count() != wanted) {
    thumbnails_->clear();
    QPixmap empty(kThumbnailSide, kThumbnailSide);
    empty.fill(Qt::transparent);
    for (int i = 0; i < wanted; i++) {
      thumbnails_->addItem(new QListWidgetItem(QIcon(empty), QString::number(i)));
      show_thumbnail(i);
    }
  }
  if (wanted > 0) thumbnails_->setCurrentRow(int(comparison_.index()));
}

void CompareView::show_thumbnail(int64_t index) {
  QListWidgetItem* item = thumbnails_->item(int(index));
  const std::shared_ptr<const Picture> picture = comparison_.thumbnail(index);
  if (item == nullptr || !picture) return;
  const QImage image = kind_of(*picture).show(*picture, {});
  item->setIcon(QIcon(QPixmap::fromImage(
      image.scaled(kThumbnailSide, kThumbnailSide, Qt::KeepAspectRatio, Qt::SmoothTransformation))));
  const QString name = picture->file.section('/', -1);
  item->setText(name);
  item->setToolTip(name);
}

}  // namespace weft::gui
