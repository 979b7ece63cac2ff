// What one writes first: the traffic of one AlexNet iteration of the 1.5D algorithm on a Pr x Pc grid, with the MPI
// library's collectives on real buffers, run by smpirun. It computes nothing. bench/speed.py compares simtrain with it.
//
//   smpirun -np 256 -platform torus.xml naive_smpi 32x8 2048
//
// Layers as in Gholami et al., arXiv 1712.04432; what leaves a convolution is counted after pooling. Per layer i:
//   forward    all-gather of Y:  d_i x (B/Pc) over the Pr ranks of a grid column
//   backward   all-reduce of dX: d_{i-1} x (B/Pc) over the same ranks, none for the first layer
//              all-reduce of dW: |W_i|/Pr over the Pc ranks of a grid row
// Rank 0 prints the simulated seconds.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

struct Layer {
  long outputs;  // d_i, after pooling
  long weights;  // |W_i|
};

const Layer layers[] = {
    {69984, 34848}, {43264, 307200},  {64896, 884736},  {64896, 663552},
    {9216, 442368}, {4096, 37748736}, {4096, 16777216}, {1000, 4096000},
};
const int layer_count = sizeof(layers) / sizeof(layers[0]);

// Not written yet. Ends the job when there is no memory.
float* make_buffer(long count) {
  float* buffer = static_cast<float*>(malloc(static_cast<size_t>(count) * sizeof(float)));
  if (buffer == nullptr) {
    fprintf(stderr, "naive_smpi: error: no memory for %ld floats\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return buffer;
}

// Written, as by the layer's computation.
float* make_values(long count) {
  float* values = make_buffer(count);
  for (long i = 0; i < count; ++i) values[i] = 1;
  return values;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int rows = 0;
  int columns = 0;
  long batch = argc > 2 ? atol(argv[2]) : 0;
  if (argc != 3 || sscanf(argv[1], "%dx%d", &rows, &columns) != 2 || rows * columns != size || batch < columns) {
    if (rank == 0) fprintf(stderr, "naive_smpi: error: expected ROWSxCOLUMNS of %d ranks and a batch\n", size);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm column;  // the Pr ranks that share samples
  MPI_Comm row;     // the Pc ranks that share a block of the weights
  MPI_Comm_split(MPI_COMM_WORLD, rank / rows, rank, &column);
  MPI_Comm_split(MPI_COMM_WORLD, rank % rows, rank, &row);
  const long samples = batch / columns;

  const double start = MPI_Wtime();
  for (int i = 0; i < layer_count; ++i) {
    const long block = (layers[i].outputs + rows - 1) / rows * samples;  // the same on all ranks, as MPI_Allgather asks
    float* mine = make_values(block);
    float* all = make_buffer(block * rows);
    MPI_Allgather(mine, static_cast<int>(block), MPI_FLOAT, all, static_cast<int>(block), MPI_FLOAT, column);
    free(mine);
    free(all);
  }
  for (int i = layer_count - 1; i >= 0; --i) {
    if (i > 0) {
      const long count = layers[i - 1].outputs * samples;
      float* gradient = make_values(count);
      MPI_Allreduce(MPI_IN_PLACE, gradient, static_cast<int>(count), MPI_FLOAT, MPI_SUM, column);
      free(gradient);
    }
    const long count = (layers[i].weights + rows - 1) / rows;
    float* gradient = make_values(count);
    MPI_Allreduce(MPI_IN_PLACE, gradient, static_cast<int>(count), MPI_FLOAT, MPI_SUM, row);
    free(gradient);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("simulated %.9f s\n", MPI_Wtime() - start);
  MPI_Finalize();
  return 0;
}
