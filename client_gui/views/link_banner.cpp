// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/link_banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <cmath>

namespace weft::gui {
namespace {

// Returns the banner's sentence about a server, or an empty string if the server is connected and
// starts jobs.
QString sentence_of(const QString& address, const Link& link) {
  switch (link.state) {
    case LinkState::kLive:
      if (!link.shuts_down)
        return link.queue_paused
                   ? LinkBanner::tr("%1: the queue is paused. Running jobs continue; no other job starts.")
                         .arg(address)
                   : QString();
      return LinkBanner::tr("%1: %2. Running jobs are finished; no new jobs start until the daemon is back.")
          .arg(address, text_of(link));
    case LinkState::kConnecting:
      return LinkBanner::tr("%1: connecting ...").arg(address);
    case LinkState::kStale:
      return LinkBanner::tr("%1: %2. The data shown are that old.").arg(address, text_of(link));
    case LinkState::kOffline:
      break;
  }
  QString sentence = LinkBanner::tr("%1: %2.").arg(address, text_of(link));
  if (!link.reason.isEmpty()) sentence += ' ' + link.reason;
  if (link.retry_in_seconds >= 0)
    sentence += ' ' + LinkBanner::tr("Next attempt in %1 s.").arg(std::ceil(link.retry_in_seconds));
  return sentence;
}

}  // namespace

LinkBanner::LinkBanner(Fleet& fleet, QWidget* parent)
    : QFrame(parent),
      fleet_(fleet),
      text_(new QLabel(this)),
      edit_(new QPushButton(tr("&Edit the server ..."), this)),
      retry_(new QPushButton(tr("&Reconnect now"), this)) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::ToolTipBase);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setForegroundRole(QPalette::ToolTipText);
  text_->setAccessibleName(tr("Connection"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  layout->addWidget(text_, 1);
  layout->addWidget(edit_);
  layout->addWidget(retry_);
  edit_->setObjectName(QStringLiteral("edit"));
  retry_->setObjectName(QStringLiteral("retry"));
  connect(edit_, &QPushButton::clicked, this, &LinkBanner::edit);
  connect(retry_, &QPushButton::clicked, this, &LinkBanner::retry);
  connect(&fleet_, &Fleet::links_changed, this, &LinkBanner::show_links);
  show_links();
}

void LinkBanner::show_links() {
  QStringList sentences;
  bool can_retry = false, is_offline = false;
  for (const int server : fleet_.servers()) {
    const Link link = fleet_.link(server);
    if (const QString sentence = sentence_of(fleet_.address(server), link); !sentence.isEmpty())
      sentences.push_back(sentence);
    is_offline = is_offline || link.state == LinkState::kOffline;
    can_retry = can_retry || link.retry_in_seconds >= 0;
  }
  text_->setText(sentences.join('\n'));
  retry_->setVisible(can_retry);
  edit_->setVisible(is_offline);
  setVisible(!sentences.isEmpty());
}

// Requests to edit the first offline server.
void LinkBanner::edit() {
  for (const int server : fleet_.servers())
    if (fleet_.link(server).state == LinkState::kOffline) return emit edit_wanted(server);
}

void LinkBanner::retry() {
  for (const int server : fleet_.servers())
    if (fleet_.link(server).state == LinkState::kOffline) fleet_.retry_now(server);
}

}  // namespace weft::gui
