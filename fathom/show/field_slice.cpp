// Rendering of field slices.
#include <fathom/show/field_slice.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/smooth_grid.h>
#include <fathom/show/image.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr Color ink = {24, 26, 32};
constexpr Color unknown = {128, 128, 128}; // for NaN
constexpr double zero_width = 2.4;         // pixels
constexpr double line_width = 1.0;

// 1, 2 or 5 times a power of ten, at least x.
double round_number(double x) {
    const double power = std::pow(10.0, std::floor(std::log10(x)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= x * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

Box shown_box(const Field& field, const SliceOptions& options) {
    if (!options.box.empty()) return options.box;
    const Box bounds = field.bounds();
    if (bounds.empty() || !is_finite(bounds.lower) || !is_finite(bounds.upper))
        throw Error(Cause::invalid_argument, "the field has no finite bounds; a box is required",
                    {.element = "option box"});
    return intersection(bounds.grown(0.125 * bounds.size().maxCoeff()), field.domain());
}

void check(const SliceOptions& options, const Box& box) {
    const auto refuse = [](const char* reason, const char* element) {
        throw Error(Cause::invalid_argument, reason, {.element = element});
    };
    if (options.axis < 0 || options.axis > 2) refuse("must be 0, 1 or 2", "option axis");
    if (options.size < 8 || options.size > 16384) refuse("must be from 8 to 16384", "option size");
    if (!(options.spacing >= 0 && std::isfinite(options.spacing))) refuse("must be positive, or 0", "option spacing");
    if (options.position && !std::isfinite(*options.position)) refuse("must be finite", "option position");
    if (!is_finite(box.lower) || !is_finite(box.upper) || !(box.size().maxCoeff() > 0))
        refuse("must be finite and not empty", "option box");
}

// ---- Colours.

double linear_light(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }
double encoded_light(double l) { return l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055; }

Vec3 to_lab(const Color& color) {
    Vec3 rgb;
    for (std::size_t c = 0; c < 3; ++c) rgb[static_cast<Eigen::Index>(c)] = linear_light(color[c] / 255.0);
    Mat3 to_cones, to_opponents;
    to_cones << 0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619,
        0.2817188376, 0.6299787005;
    to_opponents << 0.2104542553, 0.7936177850, -0.0040720468, 1.9779984951, -2.4285922050, 0.4505937099, 0.0259040371,
        0.7827717662, -0.8086757660;
    return to_opponents * (to_cones * rgb).array().pow(1.0 / 3).matrix();
}

Color from_lab(const Vec3& lab) {
    Mat3 to_cones, to_light;
    to_cones << 1, 0.3963377774, 0.2158037573, 1, -0.1055613458, -0.0638541728, 1, -0.0894841775, -1.2914855480;
    to_light << 4.0767416621, -3.3077115913, 0.2309699292, -1.2684380046, 2.6097574011, -0.3413193965, -0.0041960863,
        -0.7034186147, 1.7076147010;
    const Vec3 rgb = to_light * (to_cones * lab).array().cube().matrix();
    Color color;
    for (std::size_t c = 0; c < 3; ++c)
        color[c] = static_cast<std::uint8_t>(
            std::lround(255 * encoded_light(std::clamp(rgb[static_cast<Eigen::Index>(c)], 0.0, 1.0))));
    return color;
}

Color mixed(const Color& a, const Color& b, double share) {
    Color color;
    for (std::size_t c = 0; c < 3; ++c) color[c] = static_cast<std::uint8_t>(std::lround(a[c] + share * (b[c] - a[c])));
    return color;
}

// Colour from pale at the surface to saturated at `reach` metres from it, changing faster near the surface.
class Palette {
public:
    explicit Palette(double reach) : reach_(reach) {
        fill(inside_, {222, 236, 250}, {104, 163, 220}, {26, 74, 140});
        fill(outside_, {255, 240, 220}, {246, 178, 107}, {190, 92, 24});
    }
    [[nodiscard]] const Color& operator()(double value) const {
        if (std::isnan(value)) return unknown;
        const double t = std::min(std::abs(value) / reach_, 1.0);
        return (value < 0 ? inside_ : outside_)[static_cast<std::size_t>(255 * std::sqrt(t))];
    }

private:
    static void fill(std::array<Color, 256>& ramp, const Color& pale, const Color& middle, const Color& deep) {
        const Vec3 a = to_lab(pale), b = to_lab(middle), c = to_lab(deep);
        for (int n = 0; n < 256; ++n) {
            const double t = n / 127.5;
            ramp[static_cast<std::size_t>(n)] = from_lab(t <= 1 ? Vec3(a + t * (b - a)) : Vec3(b + (t - 1) * (c - b)));
        }
    }

    double reach_;
    std::array<Color, 256> inside_, outside_;
};

// ---- Lines.

// Fraction of a pixel covered by a line of this width whose centre is `away` pixels from it.
double coverage(double away, double width) { return std::clamp(0.5 * width + 0.5 - away, 0.0, 1.0); }

// Values at the centres of the pixels, including a border of one pixel.
class Raster {
public:
    Raster(const Field& field, const SliceFrame& frame)
        : width_(frame.width + 2),
          values_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(frame.height + 2)) {
        parallel_for(static_cast<std::size_t>(frame.height + 2), 8, [&](std::size_t begin, std::size_t end) {
            std::vector<Vec3> points(static_cast<std::size_t>(width_));
            for (std::size_t y = begin; y < end; ++y) {
                for (std::size_t x = 0; x < points.size(); ++x)
                    points[x] = frame.point(static_cast<double>(x) - 0.5, static_cast<double>(y) - 0.5);
                field.distances(points, std::span(values_).subspan(y * points.size(), points.size()));
            }
        });
    }

    [[nodiscard]] double at(int x, int y) const {
        return values_[static_cast<std::size_t>(y + 1) * static_cast<std::size_t>(width_) +
                       static_cast<std::size_t>(x + 1)];
    }

    // Change per pixel: the larger of the one-sided differences, since central differences cancel on a ridge.
    [[nodiscard]] double steepness(int x, int y) const {
        const double v = at(x, y);
        return std::hypot(std::max(std::abs(at(x + 1, y) - v), std::abs(v - at(x - 1, y))),
                          std::max(std::abs(at(x, y + 1) - v), std::abs(v - at(x, y - 1))));
    }

private:
    int width_;
    std::vector<double> values_;
};

// Opacity of the outlines of bricks and cells at a point of a slice through a grid.
class CellLines {
public:
    CellLines(const GridData& grid, const SliceFrame& frame) : grid_(grid) {
        for (int k = 0; k < 3; ++k) per_pixel_[k] = std::hypot(frame.right[k], frame.down[k]) / grid.layout.cell;
    }

    [[nodiscard]] double operator()(const Vec3& p) const {
        const Vec3 g = (p - grid_.layout.origin) / grid_.layout.cell;
        double strength = 0;
        for (int k = 0; k < 3; ++k) {
            if (per_pixel_[k] < 1e-9) continue; // parallel to the slice
            const double brick = std::round(g[k] / brick_cells);
            const double shown = coverage(std::abs(g[k] - brick * brick_cells) / per_pixel_[k], 1);
            if (shown > 0) {
                const bool stored =
                    is_stored(g, k, static_cast<int>(brick) - 1) || is_stored(g, k, static_cast<int>(brick));
                strength = std::max(strength, shown * (stored ? 0.6 : 0.22));
            }
            const double cells_apart = 1 / per_pixel_[k]; // pixels
            if (cells_apart >= 8 && is_stored(g, k, static_cast<int>(std::floor(g[k] / brick_cells))))
                strength = std::max(strength, 0.16 * coverage(std::abs(g[k] - std::round(g[k])) / per_pixel_[k], 1));
        }
        return strength;
    }

private:
    // True if the brick of g, with its position along one axis replaced, is stored.
    [[nodiscard]] bool is_stored(const Vec3& g, int axis, int place) const {
        std::array<int, 3> brick;
        for (int k = 0; k < 3; ++k) {
            const auto n = static_cast<std::size_t>(k);
            brick[n] = k == axis ? place : static_cast<int>(std::floor(g[k] / brick_cells));
            if (brick[n] < 0 || brick[n] >= grid_.layout.bricks[n]) return false;
        }
        return grid_.brick_of[grid_.layout.brick_index(brick)] != no_index;
    }

    const GridData& grid_;
    Vec3 per_pixel_;
};

// ---- The image.

// Colour and lines of one value; `steepness` is its change per pixel.
Color shaded(const Palette& palette, double value, double steepness, double spacing, bool lines) {
    Color color = palette(value);
    if (std::isnan(value) || !(steepness > 0)) return color;
    if (lines) {
        const double nearest = std::round(value / spacing);
        const double apart = spacing / steepness; // distance in pixels; dense lines fade
        const double fade = std::clamp((apart - 2) / 4, 0.0, 1.0);
        const bool fifth = std::fmod(std::abs(nearest), 5) == 0;
        const double cover =
            coverage(std::abs(value - nearest * spacing) / steepness, fifth ? 1.5 * line_width : line_width);
        if (nearest != 0) color = mixed(color, ink, fade * cover * (fifth ? 0.55 : 0.28));
    }
    return mixed(color, ink, coverage(std::abs(value) / steepness, zero_width));
}

// Range of the finite values in the image and the domain.
Interval shown_values(const Field& field, const SliceFrame& frame, const Raster& raster) {
    const Box domain = field.domain();
    Interval shown = Interval::none();
    for (int y = 0; y < frame.height; ++y)
        for (int x = 0; x < frame.width; ++x)
            if (std::isfinite(raster.at(x, y)) && domain.contains(frame.point(x + 0.5, y + 0.5)))
                shown = hull(shown, Interval(raster.at(x, y)));
    return shown;
}

double largest(const Interval& values) {
    const double most = values.empty() ? 0 : std::max(std::abs(values.lower), std::abs(values.upper));
    return most > 0 ? most : 1;
}

constexpr int scale_gap = 24, scale_bar = 22, scale_room = 126; // pixels

// Colour scale of the values of the image, the largest at the top.
void draw_scale(Image& image, const SliceFrame& frame, const Palette& palette, const Interval& shown) {
    const int left = frame.width + scale_gap, top = scale_gap, bottom = frame.height - scale_gap;
    if (bottom - top < 40 || !(shown.width() > 0)) return;
    const double lowest = shown.lower, highest = shown.upper, per_pixel = shown.width() / (bottom - top);
    for (int y = top; y < bottom; ++y) {
        const double value = highest - (y - top + 0.5) * per_pixel;
        for (int x = left; x < left + scale_bar; ++x)
            image.at(x, y) = mixed(palette(value), ink, coverage(std::abs(value) / per_pixel, zero_width));
    }
    const double step = round_number(std::max(frame.spacing, 28 * per_pixel));
    for (double n = std::ceil(lowest / step); n * step <= highest; ++n) {
        const int y = top + static_cast<int>(std::lround((highest - n * step) / per_pixel - 0.5));
        if (y < top || y >= bottom) continue;
        for (int x = left + scale_bar; x < left + scale_bar + 6; ++x) image.at(x, y) = ink;
        draw_text(image, left + scale_bar + 11, y - 6, fmt::format("{:.4g}", n == 0 ? 0.0 : n * step), ink, 2);
    }
}

} // namespace

Vec2 SliceFrame::pixel(const Vec3& p) const {
    return {(p - corner).dot(right) / right.squaredNorm(), (p - corner).dot(down) / down.squaredNorm()};
}

SliceFrame slice_frame(const Field& field, const SliceOptions& options) {
    const Box box = shown_box(field, options);
    check(options, box);
    Vec3 right = Vec3::Unit(options.axis == 0 ? 1 : 0), up = Vec3::Unit(options.axis == 2 ? 1 : 2),
         on_plane = box.center();
    if (options.position) on_plane[options.axis] = *options.position;
    if (options.plane) {
        right = options.plane->rotate(Vec3::UnitX());
        up = options.plane->rotate(Vec3::UnitY());
        on_plane = options.plane->translation;
    }
    // Projection of the box onto the plane.
    const Vec3 normal = right.cross(up);
    const Vec3 middle = box.center() - normal * normal.dot(box.center() - on_plane);
    const double wide = right.cwiseAbs().dot(box.size()), high = up.cwiseAbs().dot(box.size());
    const double pixel = std::max(wide, high) / options.size;
    SliceFrame frame;
    frame.width = std::max(1, static_cast<int>(std::lround(wide / pixel)));
    frame.height = std::max(1, static_cast<int>(std::lround(high / pixel)));
    frame.right = pixel * right;
    frame.down = -pixel * up;
    frame.corner = middle - 0.5 * frame.width * frame.right - 0.5 * frame.height * frame.down;
    frame.spacing = options.spacing > 0 ? options.spacing : round_number(std::max(wide, high) / 40);
    return frame;
}

Image draw_slice(const Field& field, const SliceOptions& options) {
    const SliceFrame frame = slice_frame(field, options);
    const Raster raster(field, frame);
    const Interval shown = shown_values(field, frame, raster);
    const Palette palette(largest(shown));
    const GridData* grid = options.cells ? field.grid_data() : nullptr;
    const std::optional<CellLines> cells = grid ? std::optional<CellLines>(std::in_place, *grid, frame) : std::nullopt;
    const Box domain = field.domain();
    Image image(frame.width + (options.scale ? scale_room : 0), frame.height, options.background);
    parallel_for(static_cast<std::size_t>(frame.height), 8, [&](std::size_t begin, std::size_t end) {
        for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y)
            for (int x = 0; x < frame.width; ++x) {
                const Vec3 p = frame.point(x + 0.5, y + 0.5);
                if (!domain.contains(p)) continue;
                const Color color =
                    shaded(palette, raster.at(x, y), raster.steepness(x, y), frame.spacing, options.lines);
                image.at(x, y) = cells ? mixed(color, ink, (*cells)(p)) : color;
            }
    });
    if (options.scale) draw_scale(image, frame, palette, shown);
    return image;
}

} // namespace fathom
