// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/streams_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <gtest/gtest.h>

#include "tests/client_gui/events.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::gui {
namespace {

StreamRow make_stream(quint64 number, double deadline = -1) {
  StreamRow stream;
  stream.number = number;
  stream.stream_class = deadline < 0 ? v1::STREAM_CLASS_NORMAL : v1::STREAM_CLASS_REALTIME;
  stream.p50 = 0.004;
  stream.p99 = 0.025;
  stream.deadline = deadline;
  stream.pictures = 1000;
  return stream;
}

class StreamsModelTest : public ::testing::Test {
 protected:
  QString text(int row, StreamColumn column) { return model_.index(row, int(column)).data().toString(); }
  bool is_late(int row, StreamColumn column) {
    return model_.index(row, int(column)).data(StreamsModel::kLateRole).toBool();
  }
  QStringList numbers() {
    QStringList result;
    for (int row = 0; row < model_.rowCount(); row++) result.push_back(text(row, StreamColumn::kStream));
    return result;
  }

  StreamsModel model_;
  QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Warning};
};

TEST_F(StreamsModelTest, StreamsComeAndGoAndOthersStay) {
  model_.set_streams({make_stream(7), make_stream(3)});
  EXPECT_EQ(numbers(), QStringList({"3", "7"}));
  const QPersistentModelIndex seven = model_.index(1, 0);
  model_.set_streams({make_stream(5), make_stream(7), make_stream(9), make_stream(10)});
  EXPECT_EQ(numbers(), QStringList({"5", "7", "9", "10"}));
  EXPECT_EQ(seven.row(), 1);
  model_.set_streams({make_stream(7)});
  EXPECT_EQ(numbers(), QStringList({"7"}));
  EXPECT_EQ(seven.row(), 0);
  model_.set_streams({});
  EXPECT_FALSE(seven.isValid());
}

TEST_F(StreamsModelTest, OnlyWhatChangedIsTold) {
  model_.set_streams({make_stream(1), make_stream(2)});
  QSignalSpy changes(&model_, &QAbstractItemModel::dataChanged);
  model_.set_streams({make_stream(1), make_stream(2)});
  EXPECT_EQ(changes.size(), 0);
  StreamRow faster = make_stream(2);
  faster.rate = 50;
  model_.set_streams({make_stream(1), faster});
  ASSERT_EQ(changes.size(), 1);
  EXPECT_EQ(changes[0][0].toModelIndex().row(), 1);
  EXPECT_EQ(text(1, StreamColumn::kRate), "50.0");
}

TEST_F(StreamsModelTest, LatencyStandsBesideTheDeadline) {
  StreamRow late = make_stream(1, 0.02);
  late.missed = 15;
  model_.set_streams({late, make_stream(2), make_stream(3, 0.05)});
  EXPECT_EQ(text(0, StreamColumn::kP99), "25.0 ms");
  EXPECT_EQ(text(0, StreamColumn::kDeadline), "20.0 ms");
  EXPECT_EQ(text(0, StreamColumn::kMissed), "15 (1.5%)");
  EXPECT_TRUE(is_late(0, StreamColumn::kP99));
  EXPECT_FALSE(is_late(0, StreamColumn::kP50));
  EXPECT_TRUE(is_late(0, StreamColumn::kMissed));
  EXPECT_EQ(text(1, StreamColumn::kDeadline), "-");
  EXPECT_FALSE(is_late(1, StreamColumn::kP99)) << "none to keep";
  EXPECT_FALSE(is_late(2, StreamColumn::kP99));
}

}  // namespace
}  // namespace weft::gui
