// SPDX-License-Identifier: Apache-2.0
// Connects the GUI thread to a server. Signals with plain values report changes, at most ten times
// a second; pictures are reported at once.
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

// A connection for one thread with an event loop. No function blocks for the server.
class ServerConnection : public QObject {
  Q_OBJECT

 public:
  // Returns an error for an invalid endpoint. An unreachable server is no error here.
  static StatusOr<std::unique_ptr<ServerConnection>> open(const ServerEndpoint& endpoint);
  static Status check(const ServerEndpoint& endpoint);
  ~ServerConnection() override;

  // Returns the address in its displayed form.
  const QString& address() const { return address_; }
  // Returns the current state of the connection. Its times change without a signal.
  Link link() const;
  void retry_now();

  // Sends an order for a job or device and returns at once. delivered() reports the answer.
  void order(const JobCommand& order);
  void order(const DeviceOrder& order);
  void fetch(const QString& id);
  void fetch_decisions(const QString& id);
  void fetch_statistics(int days);
  void fetch_benchmarks();
  // Follows the log of the job from its beginning, in place of the log followed before. An empty ID
  // ends the following.
  void follow_log(const QString& id);
  // Submits jobs and returns at once. submit_answered() reports the answer for each job.
  void submit(const SubmitOrder& order);
  // Requests pictures in place of the requests that have not begun. picture_came() reports each
  // picture.
  void fetch_pictures(std::vector<PictureOrder> orders);

 signals:
  void delivered(const weft::gui::Delivery& delivery);
  void submit_answered(const weft::gui::SubmitAnswer& answer);
  void picture_came(const weft::gui::PictureResult& answer);
  // Reports a change of the state or of its reason.
  void link_changed(const weft::gui::Link& link);

 private:
  explicit ServerConnection(std::shared_ptr<client::Connection> connection);
  void hear();
  void deliver();
  void hand_on_pictures();
  void check_link();

  const QString address_;
  QTimer delivery_timer_;  // active: the next delivery waits until it expires
  QTimer link_timer_;
  bool heard_ = false;
  Link notified_;
  // Last members, because their threads call hear(). The feed is the first to be destroyed and
  // closes the connection.
  std::unique_ptr<PictureFetcher> pictures_;
  std::unique_ptr<Submitter> submitter_;
  std::unique_ptr<Inspector> inspector_;
  std::unique_ptr<Feed> feed_;
};

}  // namespace weft::gui
