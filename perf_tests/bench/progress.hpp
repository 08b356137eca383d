// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace araios::bench {

/// Says on stderr what is going on for as long as the object lives: at once on a terminal, where
/// the line is erased at the end, otherwise only if it takes more than two seconds.
class progress {
 public:
  explicit progress(std::string text)
      : thread_([text = std::move(text)](std::stop_token stop) {
          bool const terminal = isatty(STDERR_FILENO) != 0;
          std::mutex mutex;
          std::condition_variable_any condition;
          std::unique_lock lock(mutex);
          auto const stopped = [&] { return stop.stop_requested(); };
          auto const wait = [&](auto time) { condition.wait_for(lock, stop, time, stopped); };
          wait(terminal ? std::chrono::milliseconds(200) : std::chrono::milliseconds(2000));
          if (stopped()) return;
          std::cerr << text << (terminal ? " ..." : " ...\n") << std::flush;
          if (!terminal) return;
          condition.wait(lock, stop, stopped);
          std::cerr << "\r\033[K" << std::flush;
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace araios::bench
