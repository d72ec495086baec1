// Fit of a network to a mesh.
#include <fathom/field/neural/network_fit.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>
#include <fathom/base/random.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/neural/network_optimizer.h>
#include <fathom/field/neural/network_training.h>
#include <fathom/geometry/sample/shell_surface.h>

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
namespace fathom {

// Points for fitting and evaluation of a network, with their exact signed distances from a mesh.
// Method: Davies et al. 2021 weight points by exp(-beta |distance|); here they are drawn from that density directly (a
// point on the surface, moved along its normal), and some lie anywhere in the domain, so that the sign is also right
// far from the surface. Some three microseconds per point; in parallel, the same points for any number of threads.
// Thread-safe.
namespace {

// Shares of the points, and their mean distance from the surface (as a share of the longest side of the mesh).
struct PointMix {
    double near = 0.75, near_distance = 0.01;
    double middle = 0.15, middle_distance = 0.08; // the rest lies anywhere in the domain
};

class TrainingSource {
public:
    // `network` provides frame and domain; both must outlive the source. Throws Error{empty} if no triangle has area.
    TrainingSource(const MeshField& mesh, const Network& network);

    // Points outside of the domain are clamped to its border.
    [[nodiscard]] TrainingPoints mixed(std::size_t count, std::uint64_t seed, const PointMix& mix = {},
                                       Progress* progress = nullptr) const;
    // Points within `reach` metres of the surface, uniform along its normals.
    [[nodiscard]] TrainingPoints near(std::size_t count, double reach, std::uint64_t seed) const;
    // Points uniform in the domain.
    [[nodiscard]] TrainingPoints anywhere(std::size_t count, std::uint64_t seed) const;

private:
    template <class Place>
    TrainingPoints measured(std::size_t count, std::uint64_t seed, Progress* progress, const Place& place) const;

