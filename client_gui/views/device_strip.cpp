// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/device_strip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include "client_gui/models/device_text.h"
#include "client_gui/models/text.h"
#include "client_gui/views/device_timeline.h"
#include "client_gui/views/row_table.h"
#include "client_gui/views/theme.h"
#include "weft/v1/device_service.pb.h"

namespace weft::gui {
namespace {

constexpr int kMostStreamRows = 8;  // limit of visible rows
constexpr double kOldSample = 3;    // seconds; samples arrive every second

class LateDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (!index.data(StreamsModel::kLateRole).toBool()) return;
    option->palette.setColor(QPalette::Text, alarm_colour());
    option->font.setBold(true);
  }
};

QLabel* make_label(QWidget* parent, const QString& name, Qt::TextFormat format = Qt::PlainText) {
  auto* label = new QLabel(parent);
  label->setTextFormat(format);
  label->setAccessibleName(name);
  return label;
}

void set_text(QLabel& label, const QString& text) {
  if (label.text() != text) label.setText(text);
  label.setVisible(!text.isEmpty());
}

}  // namespace

DeviceStrip::DeviceStrip(Fleet& fleet, int server, const QString& device, QWidget* parent)
    : QFrame(parent),
      fleet_(fleet),
      server_(server),
      device_(device),
      title_(make_label(this, tr("Device"), Qt::RichText)),
      hardware_(make_label(this, tr("Hardware"))),
      reason_(make_label(this, tr("Reason"))),
      timeline_(new DeviceTimeline(fleet.devices(), server, device, this)),
      legend_(make_label(this, tr("Device time now"), Qt::RichText)),
      spare_(make_label(this, tr("Use of idle time"))),
      properties_(make_label(this, tr("Figures"))),
      table_(new QTableView(this)),
      actions_(new DeviceActions(fleet, *this, DeviceActions::Keys::kSpace, [this] {
        return PlacedDevice{server_, device_};
      })) {
  setFrameShape(QFrame::StyledPanel);
  setFocusPolicy(Qt::StrongFocus);
  for (QLabel* label : {reason_, legend_, properties_}) label->setWordWrap(true);
  hardware_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  spare_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  QFont bold = font();
  bold.setBold(true);
  spare_->setFont(bold);
  const auto line_of = [](QLabel* left, QLabel* right) {
    auto* line = new QHBoxLayout;
    line->addWidget(left, 1);
    line->addWidget(right);
    return line;
  };
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(4);
  layout->addLayout(line_of(title_, hardware_));
  layout->addWidget(reason_);
  layout->addWidget(timeline_);
  layout->addLayout(line_of(legend_, spare_));
  layout->addWidget(properties_);
  layout->addWidget(table_);
  table_->setAccessibleName(tr("Streams on %1").arg(device));
  table_->setModel(&streams_);
  make_row_table(*table_, 6);
  table_->setItemDelegate(new LateDelegate(table_));
  table_->horizontalHeader()->setStretchLastSection(true);
  refresh();
}

void DeviceStrip::set_span(double seconds) {
  span_ = seconds;
  timeline_->set_span(seconds);
  refresh();
}

void DeviceStrip::refresh() {
  const DeviceRecord* record = fleet_.devices().find(server_, device_);
  if (record == nullptr) return;
  const Link link = fleet_.link(server_);
  const bool is_live = link.state == LinkState::kLive;
  // Outdated labels are drawn as disabled but stay enabled, so that a selection of text survives a
  // lost connection.
  QPalette shades = palette();
  if (!is_live) shades.setColor(QPalette::WindowText, shades.color(QPalette::Disabled, QPalette::WindowText));
  for (QLabel* label : {title_, hardware_, legend_, spare_, properties_}) label->setPalette(shades);
  shades.setColor(QPalette::WindowText, is_live ? alarm_colour() : shades.color(QPalette::WindowText));
  reason_->setPalette(shades);
  timeline_->set_dimmed(!is_live);
  timeline_->setVisible(!record->history.samples().empty());
  timeline_->advance(fleet_.devices().newest_time(server_));
  show_title(record->device, link);
  show_words(*record);
  show_streams(record->device);
}

