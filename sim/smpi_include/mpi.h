/* What <mpi.h> means for sources compiled against SMPI. SimGrid's own smpi/mpi.h also defines macros such as SEED. */
#include <smpi/smpi.h>