    const MeshField& mesh_;
    const Network& network_;
    ShellSurface surface_;
};

constexpr std::size_t piece = 1024; // points that share a random number stream
constexpr double crease = 1;        // rad; any value works, since the normals of triangles are used

// Random number with density exp(-|x| / mean) / (2 mean).
double two_sided_exponential(Random& random, double mean) {
    const double size = -mean * std::log(1 - random.uniform());
    return random.chance(0.5) ? size : -size;
}

TrainingSource::TrainingSource(const MeshField& mesh, const Network& network)
    : mesh_(mesh), network_(network), surface_(mesh.mesh(), crease) {}

// place(point on the surface, normal, random) returns the point; the distance is that of the point rounded to float.
template <class Place>
TrainingPoints TrainingSource::measured(std::size_t count, std::uint64_t seed, Progress* progress,
                                        const Place& place) const {
    TrainingPoints points;
    for (std::vector<float>* row : {&points.x, &points.y, &points.z, &points.value}) row->resize(count);
    Stage stage(progress, "measuring distances", count);
    parallel_for(count, piece, [&](std::size_t begin, std::size_t end) {
        Random random(seed, begin / piece);
        const std::vector<SurfaceSpot> spots = surface_.random_spots(end - begin, random);
        for (std::size_t i = begin; i < end; ++i) {
            const SurfaceSpot& spot = spots[i - begin];
            const Vec3 wanted =
                network_.domain.closest(place(spot.point, surface_.walker().normal(spot.triangle), random));
            const Eigen::Vector3f q = ((wanted - network_.center) / network_.scale).cast<float>();
            points.x[i] = q.x();
            points.y[i] = q.y();
            points.z[i] = q.z();
            const Vec3 p = network_.center + network_.scale * q.cast<double>();
            points.value[i] = static_cast<float>(mesh_.distance(p) / network_.scale);
        }
        stage.step(end - begin);
    });
    return points;
}

TrainingPoints TrainingSource::mixed(std::size_t count, std::uint64_t seed, const PointMix& mix,
                                     Progress* progress) const {
    const double side = mesh_.bounds().size().maxCoeff();
    return measured(count, seed, progress, [&](const Vec3& point, const Vec3& normal, Random& random) -> Vec3 {
        const double kind = random.uniform();
        if (kind >= mix.near + mix.middle) return random.in_box(network_.domain);
        const double distance = kind < mix.near ? mix.near_distance : mix.middle_distance;
        return point + two_sided_exponential(random, distance * side) * normal;
    });
}

TrainingPoints TrainingSource::near(std::size_t count, double reach, std::uint64_t seed) const {
    return measured(count, seed, nullptr, [&](const Vec3& point, const Vec3& normal, Random& random) -> Vec3 {
        return point + random.uniform(-reach, reach) * normal;
    });
}

TrainingPoints TrainingSource::anywhere(std::size_t count, std::uint64_t seed) const {
    return measured(count, seed, nullptr,
                    [&](const Vec3&, const Vec3&, Random& random) { return random.in_box(network_.domain); });
}

constexpr std::size_t batch_chunks = 8;        // points of a step: this times training_chunk
constexpr std::size_t course_points = 4096;    // points for the history of the error
constexpr std::size_t first_points = 1 << 16;  // initial number of training points
constexpr std::size_t visits = 8;              // uses of each point before more are added
constexpr std::size_t report_points = 1 << 15; // points for the final evaluation, near the surface and as many anywhere
constexpr int course_steps = 64;               // steps between two evaluations of the error
constexpr int warm_steps = 100;                // over which the rate rises
constexpr double average_keep = 0.99;          // decay of the mean weights, per step
constexpr double highest_rate = 7e-3;
constexpr double mesh_half_size = 0.9; // share of the mesh's longest side, in the network's frame

[[noreturn]] void refuse(const char* option, std::string reason) {
    throw Error(Cause::invalid_argument, std::move(reason), {.element = fmt::format("option {}", option)});
}

void check(const FitOptions& o) {
    if (o.layers < 1 || o.layers > 16) refuse("layers", fmt::format("{}; expected 1 to 16", o.layers));
    if (o.width < 1 || o.width > 512) refuse("width", fmt::format("{}; expected 1 to 512", o.width));
    if (o.activation == Activation::none || name(o.activation) == "unknown")
        refuse("activation", "an activation between the layers is required");
    if (o.steps < 0 || o.steps > 100'000'000) refuse("steps", fmt::format("{}; expected 0 to 100,000,000", o.steps));
    if (o.steps == 0 && !(o.seconds > 0 && o.seconds < 1e7))
        refuse("seconds", fmt::format("{}; expected a positive number", o.seconds));
    if (!(o.error >= 0) || !std::isfinite(o.error))
        refuse("error", fmt::format("{}; expected 0 or a positive number", o.error));
    if (o.samples < 1024 || o.samples > (std::size_t{1} << 26))
        refuse("samples", fmt::format("{}; expected 2^10 to 2^26", o.samples));
}

double normal(Random& random) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Scaled so that sums neither grow nor fade from layer to layer (He et al. 2015); sines as in Sitzmann et al. 2020.
DenseLayer first_weights(int inputs, int outputs, Activation activation, bool first, Random& random) {
    DenseLayer layer{.inputs = inputs, .outputs = outputs, .activation = activation};
    double spread = std::sqrt(2.0 / inputs);
    if (activation == Activation::tanh || activation == Activation::none) spread = std::sqrt(1.0 / inputs);
    if (activation == Activation::softplus) layer.parameter = 30;
    if (activation == Activation::sine) {
        layer.parameter = first ? 10.0F : 1.0F;
        spread = first ? 1.0 / std::sqrt(3.0) : std::sqrt(2.0 / inputs);
    }
    layer.weights.resize(static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs));
    for (float& weight : layer.weights) weight = static_cast<float>(spread * normal(random));
    layer.biases.resize(static_cast<std::size_t>(outputs));
    return layer;
}

Network first_network(const Box& box, const FitOptions& options, Random& random) {
    Network network;
    const double side = box.size().maxCoeff();
    network.center = box.center();
    network.scale = 0.5 * side / mesh_half_size;
    network.domain = box.grown(fit_margin * side);
    int inputs = network.encoding.outputs();
    for (int i = 0; i < options.layers; ++i) {
        network.layers.push_back(first_weights(inputs, options.width, options.activation, i == 0, random));
        inputs = options.width;
    }
    network.layers.push_back(first_weights(inputs, 1, Activation::none, false, random));
    return network;
}

// Steps before the rate decays, of `steps` in total.
int held_steps(int steps) { return static_cast<int>(std::floor((1 - fit_decay) * steps)); }

double rate_at(int step, int held, int steps) {
    const double warm = std::min(1.0, (step + 1.0) / warm_steps);
    const double fall = step < held ? 0 : static_cast<double>(step - held) / (steps - held);
    return highest_rate * warm * (1 - fall);
}

// Next possible number of steps for a timed fit: 8, 9 ... 15 times a power of two.
int next_length(int length) { return length + static_cast<int>(std::bit_floor(static_cast<unsigned>(length)) / 8); }

void append(TrainingPoints& points, const TrainingPoints& more) {
    points.x.insert(points.x.end(), more.x.begin(), more.x.end());
    points.y.insert(points.y.end(), more.y.begin(), more.y.end());
    points.z.insert(points.z.end(), more.z.begin(), more.z.end());
    points.value.insert(points.value.end(), more.value.begin(), more.value.end());
}

class Fit {
public:
    Fit(const TriangleMesh& mesh, const FitOptions& options)
        : options_(options), mesh_(mesh), random_(options.seed, 1) {
        if (mesh_.sign().method == SignMethod::thickness)
            throw Error(Cause::invalid_argument, fmt::format("the mesh has no inside ({})", mesh_.sign().reason));
        const double side = mesh_.bounds().size().maxCoeff();
        if (!(side > 0) || !std::isfinite(side * side))
            throw Error(Cause::invalid_argument, "the extent of the mesh is zero or too large");
        network_ = first_network(mesh_.bounds(), options_, random_);
        fathom::check(network_);
        source_ = std::make_unique<TrainingSource>(mesh_, network_);
        near_ = source_->near(report_points, fit_near * side, random_.bits());
        anywhere_ = source_->anywhere(report_points, random_.bits());
        points_ = source_->mixed(std::min(options_.samples, first_points), random_.bits(), {}, options_.progress);
        average_ = parameters_ = parameters_of(network_);
        gradients_.resize(batch_chunks * parameters_.size());
        report_.longest_side = side;
        report_.sign = fmt::format("{}: {}", name(mesh_.sign().method), mesh_.sign().reason);
    }

