#include "calibrate/interrupt.hpp"

namespace simtrain {
namespace {

volatile std::sig_atomic_t flag = 0;

}  // namespace

InterruptWatch::InterruptWatch() {
  flag = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { flag = 1; };
  ::sigaction(SIGINT, &action, &interrupt_);
  ::sigaction(SIGTERM, &action, &terminate_);
}

InterruptWatch::~InterruptWatch() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
}

bool InterruptWatch::interrupted() { return flag != 0; }

}  // namespace simtrain
