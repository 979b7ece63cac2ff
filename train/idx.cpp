// The IDX format: 0, 0, type (8: unsigned byte), number of dimensions; then each dimension as a big-endian 32-bit
// number; then the bytes.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "train/dataset.hpp"

namespace fs = std::filesystem;

namespace simtrain {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 33;
constexpr std::size_t kPieceBytes = std::size_t{1} << 24;

struct IdxFile {
  std::vector<std::int64_t> dimensions;
  std::vector<std::uint8_t> bytes;
};

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw InputError("data file '" + path.string() + "': " + why);
}

fs::path find_file(const std::string& folder, const std::string& name) {
  std::error_code ignored;
  for (const char* extension : {"", ".gz"})
    if (fs::path path = fs::path(folder) / (name + extension); fs::is_regular_file(path, ignored)) return path;
  throw InputError("--data: folder '" + folder + "' has no file '" + name + "' or '" + name + ".gz'");
}

// Reads plain files too: zlib hands them through as they are.
class GzipReader {
 public:
  explicit GzipReader(const fs::path& path) : path_(path), file_(::gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) refuse(path, "cannot be opened");
  }
  ~GzipReader() { ::gzclose(file_); }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Up to `count` bytes; fewer at the end of the file.
  std::size_t read(std::uint8_t* to, std::size_t count) {
    std::size_t done = 0;
    while (done < count) {
      const auto wanted = static_cast<unsigned>(std::min<std::size_t>(count - done, 1U << 30));
      const int got = ::gzread(file_, to + done, wanted);
      int error = Z_OK;
      const char* text = ::gzerror(file_, &error);
      if (got < 0 || (error != Z_OK && error != Z_STREAM_END))
        refuse(path_, std::string("is corrupt or truncated: ") + text);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  // The same, in memory that grows as bytes arrive: a header that lies must not take gigabytes on every rank.
  std::vector<std::uint8_t> read_all(std::size_t count) {
    std::vector<std::uint8_t> bytes;
    std::size_t done = 0;
    while (done == bytes.size() && done < count) {
      bytes.resize(std::min(count, done + kPieceBytes));
      done += read(bytes.data() + done, bytes.size() - done);
    }
    bytes.resize(done);
    return bytes;
  }

 private:
  fs::path path_;
  gzFile file_;
};

IdxFile read_idx(const fs::path& path, std::size_t dimensions) {
  GzipReader reader(path);
  std::array<std::uint8_t, 4> magic{};
  if (reader.read(magic.data(), magic.size()) != magic.size()) refuse(path, "ends within its header");
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != 8 || magic[3] != dimensions)
    refuse(path, "is not an IDX file of unsigned bytes with " + std::to_string(dimensions) + " dimensions");
  IdxFile file;
  std::int64_t total = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::array<std::uint8_t, 4> big_endian{};
    if (reader.read(big_endian.data(), big_endian.size()) != big_endian.size()) refuse(path, "ends within its header");
    std::int64_t length = 0;
    for (const std::uint8_t byte : big_endian) length = length * 256 + byte;
    file.dimensions.push_back(length);
    if (length == 0 || total > kMostBytes / length) refuse(path, "has a dimension of " + std::to_string(length));
    total *= length;
  }
  file.bytes = reader.read_all(static_cast<std::size_t>(total));
  if (std::cmp_less(file.bytes.size(), total))
    refuse(path, "ends after " + std::to_string(file.bytes.size()) + " of the " + std::to_string(total) +
                     " bytes that its header announces");
  std::uint8_t more = 0;
  if (reader.read(&more, 1) != 0)
    refuse(path, "goes on after the " + std::to_string(total) + " bytes that its header announces");
  return file;
}

}  // namespace

IdxData::IdxData(const std::string& folder, const std::string& prefix, const Network& network)
    : features_(network.input.size()) {
  const fs::path image_path = find_file(folder, prefix + "-images-idx3-ubyte");
  const fs::path label_path = find_file(folder, prefix + "-labels-idx1-ubyte");
  IdxFile images = read_idx(image_path, 3);
  IdxFile labels = read_idx(label_path, 1);
  const Shape shape{1, images.dimensions[1], images.dimensions[2]};
  if (shape != network.input)
    refuse(image_path, "holds images of 1x" + std::to_string(shape.height) + "x" + std::to_string(shape.width) +
                           ", but network '" + network.name + "' takes " + std::to_string(network.input.channels) +
                           "x" + std::to_string(network.input.height) + "x" + std::to_string(network.input.width));
  if (images.dimensions[0] != labels.dimensions[0])
    refuse(label_path, "holds " + std::to_string(labels.dimensions[0]) + " labels for " +
                           std::to_string(images.dimensions[0]) + " images");
  for (std::size_t i = 0; i < labels.bytes.size(); ++i)
    if (labels.bytes[i] >= network.classes())
      refuse(label_path, "label " + std::to_string(i) + " is " + std::to_string(labels.bytes[i]) + "; network '" +
                             network.name + "' has classes 0 to " + std::to_string(network.classes() - 1));
  pixels_ = std::move(images.bytes);
  labels_ = std::move(labels.bytes);
}

}  // namespace simtrain
