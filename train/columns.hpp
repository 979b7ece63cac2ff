// Linear layers split by columns of W over the grid's rows (LayerKind::columns), as Megatron-LM splits the second of
// two consecutive linear layers (Shoeybi et al., arXiv 1909.08053, section 3): the ranks of a grid column have the rows
// of X that the layer before, split by rows, leaves with them, and Y is the sum of their products.
//   two integrated layers   all-gather of Y1, all-gather of Y2, all-reduce of dX2, all-reduce of dX1
//   integrated, columns                       all-reduce of Y2,                    all-reduce of dX1
// Which layers may be split so, and what that means for those around them. Here `strategies` has one for each layer of
// the network, and results have an entry for each.
#pragma once

#include <vector>

#include "train/network.hpp"
#include "train/strategy.hpp"

namespace simtrain {

// Whether activations of two layers are on the same ranks in the same way, so that one reads what the other puts out.
bool lie_alike(const LayerStrategy& a, const LayerStrategy& b);

// Whether a layer ends a pair: linear layers all of whose inputs come, through layers without weights, from linear ones
// that end none. Of a chain of linear layers these are the second, the fourth, ... Batch normalisation works on own
// rows only: it may follow the first of a pair, not the second.
std::vector<char> ends_of_pairs(const Network& network);

// InputError naming the layer when one that is to be split by columns is no linear layer, or is followed by batch
// normalisation, or when its input comes from another such layer on the same grid, through layers without weights if
// any: nothing would bring the rows of dX together, all of which that one needs.
void check_columns(const Network& network, const std::vector<LayerStrategy>& strategies);

// Whether anybody needs all rows of what a layer puts out: not where layers split by columns alone read it on the same
// grid, through layers without weights if any.
std::vector<char> read_whole(const Network& network, const std::vector<LayerStrategy>& strategies);

}  // namespace simtrain
