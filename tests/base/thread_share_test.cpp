// SPDX-License-Identifier: Apache-2.0
#include "base/thread_share.h"

#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

int own_nice() { return ::getpriority(PRIO_PROCESS, id_t(::gettid())); }
int nice_of_process() { return ::getpriority(PRIO_PROCESS, id_t(::getpid())); }

std::vector<int> own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof(set), &set), 0);
  std::vector<int> processors;
  for (int processor = 0; processor < CPU_SETSIZE; processor++)
    if (CPU_ISSET(size_t(processor), &set)) processors.push_back(processor);
  return processors;
}

TEST(ThreadShare, AThreadAndThoseThatItStartsAreNicerThanTheProcess) {
  const int before = nice_of_process();
  std::thread([&] {
    raise_nice(kNormalNice);
    EXPECT_EQ(own_nice(), before + kNormalNice);
    raise_nice(kNormalNice);
    EXPECT_EQ(own_nice(), before + kNormalNice) << "the level counts from the process";
    std::thread([&] {
      EXPECT_EQ(own_nice(), before + kNormalNice);
      raise_nice(kSpareNice);
      EXPECT_EQ(own_nice(), before + kSpareNice);
      raise_nice(kNormalNice);
      EXPECT_EQ(own_nice(), before + kSpareNice);
    }).join();
    EXPECT_EQ(own_nice(), before + kNormalNice);
  }).join();
  EXPECT_EQ(nice_of_process(), before);
  std::thread([] {
    raise_nice(100);
    EXPECT_EQ(own_nice(), 19);
  }).join();
}

TEST(ThreadShare, ListsOfProcessorsAreRead) {
  EXPECT_THAT(*parse_processors(""), ElementsAre());
  EXPECT_THAT(*parse_processors("3"), ElementsAre(3));
  EXPECT_THAT(*parse_processors("8,0-3,2"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_processors("0-1023")->size(), 1024u);
  for (const char* const wrong : {",", "1,", ",1", "1-", "-1", "3-2", "a", "1 2", "1024", "0-1024", "1--2"}) {
    const auto read = parse_processors(wrong);
    ASSERT_FALSE(read.ok()) << wrong;
    EXPECT_EQ(read.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(message_of(read.status()), HasSubstr("use numbers and ranges from 0 to 1023")) << wrong;
  }
}

TEST(ThreadShare, AThreadAndThoseThatItStartsKeepToTheirProcessors) {
  const std::vector<int> all = own_processors();
  std::thread([&] {
    EXPECT_TRUE(keep_to_processors({}).ok());
    EXPECT_EQ(own_processors(), all);
    ASSERT_TRUE(keep_to_processors({all.back()}).ok());
    EXPECT_THAT(own_processors(), ElementsAre(all.back()));
    std::thread([&] { EXPECT_THAT(own_processors(), ElementsAre(all.back())); }).join();
  }).join();
  EXPECT_EQ(own_processors(), all);
  std::thread([&] {
    const Status none = keep_to_processors({kMostProcessor});
    ASSERT_FALSE(none.ok()) << "a machine of the tests has fewer processors";
    EXPECT_THAT(message_of(none), HasSubstr("correct the list"));
    EXPECT_EQ(own_processors(), all);
  }).join();
}

}  // namespace
}  // namespace weft
