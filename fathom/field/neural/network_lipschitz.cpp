// Bounds on the slope of a network: in a box by propagating intervals of derivatives backward, over the domain by
// splitting the worst boxes first, and by the norms of its layers if that bound is smaller.
#include <fathom/field/neural/network_range.h>

#include <fathom/base/parallel.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t symbols_per_layer = 32; // a multiple of four
constexpr double few = 1 + 1e-9;              // more than covers the rounding of sums of magnitudes in double

// Each derivative lies within centre +- radius; all of a layer together lie within a sphere of radius `length`.
struct Slopes {
    std::vector<double> centre, radius;
    std::vector<double> length; // layer by layer, then of the encoded point
};

Interval slope_of(Activation activation, float parameter, const Interval& z) {
    const Interval p(static_cast<double>(parameter));
    switch (activation) {
    case Activation::none:
        return 1.0;
    case Activation::relu:
        return {z.lower > 0 ? 1.0 : 0.0, z.upper > 0 ? 1.0 : 0.0};
    case Activation::elu: {
        const Interval below = p * exp(Interval(std::min(z.lower, 0.0), std::min(z.upper, 0.0)));
        return z.lower > 0 ? Interval(1.0) : z.upper >= 0 ? hull(below, 1.0) : below;
    }
    case Activation::tanh: {
        const Interval t = tanh(z), s = Interval(1.0) - square(t);
        return {std::max(s.lower, 0.0), s.upper};
    }
    case Activation::sine: {
        const Interval phase = p * z;
        return std::max(std::abs(phase.lower), std::abs(phase.upper)) < 1e6 ? p * cos(phase)
                                                                            : Interval(-p.upper, p.upper);
    }
    case Activation::softplus: {
        const auto logistic = [&](double x) { return Interval(1.0) / (exp(-(p * Interval(x))) + 1.0); };
        return {std::max(logistic(z.lower).lower, 0.0), std::min(logistic(z.upper).upper, 1.0)};
    }
    }
    return Interval::all();
}

void multiply(double& centre, double& radius, const Interval& by) {
    const double middle = by.middle(), half = 0.5 * by.width() * few + 1e-15 * std::abs(middle);
    radius = radius * (std::abs(middle) + half) + std::abs(centre) * half;
    centre *= middle;
}

// Applies the activations to the derivatives of a layer; returns a bound on the norm of their uncertainty afterwards.
template <class SlopeOf>
double pass_activations(const RangeLayer& layer, std::size_t k, Slopes& slopes, SlopeOf slope_of_unit) {
    double fresh = 0, largest = 0, squares = 0;
    for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u) {
        const Interval by = slope_of_unit(u);
        const double half = 0.5 * by.width() * few + 1e-15;
        fresh += std::pow(slopes.centre[u] * half, 2);
        largest = std::max({largest, std::abs(by.lower), std::abs(by.upper)});
        multiply(slopes.centre[u], slopes.radius[u], by);
        squares += slopes.radius[u] * slopes.radius[u];
    }
    return few * std::min(std::sqrt(squares), std::sqrt(fresh) + largest * few * slopes.length[k]);
}

// Adds the layer's derivatives, times its weights, to those of its inputs.
void pass_back(const RangeProgram& program, const RangeLayer& layer, Slopes& slopes) {
    const float* weights = program.by_output.data() + layer.by_output;
    for (std::size_t o = layer.start; o < layer.start + layer.outputs; ++o)
        for (const UnitSpan& span : program.inputs(layer)) {
            const double c = slopes.centre[o], r = slopes.radius[o];
            for (std::size_t i = 0; i < span.count; ++i) {
                const double w = static_cast<double>(weights[i]);
                slopes.centre[span.start + i] += c * w;
                slopes.radius[span.start + i] += r * std::abs(w);
            }
            weights += in_tiles(span.count);
        }
}

// Squaring matrices up to this size takes negligible time.
constexpr std::size_t largest_squared = 256;

// Weights without padding.
std::vector<double> dense(const RangeProgram& program, const RangeLayer& layer) {
    std::vector<double> all;
    const float* weights = program.by_output.data() + layer.by_output;
    for (std::size_t o = 0; o < layer.outputs; ++o)
        for (const UnitSpan& span : program.inputs(layer)) {
            all.insert(all.end(), weights, weights + span.count);
            weights += in_tiles(span.count);
        }
    return all;
}

