// SPDX-License-Identifier: Apache-2.0
#include "server/media/file_calls.h"

#include <cerrno>
#include <thread>

#include <gtest/gtest.h>

namespace weft::media {
namespace {

TEST(FileCallsTest, TheOneThatBeganFirstIsTold) {
  FileCalls calls;
  EXPECT_FALSE(calls.longest());
  const FileCall unwatched("read", "/a");
  EXPECT_FALSE(calls.longest());
  const WatchFileCalls watch(&calls);
  {
    const FileCall outer("closed", "/b");
    const FileCall inner("written", "");
    EXPECT_EQ(calls.longest()->doing, "closed");
    EXPECT_EQ(calls.longest()->file, "/b");
    EXPECT_LE(calls.longest()->since, std::chrono::steady_clock::now());
  }
  EXPECT_FALSE(calls.longest());
}

TEST(FileCallsTest, AThreadsCallsAreItsOwnAndAWatchEndsWithItsScope) {
  FileCalls calls;
  FileCalls others;
  const WatchFileCalls watch(&calls);
  {
    const WatchFileCalls inner(&others);
    const FileCall call("read", "/inner");
    EXPECT_TRUE(others.longest());
    EXPECT_FALSE(calls.longest());
  }
  const FileCall call("read", "/outer");
  EXPECT_EQ(calls.longest()->file, "/outer");
  std::thread([&] {
    const FileCall unwatched("read", "/thread");
    EXPECT_FALSE(others.longest());
    EXPECT_EQ(calls.longest()->file, "/outer");
  }).join();
}

TEST(FileCallsTest, PiecesOfLongWorkAreCountedWhereSomebodyWatches) {
  FileCalls calls;
  chunk_done();
  EXPECT_EQ(calls.chunks(), 0u);
  const WatchFileCalls watch(&calls);
  chunk_done();
  chunk_done();
  EXPECT_EQ(calls.chunks(), 2u);
}

TEST(FileCallsTest, TheErrorOfTheCallStays) {
  FileCalls calls;
  const WatchFileCalls watch(&calls);
  {
    const FileCall call("read", "/a");
    errno = EIO;
  }
  EXPECT_EQ(errno, EIO);
}

}  // namespace
}  // namespace weft::media
