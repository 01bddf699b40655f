// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/devices_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "client_gui/models/text.h"
#include "client_gui/views/device_strip.h"

namespace weft::gui {
namespace {

constexpr double kSpans[] = {120, 600, 3600};  // seconds; the last one is the limit of the history
constexpr int kFirstSpan = 1;
static_assert(kSpans[2] <= double(kMostSamples));

}  // namespace

DevicesView::DevicesView(Fleet& fleet, QWidget* parent)
    : QWidget(parent),
      fleet_(fleet),
      spans_(new QComboBox(this)),
      area_(new QScrollArea(this)),
      notes_(new QLabel(this)) {
  spans_->setAccessibleName(tr("Time shown"));
  for (const double seconds : kSpans) spans_->addItem(tr("Last %1").arg(age_text(seconds)), seconds);
  spans_->setCurrentIndex(kFirstSpan);
  notes_->setAccessibleName(tr("Unavailable devices"));
  notes_->setTextFormat(Qt::PlainText);
  notes_->setWordWrap(true);
  notes_->setForegroundRole(QPalette::PlaceholderText);
  auto* line = new QHBoxLayout;
  line->addStretch(1);
  line->addWidget(spans_);
  auto* body = new QWidget;
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  list_ = new QVBoxLayout;
  column->addLayout(list_);
  column->addWidget(notes_);
  column->addStretch(1);
  area_->setWidget(body);
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  area_->setFocusPolicy(Qt::NoFocus);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->addLayout(line);
  layout->addWidget(area_, 1);
  connect(spans_, &QComboBox::currentIndexChanged, this, [this] {
    for (DeviceStrip* each : strips_) each->set_span(span());
    emit span_changed();
  });
  connect(&fleet_.devices(), &DeviceRecords::changed, this, &DevicesView::refresh_server);
  connect(&fleet_, &Fleet::links_changed, this, &DevicesView::refresh);
  refresh();
}

void DevicesView::set_scope(int server, const QString& device) {
  server_ = server;
  refresh();
  if (DeviceStrip* chosen = strip(server, device)) area_->ensureWidgetVisible(chosen);
}

DeviceStrip* DevicesView::strip(int server, const QString& device) const {
  const auto found = std::find_if(strips_.begin(), strips_.end(), [&](const DeviceStrip* each) {
    return each->server() == server && each->device() == device;
  });
  return found == strips_.end() ? nullptr : *found;
}

double DevicesView::span() const { return spans_->currentData().toDouble(); }

void DevicesView::set_span(double seconds) {
  if (const int index = spans_->findData(seconds); index >= 0) spans_->setCurrentIndex(index);
}

// --- Strips --------------------------------------------------------------------------------------

std::vector<int> DevicesView::shown_servers() const {
  std::vector<int> servers = fleet_.servers();
  if (server_ != 0) std::erase_if(servers, [this](int server) { return server != server_; });
  return servers;
}

void DevicesView::refresh() {
  if (!has_devices_as_shown()) rebuild();
  for (DeviceStrip* each : strips_) each->refresh();
  show_notes();
  share_height();
}

void DevicesView::refresh_server(int server) {
  if (!has_devices_as_shown()) return refresh();
  for (DeviceStrip* each : strips_)
    if (each->server() == server) each->refresh();
  show_notes();
  share_height();
}

bool DevicesView::has_devices_as_shown() const {
  size_t strip_index = 0;
  for (const int server : shown_servers())
    for (const DeviceRecord& record : fleet_.devices().devices(server)) {
      if (strip_index == strips_.size() || strips_[strip_index]->server() != server ||
          strips_[strip_index]->device() != record.device.id)
        return false;
      strip_index++;
    }
  return strip_index == strips_.size();
}

// Makes the strips of the shown devices. Strips of devices that remain are reused and keep the
// focus.
void DevicesView::rebuild() {
  std::vector<DeviceStrip*> strips;
  for (const int server : shown_servers())
    for (const DeviceRecord& record : fleet_.devices().devices(server)) {
      DeviceStrip* each = strip(server, record.device.id);
      if (each == nullptr) {
        each = new DeviceStrip(fleet_, server, record.device.id);
        each->set_span(span());
        each->installEventFilter(this);
      }
      strips.push_back(each);
    }
  for (DeviceStrip* each : strips_)
    if (std::find(strips.begin(), strips.end(), each) == strips.end()) delete each;
  for (size_t i = 0; i < strips.size(); i++) {
    list_->removeWidget(strips[i]);
    list_->insertWidget(int(i), strips[i]);
    if (i > 0) setTabOrder(strips[i - 1], strips[i]);
  }
  strips_ = std::move(strips);
}

// Divides the window's remaining height between the timelines.
void DevicesView::share_height() {
  if (strips_.empty()) return;
  const int width = area_->viewport()->width();
  const auto height_of = [width](const QWidget& widget) {
    return widget.hasHeightForWidth() ? widget.heightForWidth(width) : widget.sizeHint().height();
  };
  const int gap = list_->spacing();
  int left = area_->viewport()->height() - 2 * gap;
  if (!notes_->isHidden()) left -= height_of(*notes_) + gap;
  for (DeviceStrip* each : strips_) left -= height_of(*each) - each->timeline().sizeHint().height() + gap;
  for (DeviceStrip* each : strips_) each->timeline().set_available_height(left / int(strips_.size()));
}

void DevicesView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  share_height();
}

void DevicesView::show_notes() {
  QStringList notes;
  for (const int server : shown_servers()) notes += fleet_.devices().notes(server);
  notes.removeDuplicates();
  notes_->setText(notes.join('\n'));
  notes_->setVisible(!notes.empty());
}

// Handles arrow keys before the scroll area does.
bool DevicesView::eventFilter(QObject* watched, QEvent* event) {
  const auto* focused = qobject_cast<DeviceStrip*>(watched);
  if (focused == nullptr || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  return take_key(*focused, static_cast<QKeyEvent*>(event)->key());
}

bool DevicesView::take_key(const DeviceStrip& at, int key) {
  const int zoom = key == Qt::Key_Plus ? -1 : key == Qt::Key_Minus ? 1 : 0;
  const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
  if (zoom == 0 && step == 0) return false;
  spans_->setCurrentIndex(std::clamp(spans_->currentIndex() + zoom, 0, spans_->count() - 1));
  const auto strip_index = std::find(strips_.begin(), strips_.end(), &at) - strips_.begin();
  DeviceStrip* next =
      strips_[size_t(std::clamp<ptrdiff_t>(strip_index + step, 0, ptrdiff_t(strips_.size()) - 1))];
  next->setFocus(Qt::OtherFocusReason);
  area_->ensureWidgetVisible(next);
  return true;
}

}  // namespace weft::gui
