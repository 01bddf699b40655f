// SPDX-License-Identifier: Apache-2.0
// Tests the files that a client may have opened, with real user ids. The daemon runs as root or as
// another user.
#include "server/queue/files/file_rights.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "server/queue/files/job_files.h"
#include "server/queue/files/publishing.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kStoreSecret[] = "a secret";
constexpr uid_t kRoot = 0;
constexpr uid_t kService = 2001;  // user of a daemon without root rights
constexpr uid_t kAnn = 2002;
constexpr uid_t kBob = 2003;
constexpr gid_t kTeam = 2100;
constexpr char kOpened[] = "opened";

Credentials credentials_of(uid_t user, std::vector<gid_t> groups = {}) {
  Credentials credentials;
  credentials.set_user(user);
  credentials.set_group(user);
  credentials.mutable_groups()->Add(groups.begin(), groups.end());
  return credentials;
}

class FileRightsTest : public testing::TestWithParam<uid_t> {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "Only root can be other users.";
    for (const char* name : {"ann", "bob", "closed", "state", "ann/folder"}) fs::create_directory(path(name));
    make("ann/private.ts", kAnn, 0600);
    make("ann/open.ts", kAnn, 0644);
    make("ann/team.ts", kAnn, 0640, kTeam);
    make("bob/private.ts", kBob, 0600);
    make("closed/open.ts", kBob, 0644);
    make("state/jobs.db", GetParam(), 0644);
    own("ann", kAnn, 0755);
    own("ann/folder", kAnn, 0755);
    own("bob", kBob, 0755);
    own("closed", kBob, 0700);
    own("state", GetParam(), 0755);
    own("", kRoot, 0755);
  }

  std::string path(const std::string& name) const {
    return name.empty() ? folder_.path() : folder_.path() + "/" + name;
  }
  void make(const std::string& name, uid_t user, mode_t mode, gid_t group = 0) const {
    std::ofstream(path(name)) << "some bytes";
    ASSERT_EQ(::chown(path(name).c_str(), user, group == 0 ? user : group), 0);
    ASSERT_EQ(::chmod(path(name).c_str(), mode), 0);
  }
  void own(const std::string& name, uid_t user, mode_t mode) const {
    ASSERT_EQ(::chown(path(name).c_str(), user, user), 0);
    ASSERT_EQ(::chmod(path(name).c_str(), mode), 0);
  }
  FileRights rights(const Credentials& caller, const std::vector<std::string>& roots = {}) const {
    return {caller, std::make_shared<const FileRules>(std::vector{path("state")}, roots)};
  }

  // Returns the result of `question`, evaluated in a process of the daemon's user.
  static std::string ask(const std::function<std::string()>& question) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      if (GetParam() != kRoot &&
          (::setgroups(0, nullptr) != 0 || ::setresgid(GetParam(), GetParam(), GetParam()) != 0 ||
           ::setresuid(GetParam(), GetParam(), GetParam()) != 0))
        ::_exit(1);
      const std::string said = question();
      ::_exit(::write(ends[1], said.data(), said.size()) == ssize_t(said.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string said;
    char piece[4096];
    for (ssize_t count; (count = ::read(ends[0], piece, sizeof(piece))) > 0;)
      said.append(piece, size_t(count));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return said;
  }
  static std::string outcome(const FoundFile& found) { return found.is_found() ? kOpened : found.why; }
  std::string file(const std::string& name, const FileRights& with) const {
    return ask([&] { return outcome(open_file(with, name.starts_with('/') ? name : path(name))); });
  }
  std::string file(const std::string& name, uid_t user) const {
    return file(name, rights(credentials_of(user)));
  }
  std::string target(const std::string& name, uid_t user) const {
    return ask([&] { return outcome(open_target_folder(rights(credentials_of(user)), path(name))); });
  }

  TemporaryFolder folder_;
};

