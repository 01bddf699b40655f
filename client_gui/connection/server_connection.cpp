// SPDX-License-Identifier: Apache-2.0
#include "client_gui/connection/server_connection.h"

#include "client/connection.h"
#include "client_gui/connection/feed.h"
#include "client_gui/connection/inspector.h"
#include "client_gui/connection/picture_fetcher.h"
#include "client_gui/connection/submitter.h"

namespace weft::gui {
namespace {

// What changes faster than an eye can follow is told together.
constexpr std::chrono::milliseconds kBetweenDeliveries(100);
constexpr std::chrono::milliseconds kBetweenLooks(250);  // for what changes by waiting: stale

StatusOr<std::shared_ptr<client::Connection>> connect_to(const ServerPlace& place) {
  client::ConnectionOptions options;
  options.server = place.address.toStdString();
  if (place.tls)
    options.tls = {place.roots_file.toStdString(), place.server_name.toStdString(),
                   place.token.toStdString()};
  return client::Connection::open(options);
}

}  // namespace

Status ServerConnection::check(const ServerPlace& place) { return connect_to(place).status(); }

StatusOr<std::unique_ptr<ServerConnection>> ServerConnection::open(const ServerPlace& place) {
  ASSIGN_OR_RETURN(auto connection, connect_to(place));
  return std::unique_ptr<ServerConnection>(new ServerConnection(std::move(connection)));
}

ServerConnection::ServerConnection(std::shared_ptr<client::Connection> connection)
    : address_(QString::fromStdString(connection->server())) {
  delivery_timer_.setSingleShot(true);
  connect(&delivery_timer_, &QTimer::timeout, this, [this] {
    if (heard_) deliver();
  });
  connect(&link_timer_, &QTimer::timeout, this, &ServerConnection::look_at_link);
  link_timer_.start(kBetweenLooks);
  const auto heard = [this] {
    QMetaObject::invokeMethod(this, &ServerConnection::hear, Qt::QueuedConnection);
  };
  // At once: who steps from picture to picture waits for each.
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
  look_at_link();
}

void ServerConnection::look_at_link() {
  const Link now = link();
  if (now.state == told_.state && now.reason == told_.reason && now.shuts_down == told_.shuts_down) return;
  told_ = now;
  emit link_changed(now);
}

}  // namespace weft::gui
