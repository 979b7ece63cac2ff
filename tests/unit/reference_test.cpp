// Is the serial reference right? Its gradients against central differences of its own loss.
#include "train/reference.hpp"

#include <gtest/gtest.h>

#include "tests/support/small_networks.hpp"

namespace simtrain {
namespace {

void check_gradients(const std::string& text) {
  const Network network = network_from_json("test", text);
  const SyntheticData data(network, 3);
  // No step, so that the parameters stay where the gradient was taken.
  ReferenceTrainer trainer(network, {.batch = 4, .learning_rate = 0, .momentum = 0, .weight_decay = 0, .dropout = true},
                           3);
  trainer.iterate(0, data);
  const auto gradients = trainer.gradients();
  const double h = 1e-5;
  for (std::size_t layer = 0; layer < gradients.size(); ++layer) {
    const auto check = [&](std::vector<double>& values, const std::vector<double>& gradient, std::size_t stride) {
      for (std::size_t i = 0; i < values.size(); i += stride) {
        const double kept = values[i];
        values[i] = kept + h;
        const double above = trainer.loss_of(0, data);
        values[i] = kept - h;
        const double below = trainer.loss_of(0, data);
        values[i] = kept;
        ASSERT_NEAR((above - below) / (2 * h), gradient[i], 1e-6) << "layer " << layer << " parameter " << i;
      }
    };
    check(trainer.mutable_parameters()[layer].weights, gradients[layer].weights, 7);
    check(trainer.mutable_parameters()[layer].biases, gradients[layer].biases, 1);
    check(trainer.mutable_parameters()[layer].normalisation, gradients[layer].normalisation, 1);
  }
}

TEST(Reference, GradientsOfPerceptron) { check_gradients(kOddMlp); }
TEST(Reference, GradientsOfConvolutions) { check_gradients(kSmallCnn); }

TEST(Reference, GradientsOfResidualNetwork) { check_gradients(kSmallResnet); }
TEST(Reference, GradientsOfJoins) { check_gradients(kJoins); }

}  // namespace
}  // namespace simtrain
