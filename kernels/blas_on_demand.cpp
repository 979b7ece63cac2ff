// The functions of OpenBLAS that we call, by their names, from a library that is loaded at the first call. Linked, it
// would take its time at every start of a program that only simulates: its threads begin when it is loaded, and spin
// for a while on a core that the simulation needs.
#include <cblas.h>
#include <dlfcn.h>

#include <string>

#include "base/error.hpp"

namespace {

constexpr const char* kLibrary = "libopenblas.so.0";

void* symbol(const char* name) {
  static void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const found = library != nullptr ? ::dlsym(library, name) : nullptr;
  if (found == nullptr)
    throw simtrain::Failure(std::string("OpenBLAS (") + kLibrary + ") cannot be loaded: " + ::dlerror());
  return found;
}

template <typename Function>
Function* real(Function* /*ours*/, const char* name) {
  return reinterpret_cast<Function*>(symbol(name));
}

}  // namespace

extern "C" {

void cblas_sgemm(OPENBLAS_CONST enum CBLAS_ORDER order, OPENBLAS_CONST enum CBLAS_TRANSPOSE a_transposed,
                 OPENBLAS_CONST enum CBLAS_TRANSPOSE b_transposed, OPENBLAS_CONST blasint m, OPENBLAS_CONST blasint n,
                 OPENBLAS_CONST blasint k, OPENBLAS_CONST float alpha, OPENBLAS_CONST float* a,
                 OPENBLAS_CONST blasint lda, OPENBLAS_CONST float* b, OPENBLAS_CONST blasint ldb,
                 OPENBLAS_CONST float beta, float* c, OPENBLAS_CONST blasint ldc) {
  static const auto function = real(&cblas_sgemm, "cblas_sgemm");
  function(order, a_transposed, b_transposed, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void openblas_set_num_threads(int threads) { real(&openblas_set_num_threads, "openblas_set_num_threads")(threads); }

int openblas_get_num_threads(void) { return real(&openblas_get_num_threads, "openblas_get_num_threads")(); }

char* openblas_get_config(void) { return real(&openblas_get_config, "openblas_get_config")(); }

char* openblas_get_corename(void) { return real(&openblas_get_corename, "openblas_get_corename")(); }

}  // extern "C"
