// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/fleet.h"

#include <algorithm>

#include "client_gui/connection/picture_orders.h"

namespace weft::gui {

Fleet::Fleet() {
  connect(&jobs_, &JobsModel::counts_changed, this,
          [this](int server) { tree_.set_counts(server, jobs_.counts(server)); });
  connect(&ages_timer_, &QTimer::timeout, this, &Fleet::show_ages);
  ages_timer_.start(std::chrono::seconds(1));
}

Fleet::~Fleet() = default;

StatusOr<int> Fleet::add(const QString& address) {
  ServerEndpoint endpoint;
  endpoint.address = address;
  return add(endpoint);
}

StatusOr<int> Fleet::add(const ServerEndpoint& endpoint) {
  ASSIGN_OR_RETURN(auto connection, ServerConnection::open(endpoint));
  for (const auto& [number, known] : connections_)
    if (known->address() == connection->address()) return number;
  const int number = ++last_number_;
  jobs_.add_server(number, connection->address());
  tree_.add_server(number, connection->address());
  connect(connection.get(), &ServerConnection::delivered, this,
          [this, number](const Delivery& delivery) { take(number, delivery); });
  connect(connection.get(), &ServerConnection::submit_answered, this, &Fleet::submit_answered);
  connect(connection.get(), &ServerConnection::picture_came, this,
          [this, number](const PictureResult& answer) { emit picture_came(number, answer); });
  connect(connection.get(), &ServerConnection::link_changed, this, [this, number] { show_link(number); });
  places_[number] = endpoint;
  places_[number].address = connection->address();
  connections_[number] = std::move(connection);
  emit links_changed();
  return number;
}

StatusOr<int> Fleet::change(int server, const ServerEndpoint& endpoint) {
  RETURN_IF_ERROR(check(endpoint));
  remove(server);
  return add(endpoint);
}

Status Fleet::submit(int server, const SubmitOrder& order) {
  const auto found = connections_.find(server);
  if (found == connections_.end()) return not_found("The server is no longer looked at; choose another one.");
  found->second->submit(order);
  return ok_status();
}

void Fleet::ask_for_pictures(int server, std::vector<PictureOrder> orders) {
  const auto found = connections_.find(server);
  if (found != connections_.end()) found->second->fetch_pictures(std::move(orders));
}

void Fleet::ask_for_decisions(int server, const QString& id) {
  const auto found = connections_.find(server);
  if (found != connections_.end()) found->second->fetch_decisions(id);
}

void Fleet::select_job(int server, const QString& id) {
  if (server == selected_server_ && id == selected_) return;
  const auto before = connections_.find(selected_server_);
  if (before != connections_.end()) before->second->follow_log({});
  selected_server_ = server;
  selected_ = id;
  if (id.isEmpty()) return;
  connections_.at(server)->fetch(id);
  connections_.at(server)->follow_log(id);
}

void Fleet::refresh_selected() {
  const auto found = connections_.find(selected_server_);
  if (found != connections_.end() && !selected_.isEmpty()) found->second->fetch(selected_);
}

void Fleet::remove(int server) {
  connections_.erase(server);
  places_.erase(server);
  synced_.erase(server);
  tree_.remove_server(server);
  jobs_.remove_server(server);
  devices_.remove_server(server);
  emit server_left(server);
  emit links_changed();
}

std::vector<int> Fleet::servers() const {
  std::vector<int> numbers;
  for (const auto& [number, connection] : connections_) numbers.push_back(number);
  return numbers;
}

bool Fleet::is_settled() const {
  return std::all_of(connections_.begin(), connections_.end(), [this](const auto& each) {
    return (synced_.contains(each.first) && devices_.knows(each.first)) ||
           each.second->link().state == LinkState::kOffline;
  });
}

void Fleet::take(int server, const Delivery& delivery) {
  const auto changed_selected =
      std::find_if(delivery.jobs.begin(), delivery.jobs.end(), [&](const JobRow& job) {
        return server == selected_server_ && job.id == selected_ && jobs_.changes_state(server, job);
      });
  if (changed_selected != delivery.jobs.end()) connections_.at(server)->fetch(selected_);
  emit jobs_came(server, delivery);
  jobs_.apply(server, delivery);
  if (delivery.snapshot_ends) synced_.insert(server);
  if (delivery.devices) {
    tree_.set_devices(server, delivery.devices->devices);
    devices_.apply(server, *delivery.devices);
  }
  if (delivery.statistics) emit statistics_came(server, *delivery.statistics);
  if (delivery.benchmarks) emit benchmarks_came(server, delivery.benchmarks);
  if (delivery.decisions) emit decisions_came(server, delivery.decisions);
  for (const OrderAnswer& answer : delivery.answers) emit order_answered(server, answer);
  if (server != selected_server_) return;
  for (const JobDetail& detail : delivery.details)
    if (detail.id == selected_) emit detail_came(detail);
  if (!delivery.log.empty()) emit log_came(delivery.log);
}

void Fleet::show_link(int server) {
  const Link link = connections_.at(server)->link();
  tree_.set_link(server, link);
  jobs_.set_live(server, link.state == LinkState::kLive);
  // Requests made without a connection were lost, so they are repeated.
  if (server == selected_server_ && link.state == LinkState::kLive) connections_.at(server)->fetch(selected_);
  emit links_changed();
}

void Fleet::show_ages() {
  for (const auto& [number, connection] : connections_)
    if (connection->link().state != LinkState::kLive) show_link(number);
}

}  // namespace weft::gui
