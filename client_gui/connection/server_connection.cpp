// SPDX-License-Identifier: Apache-2.0
#include "client_gui/connection/server_connection.h"

#include "client/connection.h"
#include "client_gui/connection/feed.h"
#include "client_gui/connection/inspector.h"
#include "client_gui/connection/picture_fetcher.h"
#include "client_gui/connection/submitter.h"

namespace weft::gui {
namespace {

// Changes within an interval too short to be seen are delivered together.
constexpr std::chrono::milliseconds kBetweenDeliveries(100);
// interval between checks for a stale link
constexpr std::chrono::milliseconds kLinkPollInterval(250);

StatusOr<std::shared_ptr<client::Connection>> connect_to(const ServerEndpoint& endpoint) {
  client::ConnectionOptions options;
  options.server = endpoint.address.toStdString();
  if (endpoint.tls)
    options.tls = {endpoint.roots_file.toStdString(), endpoint.server_name.toStdString(),
                   endpoint.token.toStdString()};
  return client::Connection::open(options);
}

}  // namespace

Status ServerConnection::check(const ServerEndpoint& endpoint) { return connect_to(endpoint).status(); }

StatusOr<std::unique_ptr<ServerConnection>> ServerConnection::open(const ServerEndpoint& endpoint) {
  ASSIGN_OR_RETURN(auto connection, connect_to(endpoint));
  return std::unique_ptr<ServerConnection>(new ServerConnection(std::move(connection)));
}

ServerConnection::ServerConnection(std::shared_ptr<client::Connection> connection)
    : address_(QString::fromStdString(connection->server())) {
  delivery_timer_.setSingleShot(true);
  connect(&delivery_timer_, &QTimer::timeout, this, [this] {
    if (heard_) deliver();
  });
  connect(&link_timer_, &QTimer::timeout, this, &ServerConnection::check_link);
  link_timer_.start(kLinkPollInterval);
  const auto heard = [this] {
    QMetaObject::invokeMethod(this, &ServerConnection::hear, Qt::QueuedConnection);
  };
  // Pictures are delivered at once, since stepping through them waits for each.
  pictures_ = std::make_unique<PictureFetcher>(connection, [this] {
    QMetaObject::invokeMethod(this, &ServerConnection::hand_on_pictures, Qt::QueuedConnection);
  });
  submitter_ = std::make_unique<Submitter>(connection, heard);
  inspector_ = std::make_unique<Inspector>(connection, heard);
  feed_ = std::make_unique<Feed>(std::move(connection), heard);
}

ServerConnection::~ServerConnection() = default;

Link ServerConnection::link() const { return feed_->link(); }

void ServerConnection::retry_now() { feed_->retry_now(); }

void ServerConnection::order(const JobCommand& order) { inspector_->order(order); }

void ServerConnection::order(const DeviceOrder& order) { inspector_->order(order); }

void ServerConnection::fetch(const QString& id) { inspector_->fetch(id); }

void ServerConnection::fetch_decisions(const QString& id) { inspector_->fetch_decisions(id); }

void ServerConnection::fetch_statistics(int days) { inspector_->fetch_statistics(days); }

void ServerConnection::fetch_benchmarks() { inspector_->fetch_benchmarks(); }

void ServerConnection::follow_log(const QString& id) { inspector_->follow_log(id); }

void ServerConnection::submit(const SubmitOrder& order) { submitter_->submit(order); }

void ServerConnection::fetch_pictures(std::vector<PictureOrder> orders) {
  pictures_->fetch(std::move(orders));
}

void ServerConnection::hand_on_pictures() {
  for (const PictureResult& answer : pictures_->take()) emit picture_came(answer);
}

void ServerConnection::hear() {
  heard_ = true;
  if (!delivery_timer_.isActive()) deliver();
}

void ServerConnection::deliver() {
  heard_ = false;
  delivery_timer_.start(kBetweenDeliveries);
  Delivery delivery = feed_->take();
  inspector_->take_into(delivery);
  emit delivered(delivery);
  for (const SubmitAnswer& answer : submitter_->take()) emit submit_answered(answer);
  check_link();
}

void ServerConnection::check_link() {
  const Link now = link();
  if (now.state == notified_.state && now.reason == notified_.reason &&
      now.shuts_down == notified_.shuts_down && now.queue_paused == notified_.queue_paused)
    return;
  notified_ = now;
  emit link_changed(now);
}

}  // namespace weft::gui
