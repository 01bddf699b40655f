// SPDX-License-Identifier: Apache-2.0
// Runs a program as a person would: with pipes or on a terminal, and looks at what it writes while it runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace weft::test {

struct ProcessOptions {
  std::vector<std::string> words;                  // program first
  std::map<std::string, std::string> environment;  // beside a small fixed one (PATH, HOME)
  std::string folder;                              // where it runs; empty: here
  std::string input;                               // on standard input
  std::vector<int> ignored;                        // signals that it finds ignored, as nohup has it
  bool terminal = false;                           // standard error is a terminal of 80 columns
  bool screen =
      false;  // all three streams are one terminal, which the program controls, 80 columns by 24 lines
};

class Process {
 public:
  explicit Process(const ProcessOptions& options);
  ~Process();  // kills it when it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send_signal(int signal);
  // Of a screen: presses keys, changes its size.
  void type(const std::string& keys);
  void resize(int columns, int rows);
  // Waits until standard error (or output, or a screen's output) holds the text; false after ten seconds or at its end.
  bool wait_for_error(const std::string& text) { return wait_for(error_, text); }
  bool wait_for_output(const std::string& text) { return wait_for(output_, text); }
  // Waits until that is true, reading what is written; false after ten seconds or at its end.
  bool wait_until(const std::function<bool()>& is_true);
  // Waits for the end, twenty seconds at most. The exit code; 128 + the number of a signal that ended it.
  int wait();

  const std::string& output() const { return output_.text; }
  const std::string& error() const { return error_.text; }

 private:
  struct Stream {
    int descriptor = -1;
    std::string text;
  };
  bool wait_for(const Stream& stream, const std::string& text);
  // Reads what is there, waiting a little; false when both streams have ended.
  bool pump();

  pid_t pid_ = -1;
  Stream output_;
  Stream error_;
};

// What a program that is run to its end leaves.
struct Finished {
  int code = 0;
  std::string output;
  std::string error;
};
Finished run(const ProcessOptions& options);

}  // namespace weft::test
