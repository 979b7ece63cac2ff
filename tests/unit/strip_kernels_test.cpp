// Do convolution and pooling of strips put out what those of the whole image do, line for line? The whole ones are held
// against their definitions elsewhere (convolution_test.cpp, pooling_test.cpp).
#include <gtest/gtest.h>

#include "kernels/blas_kernels.hpp"
#include "tests/support/kernel_buffers.hpp"
#include "train/strips.hpp"

namespace simtrain {
namespace {

// Lines [lines.first, lines.end()) of planes of images.
Floats cut(const Floats& images, std::int64_t planes, std::int64_t height, std::int64_t width, Lines lines) {
  Floats part;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    const auto first = images.begin() + (plane * height + lines.first) * width;
    part.insert(part.end(), first, first + lines.count * width);
  }
  return part;
}

void expect_near(const Floats& found, const Floats& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 2e-4) << "element " << i;
}

struct Case {
  std::int64_t height, kernel, stride, padding, groups;
};
const std::vector<Case> kCases{{13, 5, 1, 2, 1}, {13, 3, 2, 1, 2}, {12, 3, 2, 0, 1}, {9, 1, 1, 0, 1},
                               {9, 1, 2, 0, 2},  {7, 7, 1, 3, 1},  {5, 2, 1, 2, 1},  {6, 4, 4, 1, 1}};
constexpr std::int64_t kInChannels = 4, kOutChannels = 6, kWidth = 7, kSamples = 3;

struct Whole {
  ConvolutionGeometry geometry;
  Floats x, w, y, dy, dx, dw;

  explicit Whole(const Case& one) {
    const auto outputs = [&](std::int64_t in) { return (in + 2 * one.padding - one.kernel) / one.stride + 1; };
    geometry = {kInChannels, one.height, kWidth,     kOutChannels, outputs(one.height), outputs(kWidth),
                one.kernel,  one.kernel, one.stride, one.padding,  one.groups};
    const std::int64_t ins = kInChannels * kSamples * one.height * kWidth;
    const std::int64_t outs = kOutChannels * kSamples * geometry.out_pixels(),
                       weights = kOutChannels * geometry.patch();
    x = random_floats(ins, 1);
    w = random_floats(weights, 2);
    dy = random_floats(outs, 3);
    y = garbage(outs);
    dx = garbage(ins);
    dw = garbage(weights);
    run(ConvolutionPass::forward, geometry, x, w, y);
    run(ConvolutionPass::data_gradient, geometry, dy, w, dx);
    run(ConvolutionPass::weight_gradient, geometry, dy, x, dw);
  }
  static void run(ConvolutionPass pass, const ConvolutionGeometry& g, Floats& a, Floats& b, Floats& out,
                  Lines rows = {0, Convolution::kAllRows}) {
    const Convolution op{pass, g, 0, kOutChannels, kSamples, rows.first, rows.count};
    Floats workspace = garbage(workspace_floats(op) + 1);  // with a guard behind it
    execute(op, {buffer(a), buffer(b), buffer(out), buffer(workspace)});
    EXPECT_EQ(workspace.back(), 12345.0F);
  }
};

TEST(StripKernels, ConvolutionsOfStripsMakeUpTheWhole) {
  for (const Case& one : kCases) {
    Whole whole(one);
    const ConvolutionGeometry& g = whole.geometry;
    for (const int strips : {1, 2, 3, 5, 8}) {
      SCOPED_TRACE(std::to_string(one.height) + " lines, window " + std::to_string(one.kernel) + ", " +
                   std::to_string(strips) + " strips");
      const Strips windows{one.height, {g.out_height, strips}, one.kernel, one.stride, one.padding};
      const Strips image{one.height, {one.height, strips}};
      Floats dx(whole.x.size()), dw(whole.w.size());
      for (int strip = 0; strip < strips; ++strip) {
        const Lines in = windows.of(strip), out{windows.outputs.offset(strip), windows.outputs.length(strip)};
        ConvolutionGeometry part = g;
        part.in_height = in.count;
        part.out_height = out.count;
        part.row_shift = out.first * one.stride - in.first;
        Floats x = cut(whole.x, kInChannels * kSamples, one.height, kWidth, in);
        Floats dy = cut(whole.dy, kOutChannels * kSamples, g.out_height, g.out_width, out);

        // Forward at once, and the inside first.
        const Floats expected = cut(whole.y, kOutChannels * kSamples, g.out_height, g.out_width, out);
        Floats at_once = garbage(static_cast<std::int64_t>(expected.size())), in_parts = at_once;
        Whole::run(ConvolutionPass::forward, part, x, whole.w, at_once);
        ASSERT_NO_FATAL_FAILURE(expect_near(at_once, expected));
        const Lines inside = interior_of(windows, image, strip);
        // The inside sees own lines only: what is not there yet must not matter.
        Floats unfinished = x;
        const Lines own = image.of(strip);
        for (std::size_t i = 0; i < unfinished.size(); ++i) {
          const std::int64_t line = in.first + static_cast<std::int64_t>(i) / kWidth % in.count;
          if (line < own.first || line >= own.end()) unfinished[i] = 1e9F;
        }
        Whole::run(ConvolutionPass::forward, part, unfinished, whole.w, in_parts, inside);
        Whole::run(ConvolutionPass::forward, part, x, whole.w, in_parts, {0, inside.first});
        Whole::run(ConvolutionPass::forward, part, x, whole.w, in_parts, {inside.end(), out.count - inside.end()});
        ASSERT_NO_FATAL_FAILURE(expect_near(in_parts, expected));

        Floats part_dx = garbage(static_cast<std::int64_t>(x.size())),
               part_dw = garbage(static_cast<std::int64_t>(dw.size()));
        Whole::run(ConvolutionPass::data_gradient, part, dy, whole.w, part_dx);
        Whole::run(ConvolutionPass::weight_gradient, part, dy, x, part_dw);
        for (std::size_t i = 0; i < dw.size(); ++i) dw[i] += part_dw[i];
        for (std::size_t i = 0; i < part_dx.size(); ++i) {
          const std::int64_t plane = static_cast<std::int64_t>(i) / (in.count * kWidth);
          const std::int64_t at = static_cast<std::int64_t>(i) % (in.count * kWidth);
          dx[static_cast<std::size_t>((plane * one.height + in.first) * kWidth + at)] += part_dx[i];
        }
      }
      ASSERT_NO_FATAL_FAILURE(expect_near(dx, whole.dx));
      ASSERT_NO_FATAL_FAILURE(expect_near(dw, whole.dw));
    }
  }
}

