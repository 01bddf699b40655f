// SPDX-License-Identifier: Apache-2.0
// Intercepts the URLs that a window opens through the desktop, during its lifetime.
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