// a a^T of a matrix of n rows; `added` bounds the Frobenius norm of its rounding.
std::vector<double> product_with_transpose(const std::vector<double>& a, std::size_t n, double& added) {
    const std::size_t inner = a.size() / n;
    std::vector<double> result(n * n);
    double squares = 0;
    for (const double x : a) squares += x * x;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < inner; ++k) sum += a[i * inner + k] * a[j * inner + k];
            result[i * n + j] = result[j * n + i] = sum;
        }
    // The norm of |a| |a|^T is at most the squared norm of a.
    added = static_cast<double>(inner + 2) * 0x1p-52 * squares;
    return result;
}

double frobenius(const std::vector<double>& a) {
    double squares = 0;
    for (const double x : a) squares += x * x;
    return few * std::sqrt(squares);
}

// A bound on the spectral norm of the layer's weights: by row and column sums, and by |W|^2 = |W W^T|, |G|^2 = |G^2|,
// repeated while it pays; the last norm is the Frobenius norm, which with 8 powers is at most n^(1/16) too large.
double norm_bound(const RangeProgram& program, const RangeLayer& layer) {
    std::vector<double> a = dense(program, layer);
    const std::size_t n = layer.outputs, inner = a.size() / n;
    std::vector<double> columns(inner, 0.0);
    double largest_row = 0;
    for (std::size_t o = 0; o < n; ++o) {
        double sum = 0;
        for (std::size_t i = 0; i < inner; ++i)
            sum += std::abs(a[o * inner + i]), columns[i] += std::abs(a[o * inner + i]);
        largest_row = std::max(largest_row, sum);
    }
    double best =
        few * std::min(frobenius(a), std::sqrt(largest_row * *std::max_element(columns.begin(), columns.end())));
    if (n > largest_squared) return best;
    // norm(W)^power <= scale * (norm(a) + error): `a` is scaled to 1 after each product, so that nothing overflows.
    double power = 1, log_scale = 0, error = 0;
    for (int k = 0; k < 4; ++k) {
        double added = 0;
        const double size = frobenius(a);
        if (!(size > 0)) return best;
        a = product_with_transpose(a, n, added);
        error = error * (2 * size + error) + added; // error of the product from those of its factors
        power *= 2, log_scale *= 2;
        const double now = frobenius(a);
        best = std::min(best, std::exp((std::log(now + error) + log_scale) / power) * (1 + 1e-9));
        if (!(now > 0)) return best;
        for (double& x : a) x /= now;
        error = error / now * few + 0x1p-52, log_scale += std::log(now);
    }
    return best;
}

// The layer whose units start there; the number of layers for the encoded point.
std::size_t layer_at(const RangeProgram& program, std::size_t start) {
    for (std::size_t k = 0; k < program.layers.size(); ++k)
        if (program.layers[k].start == start) return k;
    return program.layers.size();
}

struct Piece {
    Box box;
    double bound = infinity;
    bool operator<(const Piece& o) const { return bound < o.bound; }
};

void split(const Box& box, std::vector<Piece>& out) {
    const Vec3 middle = box.center();
    for (int k = 0; k < 8; ++k) {
        const Vec3 corner = box.corner(k);
        out.push_back({{corner.cwiseMin(middle), corner.cwiseMax(middle)}});
    }
}

} // namespace

double NetworkRange::slope_bound(const Box& box, std::span<const double> norms) const {
    const RangeProgram& program = *program_;
    if (box.empty()) return 0;
    std::vector<float> columns(range_columns * program.units), entered(range_entry * program.encoded);
    enter(box, entered.data());
    const RangeSphere sphere = refined(entered, symbols_per_layer, columns);
    if (!(sphere.reach < infinity) || !frame_.bounded) return infinity;
    const auto reach = [&](std::size_t unit) {
        const auto at = [&](RangeColumn c) {
            return static_cast<double>(columns[static_cast<std::size_t>(c) * program.units + unit]);
        };
        return Interval(at(RangeColumn::lower), at(RangeColumn::upper));
    };
    const std::size_t count = program.layers.size();
    Slopes slopes{std::vector<double>(program.units, 0.0), std::vector<double>(program.units, 0.0),
                  std::vector<double>(count + 1, 0.0)};
    slopes.centre[program.layers.back().start] = 1;
    for (std::size_t k = count; k-- > 0;) {
        const RangeLayer& layer = program.layers[k];
        const bool last = k + 1 == count;
        const double uncertain = pass_activations(layer, k, slopes, [&](std::size_t u) {
            const Interval z = last ? Interval(sphere.centre) + Interval(-sphere.reach, sphere.reach) : reach(u);
            return slope_of(last ? frame_.last : layer.activation, last ? frame_.parameter : layer.parameter, z);
        });
        pass_back(program, layer, slopes);
        for (const UnitSpan& span : program.inputs(layer)) {
            double& length = slopes.length[layer_at(program, span.start)];
            length = (length + uncertain * norms[k]) * few;
            for (std::size_t u = span.start; u < span.start + span.count; ++u)
                slopes.radius[u] = std::min(slopes.radius[u], length);
        }
    }
    const double outer = max_slope(frame_.last, frame_.parameter);
    for (std::size_t u = 0; u < program.encoded; ++u)
        slopes.radius[u] = slopes.radius[u] * (1 + 1e-8) + 4 * outer * program.adjoint_slack[u];
    return encoded_slope(box, slopes.centre, slopes.radius);
}

