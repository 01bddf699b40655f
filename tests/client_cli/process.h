// SPDX-License-Identifier: Apache-2.0
// Runs a program as a user does, with pipes or on a terminal, and reads its output while it runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace weft::test {

struct ProcessOptions {
  std::vector<std::string> words;  // the program and its arguments
  // variables in addition to a small fixed set (PATH, HOME)
  std::map<std::string, std::string> environment;
  // working folder of the program; empty: the folder of this process
  std::string folder;
  std::string input;  // standard input of the program
  // signals that the program ignores from the start, as under nohup
  std::vector<int> ignored;
  bool terminal = false;  // standard error is a terminal of 80 columns
  bool screen =
      // All three streams are one terminal of 80 columns by 24 lines, which the program controls.
      false;
};

class Process {
 public:
  explicit Process(const ProcessOptions& options);
  ~Process();  // kills the program if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send_signal(int signal);
  // Presses keys, or changes the size, of a terminal (`screen`).
  void type(const std::string& keys);
  void resize(int columns, int rows);
  // Waits until standard error (or standard output, or the output of a terminal) contains `text`.
  // Returns false after ten seconds or at the end of the program.
  bool wait_for_error(const std::string& text) { return wait_for(error_, text); }
  bool wait_for_output(const std::string& text) { return wait_for(output_, text); }
  // Reads the output until `is_true` returns true. Returns false after ten seconds or at the end of
  // the program.
  bool wait_until(const std::function<bool()>& is_true);
  // Waits at most twenty seconds for the end of the program. Returns its exit code, or 128 + the
  // number of the signal that ended it.
  int wait();

  const std::string& output() const { return output_.text; }
  const std::string& error() const { return error_.text; }

 private:
  struct Stream {
    int descriptor = -1;
    std::string text;
  };
  bool wait_for(const Stream& stream, const std::string& text);
  // Waits briefly for output and reads it. Returns false if both streams have ended.
  bool pump();

  pid_t pid_ = -1;
  Stream output_;
  Stream error_;
};

// Results of a program that has ended.
struct Finished {
  int code = 0;
  std::string output;
  std::string error;
};
Finished run(const ProcessOptions& options);

}  // namespace weft::test
