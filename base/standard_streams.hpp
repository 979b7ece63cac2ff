// Standard input, output and error, which whoever starts a program may have closed.
#pragma once

namespace simtrain {

// Opens those that are closed: the next file to be opened would get the number of one of them, and what is printed
// would end in that file, a results file for instance. What is written to such a standard output fails (EBADF), as it
// would have; what is written to such a standard error is lost. To be called before any file is opened.
void hold_standard_streams();

}  // namespace simtrain
