#include "sim/commands/help_command.hpp"

#include <iostream>

#include "base/error.hpp"
#include "base/files.hpp"

namespace simtrain {

namespace {

constexpr const char *kFolder = "help", *kExtension = ".txt";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

int help_command(const std::vector<std::string>& arguments) {
  const std::vector<std::string> topics = shipped_names(kFolder, kExtension);
  if (arguments.size() > 1) throw InputError("help: expected one topic, found " + std::to_string(arguments.size()));
  if (arguments.empty() || arguments.front() == "--help") {
    std::cout << "simtrain help TOPIC explains, with examples that run:\n\n";
    for (const std::string& topic : topics) {
      const std::string text = read_file("help", find_data_file("help", kFolder, topic, kExtension));
      std::cout << "  " << topic << std::string(topic.size() < 14 ? 14 - topic.size() : 1, ' ') << first_line(text)
                << "\n";
    }
    std::cout << "\nsimtrain --help, and simtrain COMMAND --help, list all options.\n";
    return 0;
  }
  const std::string& topic = arguments.front();
  for (const std::string& one : topics)
    if (one == topic) {
      std::cout << read_file("help", find_data_file("help", kFolder, one, kExtension));
      return 0;
    }
  throw InputError(unknown_choice("help: topic", topic, topics));
}

}  // namespace simtrain