TEST_P(FileRightsTest, AFileIsOpenedIfTheCallerCouldOpenItHimself) {
  EXPECT_EQ(file("ann/open.ts", kAnn), kOpened);
  EXPECT_EQ(file("ann/open.ts", kBob), kOpened);
  EXPECT_THAT(file("ann/private.ts", kBob),
              HasSubstr(fmt::format("may not be used by whoever submits (user id {})", kBob)));
  EXPECT_THAT(file("closed/open.ts", kAnn), HasSubstr("may not be used")) << "a folder on the way";
  EXPECT_THAT(file("ann/nothing.ts", kAnn), HasSubstr("does not exist"));
  EXPECT_EQ(file("ann/folder", kAnn), "is a folder");
  EXPECT_EQ(file("ann/../bob/./../ann/open.ts", kAnn), kOpened);
  EXPECT_EQ(file("ann/private.ts", kAnn) == kOpened, GetParam() == kRoot)
      << "another daemon cannot read it itself";
}

TEST_P(FileRightsTest, GroupsCount) {
  if (GetParam() != kRoot) {  // The daemon must be able to read the file, too.
    ASSERT_EQ(::chown(path("ann/team.ts").c_str(), GetParam(), kTeam), 0);
  }
  EXPECT_EQ(file("ann/team.ts", rights(credentials_of(kBob, {kTeam}))), kOpened);
  EXPECT_THAT(file("ann/team.ts", rights(credentials_of(kBob, {kTeam + 1}))), HasSubstr("may not be used"));
}

TEST_P(FileRightsTest, LinksAreFollowedWithTheCallersRights) {
  fs::create_symlink(path("bob/private.ts"), path("ann/private-link.ts"));
  fs::create_symlink("../ann/open.ts", path("ann/open-link.ts"));
  fs::create_directory_symlink("../closed", path("ann/closed-link"));
  fs::create_symlink("round", path("ann/round"));
  EXPECT_THAT(file("ann/private-link.ts", kAnn), HasSubstr("may not be used"));
  EXPECT_EQ(file("ann/open-link.ts", kAnn), kOpened);
  EXPECT_THAT(file("ann/closed-link/open.ts", kAnn), HasSubstr("may not be used"));
  EXPECT_THAT(file("ann/round", kAnn), HasSubstr("goes round in symbolic links"));
  EXPECT_EQ(target("ann/closed-link", kBob) == kOpened, GetParam() == kRoot) << "his, and root may be him";
}

TEST_P(FileRightsTest, TheDaemonsOwnFilesAreNobodys) {
  fs::create_directory_symlink(path("state"), path("ann/state-link"));
  fs::create_directory(path("state/work"));
  own("state/work", GetParam(), 0755);
  make("state/work/part", GetParam(), 0644);
  ASSERT_EQ(::link(path("state/jobs.db").c_str(), path("ann/hard.db").c_str()), 0);
  for (const uid_t user : {kAnn, kRoot, GetParam()}) {
    SCOPED_TRACE(user);
    EXPECT_EQ(file("state/jobs.db", user), "lies in a folder of the daemon's own");
    EXPECT_EQ(file("state/work/part", user), "lies in a folder of the daemon's own");
    EXPECT_EQ(file("ann/state-link/jobs.db", user), "lies in a folder of the daemon's own");
    EXPECT_EQ(file("ann/hard.db", user), "is a file of the daemon's own");
    EXPECT_THAT(file(fmt::format("/proc/{}/status", ::getpid()), user), HasSubstr("lies in /proc"));
    EXPECT_THAT(file("/proc/self/cwd/nothing", user), testing::Not(kOpened));
  }
  EXPECT_EQ(target("state", GetParam()), "lies in a folder of the daemon's own");
}

