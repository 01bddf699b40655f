// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/announcements.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

namespace weft::gui {

// A line with a width that does not depend on its text.
struct Announcements::Line final : QLabel {
  using QLabel::QLabel;
  QSize sizeHint() const override { return {1, QLabel::sizeHint().height()}; }
  QSize minimumSizeHint() const override { return {1, QLabel::minimumSizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, width()));
  }
};

Announcements::Announcements(QWidget* parent)
    : QWidget(parent), line_(new Line(this)), clear_(new QToolButton(this)) {
  line_->setTextFormat(Qt::PlainText);
  line_->setAccessibleName(tr("Messages"));
  line_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  clear_->setText(QStringLiteral("\u00d7"));
  clear_->setAutoRaise(true);
  clear_->setToolTip(tr("Clear the messages"));
  clear_->setAccessibleName(clear_->toolTip());
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(6, 0, 0, 0);
  layout->addWidget(line_, 1);
  layout->addWidget(clear_);
  timer_.setSingleShot(true);
  connect(clear_, &QToolButton::clicked, this, &Announcements::clear);
  connect(&timer_, &QTimer::timeout, this, &Announcements::expire);
  show_entries();
}

void Announcements::say(const QString& text, Weight weight) {
  if (weight == Weight::kConfirmation)
    std::erase_if(entries_, [](const Entry& each) { return each.weight == Weight::kConfirmation; });
  // A repeated message replaces the earlier one.
  std::erase_if(entries_, [&](const Entry& each) { return each.text == text; });
  if (entries_.size() >= kMostAnnouncements) entries_.pop_front();
  const bool stays = weight == Weight::kFailure;
  entries_.push_back({text, weight, stays ? 0 : QDateTime::currentMSecsSinceEpoch() + kReadingTime.count()});
  show_entries();
}

QStringList Announcements::texts() const {
  QStringList texts;
  for (const Entry& each : entries_) texts.push_back(each.text);
  return texts;
}

void Announcements::clear() {
  entries_.clear();
  show_entries();
}

void Announcements::expire() {
  const qint64 now = QDateTime::currentMSecsSinceEpoch();
  std::erase_if(entries_, [now](const Entry& each) { return each.end > 0 && each.end <= now; });
  show_entries();
}

void Announcements::show_entries() {
  // The newest message is first.
  QStringList newest_first = texts();
  std::reverse(newest_first.begin(), newest_first.end());
  line_->setText(QString(newest_first.join(QStringLiteral("   |   "))).replace('\n', ' '));
  line_->setToolTip(
      QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(newest_first.join('\n').toHtmlEscaped()));
  const bool alarms = std::any_of(entries_.begin(), entries_.end(),
                                  [](const Entry& each) { return each.weight != Weight::kConfirmation; });
  line_->setForegroundRole(alarms ? QPalette::BrightText : QPalette::WindowText);
  clear_->setVisible(!entries_.empty());
  qint64 next = 0;
  for (const Entry& each : entries_)
    if (each.end > 0 && (next == 0 || each.end < next)) next = each.end;
  if (next > 0) timer_.start(int(std::max<qint64>(0, next - QDateTime::currentMSecsSinceEpoch())));
}

}  // namespace weft::gui
