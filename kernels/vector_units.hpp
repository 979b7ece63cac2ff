// SIMTRAIN_VECTOR_UNITS before a function that is made of loops: it is compiled for several widths of vectors, and the
// program takes the widest that the processor has, when it starts. The programs themselves are built for any processor
// of the architecture, so that without this a loop would use the narrowest.
//
// Whatever the function calls is inlined first (flatten): a function called from it would stay narrow. With
// -ffp-contract=off (kernels/CMakeLists.txt) every width computes the same bits.
#pragma once

// The choice is made before the sanitizers are ready: under them there is only one.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define SIMTRAIN_VECTOR_UNITS __attribute__((flatten, target_clones("avx512f", "avx2", "default")))
#else
#define SIMTRAIN_VECTOR_UNITS
#endif