TEST_P(FileRightsTest, RootsHoldOtherUsers) {
  const auto open = [&](const std::string& name, uid_t user) {
    return file(name, rights(credentials_of(user), {path("bob")}));
  };
  make("bob/open.ts", kBob, 0644);
  EXPECT_EQ(open("bob/open.ts", kAnn), kOpened);
  EXPECT_THAT(open("ann/open.ts", kAnn), HasSubstr("file-roots"));
  EXPECT_THAT(open("bob/../ann/open.ts", kAnn), HasSubstr("file-roots"));
  EXPECT_EQ(open("ann/open.ts", GetParam()), kOpened) << "not the daemon's own";
}

TEST_P(FileRightsTest, OutputsGoWhereTheCallerMayWrite) {
  EXPECT_THAT(target("ann", kBob), HasSubstr("may not be used"));
  EXPECT_EQ(target("ann", kAnn) == kOpened, GetParam() == kRoot)
      << "another daemon cannot write there itself";
  own("ann", kAnn, 0777);
  EXPECT_EQ(target("ann", kBob), kOpened);
  own("ann", kAnn, 01777);
  EXPECT_EQ(ask([&] {
              const FoundFile found = open_target_folder(rights(credentials_of(kBob)), path("ann"));
              return std::string(may_replace(rights(credentials_of(kBob)), found, "private.ts") ? "may"
                                                                                                : "may not");
            }),
            "may not")
      << "the sticky bit";
}

// Only the kernel, with the user's ids, can evaluate an access control list.
TEST_P(FileRightsTest, AnAccessListIsReadByTheKernelAlone) {
  // Version 2; owner rw-, Bob ---, group r--, mask r--, others r--.
  const unsigned char list[] = {2, 0,    0,   0,   1,   0,   6,  0, 255, 255, 255, 255, 2,   0,  0,
                                0, 0xd3, 7,   0,   0,   4,   0,  4, 0,   255, 255, 255, 255, 16, 0,
                                4, 0,    255, 255, 255, 255, 32, 0, 4,   0,   255, 255, 255, 255};
  static_assert(kBob == 0x7d3);
  if (::setxattr(path("ann/open.ts").c_str(), "system.posix_acl_access", list, sizeof(list), 0) != 0)
    GTEST_SKIP() << "No access control lists here: " << std::strerror(errno);
  EXPECT_THAT(file("ann/open.ts", kBob), HasSubstr("may not be used"));
  EXPECT_EQ(file("ann/open.ts", kAnn) == kOpened, GetParam() == kRoot);
}

// A link that another process exchanges continuously leads to a file that the caller may read, or
// to an error.
TEST_P(FileRightsTest, AnExchangedLinkLeadsNowhereElse) {
  const pid_t exchanger = ::fork();
  if (exchanger == 0) {
    const std::string link = path("ann/link.ts"), next = path("ann/next.ts");
    for (bool is_bad = false;; is_bad = !is_bad) {
      if (::symlink(path(is_bad ? "bob/private.ts" : "ann/open.ts").c_str(), next.c_str()) != 0) ::_exit(1);
      if (::rename(next.c_str(), link.c_str()) != 0) ::_exit(1);
    }
  }
  const std::string said = ask([&] {
    int opened = 0, refused = 0;
    for (int i = 0; i < 200'000 && (opened < 100 || refused < 100); i++) {
      const FoundFile found = open_file(rights(credentials_of(kAnn)), path("ann/link.ts"));
      (found.is_found() ? opened : refused)++;
      if (found.is_found() && found.info.st_uid != kAnn) return std::string("It led to Bob's.");
    }
    return std::string(opened >= 100 && refused >= 100 ? "" : fmt::format("{} and {}", opened, refused));
  });
  ::kill(exchanger, SIGKILL);
  ::waitpid(exchanger, nullptr, 0);
  EXPECT_THAT(said, IsEmpty());
}

