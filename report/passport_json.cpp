#include "report/passport_json.hpp"

namespace simtrain {

nlohmann::ordered_json to_json_value(const Passport& passport) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  for (const PassportInput& one : passport.inputs)
    inputs.push_back({{"option", one.option}, {"name", one.name}, {"sha256", one.sha256}});
  nlohmann::ordered_json versions = nlohmann::ordered_json::object();
  for (const auto& [name, version] : passport.versions) versions[name] = version;
  return {{"program", passport.program},
          {"arguments", passport.arguments},
          {"versions", std::move(versions)},
          {"inputs", std::move(inputs)},
          {"made", {{"host", passport.host}, {"date", passport.date}}}};
}

void add_passport(const std::optional<Passport>& passport, nlohmann::ordered_json& document) {
  if (passport) document["passport"] = to_json_value(*passport);
}

Passport read_passport(JsonObject from) {
  Passport passport;
  passport.program = from.text("program");
  for (const nlohmann::json& argument : from.array("arguments")) {
    if (!argument.is_string()) from.refuse("arguments", "expected texts, found " + argument.dump());
    passport.arguments.push_back(argument.get<std::string>());
  }
  const nlohmann::json& versions = from.any("versions");
  if (!versions.is_object()) from.refuse("versions", "expected an object, found " + versions.dump());
  for (const auto& [name, version] : versions.items()) {
    if (!version.is_string()) from.refuse("versions", "expected texts, found " + version.dump());
    passport.versions[name] = version.get<std::string>();
  }
  for (std::size_t i = 0; i < from.array("inputs").size(); ++i) {
    JsonObject one = from.element("inputs", i);
    passport.inputs.push_back({one.text("option"), one.text("name"), one.text("sha256")});
    one.finish();
  }
  JsonObject made = from.object("made");
  passport.host = made.text("host");
  passport.date = made.text("date");
  made.finish();
  from.finish();
  return passport;
}

}  // namespace simtrain
