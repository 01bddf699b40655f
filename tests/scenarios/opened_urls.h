// SPDX-License-Identifier: Apache-2.0
// Takes what a window asks the desktop to open, while it lives.
#pragma once

#include <QDesktopServices>
#include <QList>
#include <QObject>
#include <QUrl>

namespace weft::scenarios {

class OpenedUrls : public QObject {
  Q_OBJECT

 public:
  OpenedUrls() { QDesktopServices::setUrlHandler("file", this, "take"); }
  ~OpenedUrls() override { QDesktopServices::unsetUrlHandler("file"); }

  QList<QUrl> urls;

 public slots:
  void take(const QUrl& url) { urls.push_back(url); }
};

}  // namespace weft::scenarios
