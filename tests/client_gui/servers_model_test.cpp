// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/servers_model.h"

#include <QAbstractItemModelTester>

#include <gmock/gmock.h>

#include "tests/client_gui/events.h"
#include "weft/v1/device_service.pb.h"

namespace weft::gui {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

Link link_of(LinkState state) {
  Link link;
  link.state = state;
  link.age_seconds = 12;
  return link;
}

class ServersModelTest : public ::testing::Test {
 protected:
  ServersModelTest() {
    model_.add_server(3, "unix:/a");
    model_.add_server(5, "host:1");
  }
  static DeviceRow device(const QString& id, const QString& name, v1::DeviceState state,
                          const QString& reason = {}) {
    DeviceRow row;
    row.id = id;
    row.name = name;
    row.state = state;
    row.reason = reason;
    return row;
  }
  std::string text(const QModelIndex& node) { return node.data().toString().toStdString(); }

  ServersModel model_;
  QAbstractItemModelTester tester_{&model_, Mode::Warning};
};

TEST_F(ServersModelTest, DevicesAndStatesStandBelowTheirServer) {
  const QModelIndex server = model_.server_index(5);
  model_.set_devices(5, {device("cpu", "A processor", v1::DEVICE_STATE_IN_SERVICE),
                         device("cuda:0", "A GPU", v1::DEVICE_STATE_OUT_OF_SERVICE, "It died three times.")});
  model_.set_counts(5, {{v1::JOB_STATE_RUNNING, 7}});
  EXPECT_EQ(model_.rowCount(server), 2 + int(job_states().size()));
  EXPECT_EQ(text(model_.index(0, 0, server)), "cpu: A processor");
  EXPECT_EQ(text(model_.index(1, 0, server)), "cuda:0: out of service");
  EXPECT_EQ(model_.index(1, 0, server).data(Qt::ToolTipRole).toString(), "It died three times.");
  EXPECT_EQ(text(model_.index(2, 0, server)), "queued (0)");
  EXPECT_EQ(text(model_.index(3, 0, server)), "running (7)");
  EXPECT_EQ(model_.rowCount(model_.server_index(3)), int(job_states().size()));
  model_.set_devices(5, {device("cpu", "A processor", v1::DEVICE_STATE_IN_SERVICE)});
  EXPECT_EQ(text(model_.index(1, 0, server)), "queued (0)");
}

TEST_F(ServersModelTest, ANodeStandsForItsJobs) {
  const QModelIndex server = model_.server_index(5);
  model_.set_devices(5, {device("cpu", "A processor", v1::DEVICE_STATE_IN_SERVICE)});
  EXPECT_EQ(model_.scope_of({}), JobScope());
  JobScope scope;
  scope.server = 5;
  EXPECT_EQ(model_.scope_of(server), scope);
  scope.state = v1::JOB_STATE_RUNNING;
  EXPECT_EQ(model_.scope_of(model_.index(2, 0, server)), scope);
  scope.state.reset();
  scope.device = "cpu";
  EXPECT_EQ(model_.scope_of(model_.index(0, 0, server)), scope);
}

TEST_F(ServersModelTest, LinksAreSaid) {
  EXPECT_EQ(text(model_.server_index(3)), "unix:/a (connecting)");
  model_.set_link(3, link_of(LinkState::kLive));
  EXPECT_EQ(text(model_.server_index(3)), "unix:/a (connected)");
  model_.set_link(3, link_of(LinkState::kStale));
  EXPECT_EQ(text(model_.server_index(3)), "unix:/a (no answer for 12 s)");
  Link link = link_of(LinkState::kOffline);
  link.reason = "No daemon answers.";
  model_.set_link(3, link);
  EXPECT_EQ(text(model_.server_index(3)), "unix:/a (offline for 12 s)");
  EXPECT_EQ(model_.server_index(3).data(Qt::ToolTipRole).toString(), "No daemon answers.");
}

TEST_F(ServersModelTest, AServerGoesWithAllBelowIt) {
  model_.remove_server(3);
  EXPECT_EQ(model_.rowCount(), 1);
  EXPECT_FALSE(model_.server_index(3).isValid());
  EXPECT_EQ(model_.scope_of(model_.index(0, 0)).server, 5);
}

}  // namespace
}  // namespace weft::gui
