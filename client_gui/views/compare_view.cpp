// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/compare_view.h"

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <limits>

#include "client_gui/pictures/texture_views.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

constexpr int kMostGain = 8;  // limit of the gain, as a power of two
constexpr int kFirstGain = 3;
constexpr int kMostExposure = 12;  // limit of the exposure in stops, up and down
constexpr int kStepsOfAStop = 4;
constexpr int kLongStep = 10;  // pictures per long step
constexpr double kZoomStep = 1.25;

// Returns a label with the width of its longest text.
QLabel* label_of_width(QWidget& parent, const QString& name, const QString& longest) {
  auto* label = new QLabel(&parent);
  label->setAccessibleName(name);
  label->setMinimumWidth(label->fontMetrics().horizontalAdvance(longest));
  return label;
}

QSlider* slider_of(QWidget& parent, const QString& name, int least, int most, int first) {
  auto* slider = new QSlider(Qt::Horizontal, &parent);
  slider->setAccessibleName(name);
  slider->setRange(least, most);
  slider->setValue(first);
  slider->setFixedWidth(140);
  return slider;
}

}  // namespace

CompareView::CompareView(Fleet& fleet, QWidget* parent)
    : QWidget(parent),
      fleet_(fleet),
      comparison_(fleet),
      said_(new QLabel(this)),
      canvas_(new PictureCanvas(this)),
      steps_(new QWidget(this)),
      position_(new QSlider(Qt::Horizontal, this)),
      number_(new QSpinBox(this)),
      count_(new QLabel(this)),
      modes_(new QActionGroup(this)),
      fields_(new QComboBox(this)),
      square_(new QToolButton(this)),
      block_modes_(new QToolButton(this)),
      lit_(new QToolButton(this)),
      thumbnails_(new QListWidget(this)),
      gain_(slider_of(*this, tr("Gain of the difference"), 0, kMostGain, kFirstGain)),
      gain_said_(label_of_width(*this, tr("Gain"), tr("Gain %1").arg("x256"))),
      exposure_(
          slider_of(*this, tr("Exposure"), -kMostExposure * kStepsOfAStop, kMostExposure * kStepsOfAStop, 0)),
      exposure_said_(label_of_width(*this, tr("Exposure in stops"), tr("Exposure %1").arg("+12.25"))),
      zoom_said_(label_of_width(*this, tr("Zoom"), "6400%")),
      pixel_said_(new QLabel(this)) {
  said_->setAccessibleName(tr("Compared pictures"));
  said_->setTextFormat(Qt::PlainText);
  said_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  pixel_said_->setAccessibleName(tr("Pixel under the pointer"));
  pixel_said_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  make_steps();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->addWidget(said_);
  layout->addWidget(canvas_, 1);
  make_thumbnails();
  layout->addWidget(thumbnails_);
  layout->addWidget(steps_);
  layout->addLayout(make_view_modes());
  setFocusProxy(canvas_);
  canvas_->setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(canvas_, &PictureCanvas::pointed_at, this, &CompareView::show_pixel);
  connect(canvas_, &PictureCanvas::zoomed, this, [this](double zoom) {
    zoom_said_->setText(zoom > 0 ? tr("%1%").arg(std::lround(zoom * 100)) : QString());
  });
  connect(&comparison_, &Comparison::changed, this, &CompareView::follow);
  connect(&comparison_, &Comparison::thumbnail_came, this, &CompareView::show_thumbnail);
  connect(&fleet_.jobs(), &JobsModel::counts_changed, this, &CompareView::choose_some);
  set_mode(CompareMode::kWipe);
  follow();
}

QAction& CompareView::add_action(const QString& name, const QString& text, const QKeySequence& key,
                                 std::function<void()> act) {
  auto* action = new QAction(text, this);
  action->setObjectName(name);
  action->setShortcut(key);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(action, &QAction::triggered, this, std::move(act));
  addAction(action);
  canvas_->addAction(action);
  return *action;
}