void DeviceStrip::show_title(const DeviceRow& device, const Link& link) {
  const QString state = name_of(device.state);
  QString text = QStringLiteral("<b>%1</b>&nbsp; %2 &nbsp;%3")
                     .arg(device.id.toHtmlEscaped(), state.toHtmlEscaped(), device.name.toHtmlEscaped());
  QString age;
  if (link.state != LinkState::kLive && link.age_seconds >= 0)
    age = tr("data from %1 ago").arg(age_text(link.age_seconds));
  else if (device.sample && fleet_.devices().newest_time(server_) - device.sample->time > kOldSample)
    age = tr("no data for %1").arg(age_text(fleet_.devices().newest_time(server_) - device.sample->time));
  if (!age.isEmpty()) text += QStringLiteral(" &nbsp;<i>%1</i>").arg(age.toHtmlEscaped());
  set_text(*title_, text);
  QStringList hardware;
  if (!device.hardware.isEmpty()) hardware.push_back(device.hardware);
  if (const QString memory = memory_text(device); !memory.isEmpty())
    hardware.push_back(tr("memory %1").arg(memory));
  set_text(*hardware_, hardware.join(QStringLiteral(" · ")));
  setAccessibleName(tr("%1, %2").arg(device.id, state));
}

void DeviceStrip::show_words(const DeviceRecord& record) {
  const DeviceRow& device = record.device;
  const bool is_in_use = device.state != v1::DEVICE_STATE_UNUSED;
  set_text(*reason_, is_in_use && !device.reason.isEmpty() ? device.reason : device.external_load_note);
  show_legend(device.sample);
  const double now = fleet_.devices().newest_time(server_);
  set_text(*spare_, spare_text(device.sample, record.history.average(now - span_, now), span_));
  set_text(*properties_,
           is_in_use ? info_of(device, fleet_.jobs().limits_on(server_, device.id)) : device.reason);
  setAccessibleDescription(device.sample ? words_of(*device.sample) : device.reason);
}

void DeviceStrip::show_legend(const std::optional<DeviceSampleRow>& sample) {
  QStringList parts;
  QStringList help;
  for (const TimePart part : kTimeParts) {
    if (sample)
      parts.push_back(
          QStringLiteral("<span style='color:%1'>&#9632;</span>&nbsp;%2&nbsp;%3")
              .arg(colour_of(part).name(), name_of(part).toHtmlEscaped(), percent(share_of(*sample, part))));
    help.push_back(QStringLiteral("%1: %2").arg(name_of(part), help_of(part)));
  }
  if (sample) parts.push_back(tr("\u2014 available to jobs").toHtmlEscaped());
  set_text(*legend_, parts.join(QStringLiteral(" &nbsp; ")));
  legend_->setToolTip(help.join('\n'));
}

void DeviceStrip::show_streams(const DeviceRow& device) {
  const int before = streams_.rowCount();
  streams_.set_streams(device.streams);
  const int rows = streams_.rowCount();
  table_->setVisible(rows > 0);
  widen_columns();
  if (rows == before) return;
  const int seen = std::min(rows, kMostStreamRows);
  table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() +
                         seen * table_->verticalHeader()->defaultSectionSize() + 2 * table_->frameWidth());
}

// Widens the columns. They never become narrower, since changing numbers would move the other
// columns.
void DeviceStrip::widen_columns() {
  const QAbstractItemView& view = *table_;
  for (int column = 0; column < kStreamColumns; column++) {
    const int needed =
        std::max(view.sizeHintForColumn(column), table_->horizontalHeader()->sectionSizeHint(column));
    if (needed > table_->columnWidth(column)) table_->setColumnWidth(column, needed);
  }
}

// --- Focus and theme -----------------------------------------------------------------------------

void DeviceStrip::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::StyleChange || event->type() == QEvent::PaletteChange) refresh();
}

void DeviceStrip::focusInEvent(QFocusEvent* event) {
  QFrame::focusInEvent(event);
  update();
}

void DeviceStrip::focusOutEvent(QFocusEvent* event) {
  QFrame::focusOutEvent(event);
  update();
}

void DeviceStrip::paintEvent(QPaintEvent* event) {
  QFrame::paintEvent(event);
  if (!hasFocus()) return;
  QPainter painter(this);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

}  // namespace weft::gui