// Gradient along an axis: the encoded numbers of that coordinate, each with its own derivative.
double NetworkRange::encoded_slope(const Box& box, std::span<const double> centre,
                                   std::span<const double> radius) const {
    double squares = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const Interval x = (Interval(box.lower[axis], box.upper[axis]) - frame_.center[axis]) / frame_.scale;
        std::size_t unit = static_cast<std::size_t>(axis);
        double c = 0, r = 0;
        const auto add = [&](const Interval& slope) {
            double own = centre[unit], spread = radius[unit];
            multiply(own, spread, slope);
            c += own, r += spread;
            unit += 3;
        };
        if (frame_.encoding.point_first) add(1.0);
        for (int k = 0; k < frame_.encoding.frequencies; ++k) {
            const double f = std::ldexp(static_cast<double>(frame_.encoding.scale), k);
            const Interval phase = x * Interval(f);
            const bool far = std::max(std::abs(phase.lower), std::abs(phase.upper)) > 1e6;
            add(far ? Interval(-f, f) : cos(phase) * Interval(f));
            add(far ? Interval(-f, f) : -(sin(phase) * Interval(f)));
        }
        const double most = (std::abs(c) + r) * few;
        squares += most * most;
    }
    return std::sqrt(squares) * few;
}

double NetworkRange::norm_product(std::span<const double> norms) const {
    const PositionalEncoding& e = frame_.encoding;
    double squares = e.point_first ? 1 : 0;
    for (int k = 0; k < e.frequencies; ++k) squares += std::pow(std::ldexp(static_cast<double>(e.scale), k), 2);
    std::vector<double> of_layer(program_->layers.size() + 1, std::sqrt(squares) * few);
    for (std::size_t k = 0; k < program_->layers.size(); ++k) {
        const RangeLayer& layer = program_->layers[k];
        double inputs = 0;
        for (const UnitSpan& span : program_->inputs(layer))
            inputs += std::pow(of_layer[layer_at(*program_, span.start)], 2);
        of_layer[k] = max_slope(layer.activation, layer.parameter) * norms[k] * std::sqrt(inputs) * few;
    }
    return of_layer[program_->layers.size() - 1];
}

double NetworkRange::slope_bound_by_splitting(const Box& domain, std::span<const double> norms) const {
    const std::size_t evaluations =
        std::clamp<std::size_t>((std::size_t{1} << 25) / program_->multiplications(), 64, 2048);
    std::vector<Piece> heap{{domain, slope_bound(domain, norms)}}, fresh;
    for (std::size_t done = 1; done < evaluations && std::isfinite(heap.front().bound); done += fresh.size()) {
        fresh.clear();
        for (int k = 0; k < 8 && !heap.empty(); ++k) { // the worst few together, so that all threads have work
            std::pop_heap(heap.begin(), heap.end());
            split(heap.back().box, fresh);
            heap.pop_back();
        }
        parallel_tasks(fresh.size(), [&](std::size_t k) { fresh[k].bound = slope_bound(fresh[k].box, norms); });
        for (const Piece& piece : fresh) {
            heap.push_back(piece);
            std::push_heap(heap.begin(), heap.end());
        }
    }
    return heap.front().bound;
}

double NetworkRange::lipschitz() const {
    std::call_once(max_slope_->once, [&] {
        std::vector<double> norms;
        for (const RangeLayer& layer : program_->layers) norms.push_back(norm_bound(*program_, layer));
        const double by_norms = norm_product(norms), by_splitting = slope_bound_by_splitting(domain_, norms);
        const double least = by_norms < by_splitting ? by_norms : by_splitting;
        max_slope_->bound = least < infinity ? least : infinity; // NaN: too large to be computed
    });
    return max_slope_->bound;
}

} // namespace fathom