void CompareView::make_steps() {
  const auto step = [this](int by) { return [this, by] { comparison_.show(comparison_.index() + by); }; };
  auto* line = new QHBoxLayout(steps_);
  line->setContentsMargins(0, 0, 0, 0);
  const auto add = [&](const QString& name, const QString& sign, const QString& text, const QKeySequence& key,
                       std::function<void()> act) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(&add_action(name, text, key, std::move(act)));
    button->setText(sign);
    button->setAccessibleName(text);
    button->setAutoRepeat(true);
    line->addWidget(button);
  };
  add("first", "|<", tr("First picture"), Qt::Key_Home, [this] { comparison_.show(0); });
  add("previous", "<", tr("Previous picture"), Qt::Key_Left, step(-1));
  add("next", ">", tr("Next picture"), Qt::Key_Right, step(1));
  add("last", ">|", tr("Last picture"), Qt::Key_End, [this] {
    if (comparison_.pictures() > 0) comparison_.show(comparison_.pictures() - 1);
  });
  add_action("back", tr("%1 pictures back").arg(kLongStep), QKeySequence(Qt::SHIFT | Qt::Key_Left),
             step(-kLongStep));
  add_action("on", tr("%1 pictures forward").arg(kLongStep), QKeySequence(Qt::SHIFT | Qt::Key_Right),
             step(kLongStep));
  position_->setAccessibleName(tr("Position in the output"));
  position_->setTracking(false);  // no pictures are requested while the slider is dragged
  number_->setAccessibleName(tr("Picture number in the output (first is 0)"));
  number_->setKeyboardTracking(false);
  line->addWidget(position_, 1);
  line->addWidget(number_);
  line->addWidget(count_);
  connect(position_, &QSlider::valueChanged, this, [this](int value) { comparison_.show(value); });
  connect(number_, &QSpinBox::valueChanged, this, [this](int value) { comparison_.show(value); });
}

void CompareView::add_modes(QHBoxLayout& line) {
  // Buttons in the order of CompareMode.
  const auto add = [&](CompareMode mode, const QString& name, const QString& text, Qt::Key key) {
    QAction& action = add_action(name, text, key, [this, mode] { set_mode(mode); });
    action.setCheckable(true);
    modes_->addAction(&action);
    auto* button = new QToolButton(this);
    button->setDefaultAction(&action);
    button->setAutoRaise(true);  // only the selected mode has a frame
    line.addWidget(button);
  };
  add(CompareMode::kWipe, "wipe", tr("Wipe"), Qt::Key_W);
  add(CompareMode::kFlicker, "flicker", tr("Flicker"), Qt::Key_F);
  add(CompareMode::kDifference, "difference", tr("Difference"), Qt::Key_D);
  add(CompareMode::kSideBySide, "side-by-side", tr("Side by side"), Qt::Key_S);
  add_action("swap", tr("Switch between before and after"), Qt::Key_Space, [this] {
    if (canvas_->mode() != CompareMode::kFlicker) set_mode(CompareMode::kFlicker);
    canvas_->swap();
  });
}

QLayout* CompareView::make_view_modes() {
  auto* line = new QHBoxLayout;
  add_modes(*line);
  fields_->addItems({tr("Both fields (interlaced)"), tr("Source field of the picture"), tr("Top field"),
                     tr("Bottom field")});
  fields_->setAccessibleName(tr("Fields of interlaced pictures"));
  fields_->setToolTip(tr("Lines of an interlaced picture to show (I)"));
  line->addWidget(fields_);
  QAction& square = add_action("square-pixels", tr("Square pixels"), Qt::Key_A, [this] { show_pictures(); });
  square.setCheckable(true);
  square_->setDefaultAction(&square);
  line->addWidget(square_);
  add_texture_views(*line);
  for (QWidget* widget : std::initializer_list<QWidget*>{gain_said_, gain_, exposure_said_, exposure_})
    line->addWidget(widget);
  line->addWidget(pixel_said_, 1);
  line->addWidget(zoom_said_);
  const auto add_button = [&](QAction& action) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(&action);
    line->addWidget(button);
  };
  add_button(add_action("fit", tr("Fit"), QKeySequence(Qt::CTRL | Qt::Key_0), [this] { canvas_->fit(); }));
  add_button(add_action("pixels", tr("100%"), QKeySequence(Qt::CTRL | Qt::Key_1),
                        [this] { canvas_->show_pixels(); }));
  add_action("nearer", tr("Zoom in"), Qt::Key_Plus, [this] { canvas_->zoom_by(kZoomStep); });
  add_action("farther", tr("Zoom out"), Qt::Key_Minus, [this] { canvas_->zoom_by(1 / kZoomStep); });
  const auto turn = [](QSlider* slider, int by) {
    return [slider, by] { slider->setValue(slider->value() + by); };
  };
  add_action("more-gain", tr("More gain"), Qt::Key_BracketRight, turn(gain_, 1));
  add_action("less-gain", tr("Less gain"), Qt::Key_BracketLeft, turn(gain_, -1));
  add_action("brighter", tr("Exposure up"), Qt::Key_Period, turn(exposure_, kStepsOfAStop));
  add_action("darker", tr("Exposure down"), Qt::Key_Comma, turn(exposure_, -kStepsOfAStop));
  add_action("fields", tr("Next field selection"), Qt::Key_I,
             [this] { fields_->setCurrentIndex((fields_->currentIndex() + 1) % fields_->count()); });
  connect(fields_, &QComboBox::currentIndexChanged, this, &CompareView::show_pictures);
  connect(gain_, &QSlider::valueChanged, this, &CompareView::show_pictures);
  connect(exposure_, &QSlider::valueChanged, this, &CompareView::show_pictures);
  return line;
}

