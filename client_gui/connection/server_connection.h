// SPDX-License-Identifier: Apache-2.0
// A server that is looked at, as seen from the thread of the windows: signals with plain values, some times a second at most.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>

#include "base/status.h"
#include "client_gui/connection/values.h"

namespace weft::client {
class Connection;
}

namespace weft::gui {

class Feed;

// For one thread, with an event loop. Nothing here waits for the server.
class ServerConnection : public QObject {
  Q_OBJECT

 public:
  // `address`: "unix:PATH" or "HOST:PORT"; empty: where the daemon of this machine is. An error says what is wrong with it;
  // that nobody listens there is none.
  static StatusOr<std::unique_ptr<ServerConnection>> open(const QString& address);
  ~ServerConnection() override;

  // In the form that is shown.
  const QString& address() const { return address_; }
  // As it is now: the seconds in it go on without a signal.
  Link link() const;
  void retry_now();

 signals:
  void delivered(const weft::gui::Delivery& delivery);
  // The state, or its reason.
  void link_changed(const weft::gui::Link& link);

 private:
  explicit ServerConnection(std::shared_ptr<client::Connection> connection);
  void hear();
  void deliver();
  void look_at_link();

  const QString address_;
  QTimer delivery_timer_;  // runs while no delivery is due yet
  QTimer link_timer_;
  bool heard_ = false;
  Link told_;
  std::unique_ptr<Feed> feed_;  // last: its threads call hear()
};

}  // namespace weft::gui
