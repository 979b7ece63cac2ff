#include "base/digest.hpp"

#include <openssl/evp.h>

#include <array>

#include "base/error.hpp"

namespace simtrain {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw Failure("SHA-256 is not available in this OpenSSL");
  std::string text;
  for (unsigned int i = 0; i < length; ++i)
    for (const int shift : {4, 0}) text += "0123456789abcdef"[static_cast<unsigned int>(digest[i]) >> shift & 15U];
  return text;
}

}  // namespace simtrain