void CompareView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  choose_some();
}

void CompareView::choose_some() {
  if (!isVisible() || comparison_.job()) return;
  for (int row = 0; row < fleet_.jobs().rowCount(); row++)
    if (const PlacedJob& placed = fleet_.jobs().job_at(row); placed.job.state == v1::JOB_STATE_SUCCEEDED)
      return choose(placed);
}

void CompareView::set_mode(CompareMode mode) {
  modes_->actions()[int(mode)]->setChecked(true);
  canvas_->set_mode(mode);
  show_pictures();
}

// --- Display -------------------------------------------------------------------------------------

void CompareView::follow() {
  show_thumbnails();
  show_numbers();
  show_pictures();
}

void CompareView::show_numbers() {
  const int64_t index = comparison_.index(), pictures = comparison_.pictures();
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  const int last = int(std::min(kMost, pictures > 0 ? pictures - 1 : kMost));
  const QSignalBlocker quiet_place(position_), quiet_number(number_);
  position_->setRange(0, pictures > 0 ? last : 0);
  steps_->setVisible(pictures != 1);
  position_->setEnabled(pictures > 1);
  position_->setValue(int(index));
  number_->setRange(0, last);
  number_->setEnabled(comparison_.job().has_value());
  number_->setValue(int(index));
  count_->setText(pictures > 0 ? tr("/ %1 (first is 0)").arg(pictures) : QString());
  if (!comparison_.job()) return said_->setText(tr("No job selected."));
  const PlacedJob& placed = *comparison_.job();
  QString said = tr("%1 on %2").arg(placed.job.files, placed.server_name);
  const int64_t input = comparison_.input_index(index);
  if (comparison_.has_several_of_one())
    said = tr("%1: output frame %2 = input frame %3, field %4")
               .arg(said)
               .arg(index)
               .arg(input)
               .arg(comparison_.index_in_input() + 1);
  else if (pictures != 1)
    said = tr("%1: output picture %2 = input picture %3").arg(said).arg(index).arg(input);
  said_->setText(comparison_.is_settled() ? said : tr("%1 (loading)").arg(said));
}

Viewing CompareView::viewing() const {
  return {double(exposure_->value()) / kStepsOfAStop, std::exp2(gain_->value())};
}

Field CompareView::field_of_before() const {
  const std::shared_ptr<const Picture>& picture = comparison_.before().picture;
  switch (Fields(fields_->currentIndex())) {
    case Fields::kWoven:
      break;
    case Fields::kOfThePicture:
      if (!picture || !picture->interlaced) break;
      return picture->top_field_first == (comparison_.index_in_input() == 0) ? Field::kTop : Field::kBottom;
    case Fields::kTop:
      return Field::kTop;
    case Fields::kBottom:
      return Field::kBottom;
  }
  return Field::kWoven;
}

void CompareView::update_side(Shown& shown, const Comparison::Side& side, Field field) const {
  const bool is_new = shown.source != side.picture || shown.field != field;
  const double exposure = viewing().exposure;
  if (is_new) {
    shown = Shown();
    shown.source = shown.picture = side.picture;
    shown.field = field;
    if (side.picture && field != Field::kWoven)
      shown.picture = std::make_shared<Picture>(gui::field_of(*side.picture, field));
  }
  if (!shown.picture) return;
  const PictureKind& kind = kind_of(*shown.picture);
  const bool has_modes = block_modes_->isChecked(), is_lit = lit_->isChecked() && !kind.has_exposure();
  const bool is_as_before = shown.has_modes == has_modes && shown.is_lit == is_lit &&
                            (!is_lit || shown.light == light_) &&
                            (shown.exposure == exposure || !kind.has_exposure());
  if (!is_new && is_as_before) return;
  shown.exposure = exposure;
  shown.has_modes = has_modes;
  shown.is_lit = is_lit;
  shown.light = light_;
  shown.image = is_lit ? lit_normals(*shown.picture, light_) : kind.show(*shown.picture, viewing());
  if (has_modes) shown.image = with_modes(shown.image, *shown.picture);
}

