// SPDX-License-Identifier: Apache-2.0
// A server that is looked at, as seen from the thread of the windows: signals with plain values, some times a second at most.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <vector>

#include "base/status.h"
#include "client_gui/connection/values.h"

namespace weft::client {
class Connection;
}

namespace weft::gui {

class Feed;
class Inspector;
class PictureFetcher;
class Submitter;
struct PictureResult;
struct PictureOrder;
struct SubmitAnswer;
struct SubmitOrder;

// For one thread, with an event loop. Nothing here waits for the server.
class ServerConnection : public QObject {
  Q_OBJECT

 public:
  // An error says what is wrong with the place; that nobody listens there is none.
  static StatusOr<std::unique_ptr<ServerConnection>> open(const ServerPlace& place);
  static Status check(const ServerPlace& place);
  ~ServerConnection() override;

  // In the form that is shown.
  const QString& address() const { return address_; }
  // As it is now: the seconds in it go on without a signal.
  Link link() const;
  void retry_now();

  // What comes of these is delivered; an order that was carried out shows in its job or device.
  void order(const JobCommand& order);
  void order(const DeviceOrder& order);
  void fetch(const QString& id);
  void fetch_statistics(int days);
  void fetch_benchmarks();
  // The job's log from its beginning, until another is asked for; empty: none.
  void follow_log(const QString& id);
  // What becomes of it is told by submit_answered(), job by job.
  void submit(const SubmitOrder& order);
  // Told by picture_came(), each; what was asked for before and has not begun is forgotten.
  void fetch_pictures(std::vector<PictureOrder> orders);

 signals:
  void delivered(const weft::gui::Delivery& delivery);
  void submit_answered(const weft::gui::SubmitAnswer& answer);
  void picture_came(const weft::gui::PictureResult& answer);
  // The state, or its reason.
  void link_changed(const weft::gui::Link& link);

 private:
  explicit ServerConnection(std::shared_ptr<client::Connection> connection);
  void hear();
  void deliver();
  void hand_on_pictures();
  void look_at_link();

  const QString address_;
  QTimer delivery_timer_;  // runs while no delivery is due yet
  QTimer link_timer_;
  bool heard_ = false;
  Link told_;
  // Last: their threads call hear(). The feed closes the connection, so it ends first.
  std::unique_ptr<PictureFetcher> pictures_;
  std::unique_ptr<Submitter> submitter_;
  std::unique_ptr<Inspector> inspector_;
  std::unique_ptr<Feed> feed_;
};

}  // namespace weft::gui