TEST_P(FileRightsTest, TheThreadHasItsOwnIdsAfterwards) {
  if (GetParam() != kRoot) GTEST_SKIP() << "Only a daemon of root takes others' ids.";
  EXPECT_EQ(ask([&] {
              const gid_t own[] = {7, 8};
              if (::setgroups(2, own) != 0) return std::string("The test cannot set groups.");
              static_cast<void>(open_file(rights(credentials_of(kAnn, {kTeam})), path("ann/open.ts")));
              gid_t now[8] = {};
              const int count = ::getgroups(8, now);
              return fmt::format("{} {} {} {} {}", ::setfsuid(uid_t(-1)), ::setfsgid(gid_t(-1)), count,
                                 now[0], now[1]);
            }),
            "0 0 2 7 8");
}

// A user with an opened file must not be able to inspect the daemon afterwards.
TEST_P(FileRightsTest, ADaemonThatIsNotDumpableStaysSo) {
  const std::string said = ask([&] {
    ::prctl(PR_SET_DUMPABLE, 0);
    const std::string opened = outcome(open_file(rights(credentials_of(kAnn)), path("ann/open.ts")));
    return opened + (::prctl(PR_GET_DUMPABLE) == 1 ? ", dumpable" : "");
  });
  EXPECT_EQ(said, kOpened);
}