// Shows the pictures. The previous pair stays until both pictures are known, so that the two shown
// pictures always match.
void CompareView::show_pictures() {
  if (!comparison_.is_settled()) {
    if (before_.image.isNull() && after_.image.isNull()) canvas_->set_content(content());
    return;
  }
  const Comparison::Side& after = comparison_.after();
  const Field field = field_of_before();
  update_side(before_, comparison_.before(), field);
  update_side(after_, after, after.picture && after.picture->interlaced ? field : Field::kWoven);
  const auto has = [&](const auto& is_true) {
    return (before_.picture && is_true(*before_.picture)) || (after_.picture && is_true(*after_.picture));
  };
  const bool has_exposure = has([](const Picture& picture) { return kind_of(picture).has_exposure(); });
  exposure_->setVisible(has_exposure);
  exposure_said_->setVisible(has_exposure);
  const double stops = viewing().exposure;
  exposure_said_->setText(tr("Exposure %1").arg((stops > 0 ? "+" : "") + QString::number(stops)));
  fields_->setVisible(fields_->currentIndex() != 0 || comparison_.has_several_of_one() ||
                      has([](const Picture& picture) { return picture.interlaced; }));
  const bool is_texture = has([](const Picture& picture) { return !picture.block_modes.empty(); });
  block_modes_->setVisible(is_texture);
  lit_->setVisible(is_texture || lit_->isChecked());
  square_->setVisible(pixel_aspect() != 1);
  square_->setToolTip(
      tr("Show square pixels (A); the pixel aspect ratio of the file is %1.").arg(pixel_aspect(), 0, 'g', 4));
  const bool is_difference = canvas_->mode() == CompareMode::kDifference;
  gain_->setVisible(is_difference);
  gain_said_->setVisible(is_difference);
  gain_said_->setText(tr("Gain %1").arg(QStringLiteral("x%1").arg(viewing().gain)));
  canvas_->set_content(content());
}

// Returns the pixel aspect ratio of the output, since both pictures are scaled to the output's
// size.
double CompareView::pixel_aspect() const {
  const std::shared_ptr<const Picture>& picture = after_.picture ? after_.picture : before_.picture;
  return picture ? picture->pixel_aspect : 1;
}

QString CompareView::words_of(const Comparison::Side& side) const {
  if (!comparison_.job()) return tr("Select a job in the jobs table and press Return.");
  return side.picture || !side.error.isEmpty() ? side.error : tr("Loading ...");
}

PictureCanvas::Content CompareView::content() const {
  PictureCanvas::Content content{before_.image,
                                 after_.image,
                                 {},
                                 words_of(comparison_.before()),
                                 words_of(comparison_.after()),
                                 {},
                                 square_->isChecked() ? 1 : pixel_aspect()};
  if (canvas_->mode() != CompareMode::kDifference) return content;
  if (!before_.picture || !after_.picture) {
    content.said_difference = content.said_before.isEmpty() ? content.said_after : content.said_before;
    return content;
  }
  content.difference = difference_of(*before_.picture, *after_.picture, viewing());
  if (content.difference.isNull())
    content.said_difference = tr("Cannot subtract: input is %1x%2, output %3x%4.")
                                  .arg(before_.picture->width)
                                  .arg(before_.picture->height)
                                  .arg(after_.picture->width)
                                  .arg(after_.picture->height);
  return content;
}

void CompareView::show_pixel(const std::optional<QPoint>& pixel) {
  if (const QSize size = after_.image.isNull() ? before_.image.size() : after_.image.size();
      pixel && lit_->isChecked() && !size.isEmpty()) {
    light_ = {double(pixel->x()) / size.width(), double(pixel->y()) / size.height()};
    show_pictures();
  }
  const auto words = [&](const Shown& shown) {
    const Picture* picture = shown.picture.get();
    if (picture == nullptr || !pixel || pixel->x() >= picture->width || pixel->y() >= picture->height)
      return QStringLiteral("-");
    const int mode = mode_at(*picture, pixel->x(), pixel->y());
    const QString codes = kind_of(*picture).words(*picture, pixel->x(), pixel->y());
    return mode < 0 ? codes : tr("%1 (%2)").arg(codes, words_of_mode(mode));
  };
  pixel_said_->setText(pixel ? tr("%1, %2: before %3, after %4")
                                   .arg(pixel->x())
                                   .arg(pixel->y())
                                   .arg(words(before_), words(after_))
                             : QString());
}

}  // namespace weft::gui