    FittedNetwork run() {
        NetworkOptimizer optimizer(network_);
        plan();
        for (; report_.steps < steps_ && !finished(); ++report_.steps) {
            learn(optimizer);
            extend_plan();
        }
        set_parameters(network_, average_);
        measure_result();
        return {std::move(network_), std::move(report_)};
    }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    [[nodiscard]] double metres(double value) const { return network_.scale * value; }
    [[nodiscard]] bool timed() const { return options_.steps == 0; }

    void plan() {
        begun_ = seconds();
        steps_ = timed() ? 128 : options_.steps;
        held_ = held_steps(steps_);
    }

    // When the rate is about to decay and a longer run would end in time, the run is extended.
    void extend_plan() {
        if (!timed() || report_.steps + 1 != held_) return;
        const int longer = next_length(steps_);
        const double pace = (seconds() - begun_) / held_;
        if (begun_ + pace * longer > 0.98 * options_.seconds || longer > 100'000'000) return;
        steps_ = longer;
        held_ = held_steps(steps_);
    }

    void learn(NetworkOptimizer& optimizer) {
        more_points();
        Random random(options_.seed, 2 + static_cast<std::uint64_t>(report_.steps));
        std::array<std::size_t, batch_chunks> begins{};
        for (std::size_t& begin : begins) begin = random.below(points_.size() - training_chunk + 1);
        parallel_tasks(batch_chunks, [&](std::size_t i) {
            const auto gradient = std::span(gradients_).subspan(i * parameters_.size(), parameters_.size());
            chunk_gradient(network_, parameters_, points_, begins[i], {}, gradient);
        });
        optimizer.step(parameters_, gradients_, batch_chunks * training_chunk, rate_at(report_.steps, held_, steps_));
        average();
    }

    // Doubles the number of points once each was used `visits` times, so that a short fit does not wait for samples
    // that it does not use.
    void more_points() {
        const std::size_t seen = static_cast<std::size_t>(report_.steps) * batch_chunks * training_chunk;
        if (points_.size() >= options_.samples || seen < visits * points_.size()) return;
        const std::size_t more = std::min(points_.size(), options_.samples - points_.size());
        append(points_, source_->mixed(more, random_.bits()));
    }