TEST(StripKernels, PoolingsOfStripsMakeUpTheWhole) {
  constexpr std::int64_t kPlanes = 5;
  for (const Case& one :
       {Case{13, 3, 2, 0, 1}, Case{13, 3, 2, 1, 1}, Case{8, 2, 2, 0, 1}, Case{7, 3, 1, 1, 1}, Case{6, 5, 3, 2, 1}})
    for (const PoolingKind kind : {PoolingKind::max, PoolingKind::average}) {
      const auto outputs = [&](std::int64_t in) { return (in + 2 * one.padding - one.kernel) / one.stride + 1; };
      const std::int64_t out_height = outputs(one.height), out_width = outputs(kWidth);
      const auto pooling = [&](PoolingPass pass, std::int64_t in, std::int64_t out, std::int64_t shift) {
        return Pooling{kind, pass, kPlanes, in, kWidth, out, out_width, one.kernel, one.stride, one.padding, shift};
      };
      Floats x = random_floats(kPlanes * one.height * kWidth, 1),
             dy = random_floats(kPlanes * out_height * out_width, 2);
      Floats y(dy.size()), expected_dx(x.size());
      execute(pooling(PoolingPass::forward, one.height, out_height, 0), {buffer(x), buffer(y)});
      execute(pooling(PoolingPass::gradient, one.height, out_height, 0),
              {buffer(dy), buffer(x), buffer(y), buffer(expected_dx)});
      for (const int strips : {2, 3, 8}) {
        const Strips windows{one.height, {out_height, strips}, one.kernel, one.stride, one.padding};
        Floats dx(x.size());
        for (int strip = 0; strip < strips; ++strip) {
          const Lines in = windows.of(strip), out{windows.outputs.offset(strip), windows.outputs.length(strip)};
          const std::int64_t shift = out.first * one.stride - in.first;
          Floats part_x = cut(x, kPlanes, one.height, kWidth, in);
          const Floats expected = cut(y, kPlanes, out_height, out_width, out);
          Floats part_y = garbage(static_cast<std::int64_t>(expected.size()));
          execute(pooling(PoolingPass::forward, in.count, out.count, shift), {buffer(part_x), buffer(part_y)});
          ASSERT_EQ(part_y, expected) << strips << " strips";
          Floats part_dy = cut(dy, kPlanes, out_height, out_width, out);
          Floats part_dx = garbage(static_cast<std::int64_t>(part_x.size()));
          execute(pooling(PoolingPass::gradient, in.count, out.count, shift),
                  {buffer(part_dy), buffer(part_x), buffer(part_y), buffer(part_dx)});
          for (std::size_t i = 0; i < part_dx.size(); ++i) {
            const std::int64_t plane = static_cast<std::int64_t>(i) / (in.count * kWidth);
            const std::int64_t at = static_cast<std::int64_t>(i) % (in.count * kWidth);
            dx[static_cast<std::size_t>((plane * one.height + in.first) * kWidth + at)] += part_dx[i];
          }
        }
        ASSERT_NO_FATAL_FAILURE(expect_near(dx, expected_dx));
      }
    }
}

// Pixels of a strip are dropped as those of the whole image are.
TEST(StripKernels, DropoutKnowsThePlaceInTheImage) {
  constexpr std::int64_t kChannels = 3, kHeight = 5, kPixels = kHeight * kWidth;
  Floats x = random_floats(kChannels * kSamples * kPixels, 1), y(x.size());
  const Dropout whole{kChannels, kSamples, kPixels, 0, 4, 0.5F, 7, 2, 1};
  execute(whole, {buffer(x), buffer(y)});
  for (const Lines lines : {Lines{0, 2}, Lines{2, 3}}) {
    Floats part = cut(x, kChannels * kSamples, kHeight, kWidth, lines), out(part.size());
    Dropout strip = whole;
    strip.pixels = lines.count * kWidth;
    strip.first_feature = lines.first * kWidth;
    strip.row_features = kPixels;
    execute(strip, {buffer(part), buffer(out)});
    EXPECT_EQ(out, cut(y, kChannels * kSamples, kHeight, kWidth, lines));
  }
}

}  // namespace
}  // namespace simtrain