TEST_P(FileRightsTest, AJobsOutputIsTheCallersAndHisAlone) {
  if (GetParam() != kRoot) GTEST_SKIP() << "Only a daemon of root gives files away.";
  JobRecord record;
  record.submitter = credentials_of(kAnn);
  record.job.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  record.job.set_attempt(1);
  record.job.mutable_spec()->mutable_video()->set_input(path("ann/private.ts"));
  record.job.mutable_spec()->mutable_video()->set_output(path("ann/out.mkv"));
  {
    const auto open = open_job(record.job, path("state"), {"store", kStoreSecret}, rights(record.submitter));
    ASSERT_TRUE(open.ok()) << open.status();
    struct stat info {};
    ASSERT_EQ(::fstat(open->work_folder.get(), &info), 0);
    EXPECT_EQ(info.st_uid, kRoot) << "nobody meddles with a job at work";
    EXPECT_EQ(info.st_mode & 0777, 0700u);
  }
  std::ofstream(work_folder_of(record.job, "") + "/finished") << "the result";
  ASSERT_THAT(publish_job(record.job, "", {"store", kStoreSecret}, rights(record.submitter)), IsOk());
  struct stat info {};
  ASSERT_EQ(::lstat(path("ann/out.mkv").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kAnn);
  EXPECT_EQ(info.st_gid, kAnn);
  EXPECT_THAT(discard_job(record.job, "", kStoreSecret), IsOk());
  EXPECT_FALSE(fs::exists(work_folder_of(record.job, "")));

  // A user with write access to the parent folder may replace the work folder by one with a note
  // that names any file.
  ASSERT_THAT(open_job(record.job, path("state"), {"store", kStoreSecret}, rights(record.submitter)), IsOk());
  fs::rename(work_folder_of(record.job, ""), path("ann/moved"));
  fs::create_directory(work_folder_of(record.job, ""));
  std::ofstream(work_folder_of(record.job, "") + "/finished") << "the result";
  ASSERT_EQ(::chown(work_folder_of(record.job, "").c_str(), kAnn, kAnn), 0);
  EXPECT_THAT(publish_job(record.job, "", {"store", kStoreSecret}, rights(record.submitter)),
              StatusIs(StatusCode::kPermissionDenied, "it was exchanged"));
  EXPECT_THAT(open_job(record.job, path("state"), {"store", kStoreSecret}, rights(record.submitter)),
              StatusIs(StatusCode::kPermissionDenied, "belongs to somebody else"));
  EXPECT_THAT(discard_job(record.job, "", kStoreSecret), IsOk());
  EXPECT_TRUE(fs::exists(work_folder_of(record.job, "") + "/finished")) << "it is not ours to remove";
  fs::remove_all(work_folder_of(record.job, ""));
  fs::remove_all(path("ann/moved"));

  // The caller may have lost its permission since the submit.
  std::ofstream(path("ann/private.ts"), std::ios::app) << "more";
  own("ann/private.ts", kBob, 0600);
  EXPECT_THAT(open_job(record.job, path("state"), {"store", kStoreSecret}, rights(record.submitter)),
              StatusIs(StatusCode::kPermissionDenied, "may not be used"));
  own("ann/private.ts", kAnn, 0600);
  fs::remove(path("ann/out.mkv"));
  ASSERT_THAT(open_job(record.job, path("state"), {"store", kStoreSecret}, rights(record.submitter)), IsOk());
  std::ofstream(work_folder_of(record.job, "") + "/finished") << "the result";
  own("ann", kBob, 0755);
  EXPECT_THAT(publish_job(record.job, "", {"store", kStoreSecret}, rights(record.submitter)),
              StatusIs(StatusCode::kPermissionDenied, "stays in"));
  EXPECT_TRUE(fs::exists(work_folder_of(record.job, "") + "/finished"));
}

// The folder for work of a job is opened with the caller's rights, that of the configuration with
// the daemon's. The output is the caller's in both cases.
TEST_P(FileRightsTest, WorkElsewhereIsTheDaemonsAndTheOutputTheCallers) {
  if (GetParam() != kRoot) GTEST_SKIP() << "Only a daemon of root gives files away.";
  std::string location = "/dev/shm/weft-rights-XXXXXX";
  ASSERT_NE(::mkdtemp(location.data()), nullptr);
  JobRecord record;
  record.submitter = credentials_of(kAnn);
  v1::Job& job = record.job;
  job.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  job.set_attempt(1);
  job.mutable_spec()->mutable_video()->set_input(path("ann/private.ts"));
  job.mutable_spec()->mutable_video()->set_output(path("ann/out.mkv"));
  job.set_work_location(location);
  job.mutable_settings()->set_work_dir(location);
  const StoreIdentity store{"store", kStoreSecret};
  EXPECT_THAT(open_job(job, path("state"), store, rights(record.submitter)),
              StatusIs(StatusCode::kPermissionDenied, "may not be used"))
      << "it is root's";
  for (const bool is_configured : {false, true}) {
    SCOPED_TRACE(is_configured);
    if (is_configured) job.mutable_settings()->clear_work_dir();
    ASSERT_EQ(::chown(location.c_str(), is_configured ? kRoot : kAnn, kRoot), 0);
    {
      const auto open = open_job(job, path("state"), store, rights(record.submitter));
      ASSERT_TRUE(open.ok()) << open.status();
      struct stat info {};
      ASSERT_EQ(::fstat(open->work_folder.get(), &info), 0);
      EXPECT_EQ(info.st_uid, kRoot);
      EXPECT_EQ(info.st_mode & 0777, 0700u);
    }
    std::ofstream(work_folder_of(job, "") + "/finished") << "the result";
    EXPECT_THAT(publish_job(job, "", store, rights(credentials_of(kBob))),
                StatusIs(StatusCode::kPermissionDenied))
        << "another user's rights";
    EXPECT_FALSE(fs::exists(path("ann/out.mkv")));
    ASSERT_THAT(publish_job(job, "", store, rights(record.submitter)), IsOk());
    struct stat info {};
    ASSERT_EQ(::lstat(path("ann/out.mkv").c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, kAnn);
    EXPECT_THAT(discard_job(job, "", kStoreSecret), IsOk());
    EXPECT_TRUE(fs::is_empty(location));
    fs::remove(path("ann/out.mkv"));
  }
  fs::remove_all(location);
}

std::string daemon_name(const testing::TestParamInfo<uid_t>& daemon) {
  return daemon.param == kRoot ? "OfRoot" : "OfAService";
}
INSTANTIATE_TEST_SUITE_P(Daemon, FileRightsTest, testing::Values(kRoot, kService), daemon_name);

}  // namespace
}  // namespace weft::queue
