#include <algorithm>
#include <cstring>

#include "kernels/execute.hpp"
#include "kernels/vector_units.hpp"
#include "kernels/window.hpp"

namespace simtrain {
namespace {

void copy_row(const float* __restrict image, std::int64_t stride, std::int64_t count, float* __restrict row) {
  if (stride == 1) {
    std::memcpy(row, image, static_cast<std::size_t>(count) * sizeof(float));
  } else {
    for (std::int64_t i = 0; i < count; ++i) row[i] = image[i * stride];
  }
}

void add_row(const float* __restrict row, std::int64_t stride, std::int64_t count, float* __restrict image) {
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) image[i] += row[i];
  } else {
    for (std::int64_t i = 0; i < count; ++i) image[i * stride] += row[i];
  }
}

// One row of the matrix: what position (ky, kx) of the window sees in each image of one channel.
struct Position {
  OutputRange oy, ox;           // outputs for which it lies inside the image
  std::int64_t first_in_image;  // index of the pixel that output (0, 0) sees; may be outside
};

Position position_of(const ConvolutionGeometry& g, std::int64_t ky, std::int64_t kx) {
  const std::int64_t first_row = ky - g.padding + g.row_shift;
  return {outputs_inside(g.out_height, g.in_height, g.stride, first_row),
          outputs_inside(g.out_width, g.in_width, g.stride, kx - g.padding), first_row * g.in_width + kx - g.padding};
}

// visit(channel, position, matrix row) for every row of the matrix, in order.
template <typename Visit>
void for_each_row(const ConvolutionGeometry& g, const Visit& visit) {
  std::int64_t row = 0;
  for (std::int64_t channel = 0; channel < g.in_channels / g.groups; ++channel)
    for (std::int64_t ky = 0; ky < g.kernel_height; ++ky)
      for (std::int64_t kx = 0; kx < g.kernel_width; ++kx) visit(channel, position_of(g, ky, kx), row++);
}

}  // namespace

SIMTRAIN_VECTOR_UNITS void im2col(const ConvolutionGeometry& geometry, const float* image, std::int64_t channel_stride,
                                  std::int64_t samples, float* matrix) {
  const std::int64_t in_pixels = geometry.in_height * geometry.in_width;
  const std::int64_t width = geometry.out_width;
  for_each_row(geometry, [&](std::int64_t channel, const Position& at, std::int64_t row) {
    float* out = matrix + row * samples * geometry.out_pixels();
    const std::int64_t inside = at.ox.end - at.ox.first;
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      const float* in = image + channel * channel_stride + sample * in_pixels;
      std::fill_n(out, at.oy.first * width, 0.0F);
      out += at.oy.first * width;
      for (std::int64_t oy = at.oy.first; oy < at.oy.end; ++oy, out += width) {
        std::fill_n(out, at.ox.first, 0.0F);
        const std::int64_t pixel = at.first_in_image + (oy * geometry.in_width + at.ox.first) * geometry.stride;
        copy_row(in + pixel, geometry.stride, inside, out + at.ox.first);
        std::fill_n(out + at.ox.end, width - at.ox.end, 0.0F);
      }
      std::fill_n(out, (geometry.out_height - at.oy.end) * width, 0.0F);
      out += (geometry.out_height - at.oy.end) * width;
    }
  });
}

SIMTRAIN_VECTOR_UNITS void col2im(const ConvolutionGeometry& geometry, const float* matrix, std::int64_t samples,
                                  float* image, std::int64_t channel_stride) {
  const std::int64_t in_pixels = geometry.in_height * geometry.in_width;
  for (std::int64_t channel = 0; channel < geometry.in_channels / geometry.groups; ++channel)
    std::fill_n(image + channel * channel_stride, samples * in_pixels, 0.0F);
  for_each_row(geometry, [&](std::int64_t channel, const Position& at, std::int64_t row) {
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      const float* in = matrix + (row * samples + sample) * geometry.out_pixels();
      float* out = image + channel * channel_stride + sample * in_pixels;
      for (std::int64_t oy = at.oy.first; oy < at.oy.end; ++oy) {
        const std::int64_t pixel = at.first_in_image + (oy * geometry.in_width + at.ox.first) * geometry.stride;
        add_row(in + oy * geometry.out_width + at.ox.first, geometry.stride, at.ox.end - at.ox.first, out + pixel);
      }
    }
  });
}

}  // namespace simtrain