    // The mean of the last hundred weights or so has half the error of the weights themselves while the rate is high,
    // so the fit can stop at any step.
    void average() {
        const float keep = static_cast<float>(std::min(average_keep, (report_.steps + 1.0) / (report_.steps + 10.0)));
        for (std::size_t i = 0; i < parameters_.size(); ++i)
            average_[i] = parameters_[i] + keep * (average_[i] - parameters_[i]);
    }

    // Evaluates the error and reports progress.
    [[nodiscard]] bool finished() {
        const double now = seconds();
        if (timed() && report_.steps > 0 && now > options_.seconds) return report_.cut_short = true;
        if (report_.steps % course_steps != 0 || report_.steps == 0) return false;
        const double error = metres(mean_error(course_points));
        report_.course.push_back({report_.steps, now, error});
        tell(timed() ? now / options_.seconds : static_cast<double>(report_.steps) / steps_, error);
        const double wanted = options_.error * report_.longest_side;
        return report_.reached = error < wanted && metres(mean_error(near_.size())) < wanted;
    }

    void tell(double fraction, double error) {
        if (!options_.progress || fraction < reported_ + 0.01) return;
        reported_ = fraction;
        const std::string label = fmt::format("fitting: error {:.3f} %", 100 * error / report_.longest_side);
        if (!options_.progress->update(label, std::min(fraction, 1.0)))
            throw Error(Cause::cancelled, "fitting was cancelled");
    }

    // Mean error near the surface over the first `count` points, in units of the network.
    [[nodiscard]] double mean_error(std::size_t count) {
        values_.resize(count);
        training_values(network_, average_, near_, values_);
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i)
            sum += std::abs(static_cast<double>(values_[i]) - static_cast<double>(near_.value[i]));
        return sum / static_cast<double>(count);
    }

    struct Tally {
        double sum = 0, largest = 0;
        std::size_t wrong = 0, both = 0, either = 0;
    };
    [[nodiscard]] Tally compared(const TrainingPoints& points) {
        values_.resize(points.size());
        training_values(network_, average_, points, values_);
        Tally tally;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double error = std::abs(static_cast<double>(values_[i]) - static_cast<double>(points.value[i]));
            const bool here = values_[i] < 0, there = points.value[i] < 0;
            tally.sum += error;
            tally.largest = std::max(tally.largest, error);
            tally.wrong += here != there;
            tally.both += here && there;
            tally.either += here || there;
        }
        return tally;
    }

    void measure_result() {
        const auto share = [](std::size_t part, std::size_t whole) {
            return static_cast<double>(part) / static_cast<double>(whole);
        };
        const Tally near = compared(near_), anywhere = compared(anywhere_);
        report_.mean_error = metres(near.sum / static_cast<double>(near_.size()));
        report_.max_error = metres(near.largest);
        report_.near_sign_errors = share(near.wrong, near_.size());
        report_.mean_domain_error = metres(anywhere.sum / static_cast<double>(anywhere_.size()));
        report_.sign_errors = share(anywhere.wrong, anywhere_.size());
        report_.overlap = anywhere.either > 0 ? share(anywhere.both, anywhere.either) : 1;
        report_.samples = points_.size();
        report_.seconds = seconds();
        report_.course.push_back({report_.steps, report_.seconds, report_.mean_error});
        if (options_.progress) options_.progress->update("fitting", 1.0);
    }

    Clock::time_point start_ = Clock::now();
    FitOptions options_;
    MeshField mesh_;
    Random random_;
    Network network_;
    std::unique_ptr<const TrainingSource> source_;
    TrainingPoints points_, near_, anywhere_;
    std::vector<float> parameters_, average_, gradients_, values_;
    FitReport report_;
    double begun_ = 0; // seconds before the first step
    double reported_ = -1;
    int steps_ = 0, held_ = 0; // planned
};
} // namespace

FittedNetwork fit_network(const TriangleMesh& mesh, const FitOptions& options) {
    check(options);
    return Fit(mesh, options).run();
}
} // namespace fathom
