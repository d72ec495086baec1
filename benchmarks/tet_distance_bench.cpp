// Tables `tets/marching` (Marchal et al. 2004, figures 6 and 7: time for growing bodies), `tets/errors` (figures 9 and
// 10: errors in the plane, beside grids) and `tets/rest` (depths looked up in the rest shape, as others do, against the
// current shape). One thread.
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/baseline/grid_fast_marching.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/tet/tet_field.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/show/line_plot.h>
#include <tests/support/planar.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <queue>

namespace fathom::bench {

namespace {

constexpr DepthOptions exact_options{.method = DepthMethod::exact};
constexpr DepthOptions feature_options{.method = DepthMethod::closest_feature};
constexpr DepthOptions plain_options{.method = DepthMethod::closest_feature, .surface_steps = 0};
constexpr DepthOptions point_options{.method = DepthMethod::closest_point};

struct Errors {
    double mean = 0, largest = 0; // m
};
Errors errors_of(std::span<const double> depths, std::span<const double> truth) {
    Errors errors;
    for (std::size_t k = 0; k < depths.size(); ++k) {
        const double error = std::abs(depths[k] - truth[k]);
        errors.mean += error / static_cast<double>(depths.size());
        errors.largest = std::max(errors.largest, error);
    }
    return errors;
}

// ---- Figures 6 and 7.

// A bent block whose nodes lie in no order and on no lattice.
TetMesh block(std::size_t cells) {
    TetMesh mesh = make_tet_box({.cells = {cells, cells, cells}});
    Random random(1);
    for (Vec3& v : mesh.vertices) {
        v += 0.1 * Vec3(std::sin(4 * v.y()), std::sin(3 * v.z()), std::sin(5 * v.x()));
        v += 0.1 / static_cast<double>(cells) * random.in_ball();
    }
    return mesh;
}

// Closest feature marching as the paper's section 4.2 reads: a heap, the distance to a neighbour's feature, each node
// fixed when it is taken out. A boundary node passes on the faces round it.
class PlainMarching {
public:
    explicit PlainMarching(const BodyTopology& topology) : topology_(topology) {}

    void compute(std::span<const Vec3> positions) {
        const std::size_t count = topology_.node_count();
        positions_.resize(count);
        for (std::size_t k = 0; k < count; ++k) positions_[k] = positions[topology_.order()[k]];
        distance_.assign(count, HUGE_VAL);
        face_.assign(count, no_index);
        fixed_.assign(count, 0);
        for (const Index node : topology_.boundary_nodes()) waiting_.emplace(distance_[node] = 0, node);
        while (!waiting_.empty()) {
            const Index node = waiting_.top().second;
            waiting_.pop();
            if (fixed_[node] != 0) continue;
            fixed_[node] = 1;
            if (face_[node] != no_index)
                pass(node, face_[node]);
            else
                for (const Index face : topology_.faces_round(node)) pass(node, face);
        }
        depths_.resize(count);
        for (std::size_t k = 0; k < count; ++k) depths_[topology_.order()[k]] = distance_[k];
    }
    [[nodiscard]] std::span<const double> depths() const { return depths_; }

private:
    void pass(Index from, Index face) {
        const Triangle& f = topology_.ranked_faces()[face];
        const std::array<Vec3, 3> corners = {positions_[f[0]], positions_[f[1]], positions_[f[2]]};
        for (const Index node : topology_.inner_neighbours(from)) {
            if (fixed_[node] != 0) continue;
            const double distance = std::sqrt(closest_point(positions_[node], corners).squared_distance);
            if (!(distance < distance_[node])) continue;
            face_[node] = face;
            waiting_.emplace(distance_[node] = distance, node);
        }
    }

    using Waiting = std::pair<double, Index>;

    const BodyTopology& topology_;
    std::vector<Vec3> positions_;
    std::vector<double> distance_, depths_;
    std::vector<Index> face_;
    std::vector<char> fixed_;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
};

// The tenth of the tetrahedra that comes first by `key`, as their nodes.
template <class Key>
std::vector<Index> nodes_of_a_tenth(const TetMesh& mesh, const Key& key) {
    std::vector<std::pair<double, Index>> sorted;
    for (Index t = 0; t < mesh.tetrahedra.size(); ++t) {
        const auto c = mesh.corners(t);
        sorted.emplace_back(key((c[0] + c[1] + c[2] + c[3]) / 4), t);
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<Index> chosen, nodes;
    for (std::size_t k = 0; k < sorted.size() / 10; ++k) chosen.push_back(sorted[k].second);
    nodes_of(mesh.tetrahedra, chosen, nodes);
    return nodes;
}

struct Marched {
    std::size_t tetrahedra;
    double point, feature, plain, exact, layer, ball, heap; // ms
    Errors point_error, feature_error, plain_error, heap_error;
    double deepest;
    std::size_t layer_nodes, ball_nodes, nodes;
    double megabytes;
};

Marched measure(std::size_t cells) {
    const TetMesh mesh = block(cells);
    NodeDepths exact(mesh), point(exact.shared_topology()), feature(exact.shared_topology()),
        plain(exact.shared_topology()), some(exact.shared_topology());
    PlainMarching heap(exact.topology());
    const std::vector<Index> layer = nodes_of_a_tenth(mesh, [](const Vec3& p) { return -p.z(); });
    const std::vector<Index> ball = nodes_of_a_tenth(mesh, [](const Vec3& p) { return (p - Vec3(0.6, 0, 0)).norm(); });
    const std::function<void()> rivals[] = {[&] { point.compute(mesh.vertices, point_options); },
                                            [&] { feature.compute(mesh.vertices, feature_options); },
                                            [&] { plain.compute(mesh.vertices, plain_options); },
                                            [&] { exact.compute(mesh.vertices, exact_options); },
                                            [&] { some.compute(mesh.vertices, layer, exact_options); },
                                            [&] { some.compute(mesh.vertices, ball, exact_options); },
                                            [&] { heap.compute(mesh.vertices); }};
    const std::vector<double> s = race(rivals, cells > 30 ? 5 : 12);
    const double deepest = *std::max_element(exact.depths().begin(), exact.depths().end());
    return {mesh.tetrahedra.size(),
            1e3 * s[0],
            1e3 * s[1],
            1e3 * s[2],
            1e3 * s[3],
            1e3 * s[4],
            1e3 * s[5],
            1e3 * s[6],
            errors_of(point.depths(), exact.depths()),
            errors_of(feature.depths(), exact.depths()),
            errors_of(plain.depths(), exact.depths()),
            errors_of(heap.depths(), exact.depths()),
            deepest,
            layer.size(),
            ball.size(),
            mesh.vertices.size(),
            1e-6 * static_cast<double>(exact.memory_bytes() + exact.topology().memory_bytes())};
}

std::string percent(const Errors& errors, double deepest) {
    return fmt::format("{:.2g} % mean, {:.2g} % largest of the deepest", 100 * errors.mean / deepest,
                       100 * errors.largest / deepest);
}

void add_growth(Report& report, const Marched& m) {
    const std::string id = fmt::format("tet-cpfm-{}k", (m.tetrahedra + 500) / 1000);
    const std::string work = fmt::format("{} tetrahedra, depths of all {} nodes, closest point", m.tetrahedra, m.nodes);
    report.add({id, work, "ms", m.point, "closest feature", m.feature, ratio(m.point, m.feature),
                "closest point: " + percent(m.point_error, m.deepest), m.megabytes});
    report.add({id, work, "ms", m.point, "closest feature, plain", m.plain, ratio(m.point, m.plain),
                "plain: " + percent(m.plain_error, m.deepest), 0});
    report.add({id, work, "ms", m.point, "plain CFFM, heap", m.heap, ratio(m.point, m.heap),
                "heap: " + percent(m.heap_error, m.deepest), 0});
    report.add({id, work, "ms", m.point, "exact", m.exact, ratio(m.point, m.exact),
                "closest feature: " + percent(m.feature_error, m.deepest), 0});
    if (m.tetrahedra > 250'000 && m.tetrahedra < 350'000)
        report.add({id, work, "ms", m.point, "paper, 2004, figure 7", 100, ratio(m.point, 100),
                    "the paper states none for it", 0});
}

void plot_growth(const std::filesystem::path& folder, std::span<const Marched> all) {
    LinePlot plot{.title = "Depths of all nodes, one core",
                  .x_label = "tetrahedra (thousands)",
                  .y_label = "time (ms)",
                  .curves = {}};
    const auto curve = [&](const char* name, double Marched::*time) {
        Curve c{name, {}};
        for (const Marched& m : all) c.points.emplace_back(1e-3 * static_cast<double>(m.tetrahedra), m.*time);
        plot.curves.push_back(c);
    };
    curve("closest point", &Marched::point);
    curve("closest feature", &Marched::feature);
    curve("exact", &Marched::exact);
    curve("exact, a tenth asked", &Marched::layer);
    write_svg(folder / "tet_marching.svg", plot);
}

void run_marching(Report& report) {
    set_thread_count(1);
    std::vector<Marched> all;
    for (const std::size_t cells : {6u, 12u, 18u, 25u, 37u, 46u}) {
        all.push_back(measure(cells));
        const Marched& m = all.back();
        add_growth(report, m);
        if (cells != 25) continue;
        const auto asked = [&](std::size_t nodes, double ms, const char* where) {
            const std::string work =
                fmt::format("{} tetrahedra, exact for the {} nodes of a tenth of them, {}", m.tetrahedra, nodes, where);
            const auto against = [&](const char* peer, double time, const Errors& errors) {
                report.add({"tet-exact-94k", work, "ms", ms, peer, time, ratio(ms, time),
                            "exact; the peer: " + percent(errors, m.deepest), m.megabytes});
            };
            against("plain CFFM, heap, all nodes", m.heap, m.heap_error);
            against("our plain CFFM, all nodes", m.plain, m.plain_error);
        };
        asked(m.layer_nodes, m.layer, "its upper layer");
        asked(m.ball_nodes, m.ball, "a ball into its side");
    }
    const auto each = [](const Marched& m, double ms) { return 1e6 * ms / static_cast<double>(m.tetrahedra); };
    for (const Marched& m : all)
        report.note(
            fmt::format("{} tetrahedra: closest point {:.0f}, closest feature {:.0f}, exact {:.0f} ns a tetrahedron",
                        m.tetrahedra, each(m, m.point), each(m, m.feature), each(m, m.exact)));
    if (!report.plots.empty()) plot_growth(report.plots, all);
    set_thread_count(0);
}

// ---- Figures 9 and 10. The paper states no unit; our objects are two metres wide.

struct Published {
    const char* name;
    double milliseconds, largest, mean;
};

void error_rows(Report& report, const std::string& id, const TriangleMesh& mesh, std::span<const Published> paper) {
    NodeDepths exact(std::make_shared<BodyTopology>(BodyTopology::planar(mesh))), point(exact.shared_topology()),
        feature(exact.shared_topology()), plain(exact.shared_topology());
    std::vector<double> coarse, fine;
    const BodyTopology& topology = exact.topology();
    const std::function<void()> rivals[] = {
        [&] { exact.compute(mesh.vertices, exact_options); },
        [&] {
            coarse = grid_fast_marching_depths(topology, mesh.vertices, {.points = {20, 20, 1}});
        },
        [&] {
            fine = grid_fast_marching_depths(topology, mesh.vertices, {.points = {100, 100, 1}});
        },
        [&] { plain.compute(mesh.vertices, plain_options); },
        [&] { feature.compute(mesh.vertices, feature_options); },
        [&] { point.compute(mesh.vertices, point_options); }};
    const std::vector<double> seconds = race(rivals, 20);
    const std::span<const double> depths[] = {exact.depths(), coarse,           fine,
                                              plain.depths(), feature.depths(), point.depths()};
    const double unit = errors_of(coarse, exact.depths()).mean / paper[1].mean;
    for (std::size_t k = 0; k < std::size(rivals); ++k) {
        const Errors e = errors_of(depths[k], exact.depths());
        const std::string published =
            k == 0 ? "exact"
                   : fmt::format("largest {:.3g}, mean {:.2g} m (paper {:.3g}, {:.2g} of its units)", e.largest, e.mean,
                                 paper[k].largest, paper[k].mean);
        report.add({id, fmt::format("{} nodes, {}", mesh.vertices.size(), paper[k].name), "ms", 1e3 * seconds[k],
                    "paper, 2004", paper[k].milliseconds, ratio(1e3 * seconds[k], paper[k].milliseconds), published,
                    0});
    }
    report.note(fmt::format(
        "{}: were the paper's unit such that its 20 x 20 grid is as far off as ours, it would be {:.2f} m", id, unit));
}

void run_errors(Report& report) {
    set_thread_count(1);
    const Published disc[] = {{"exact", 9.93, 0, 0},
                              {"grid 20 x 20", 0.288, 0.326, 0.085},
                              {"grid 100 x 100", 9.728, 0.149, 0.011},
                              {"closest feature, plain", 0.63, 0.02, 8e-5},
                              {"closest feature", 0.63, 0.02, 8e-5},
                              {"closest point", 0.196, 0.12, 0.008}};
    const Published rectangle[] = {{"exact", 28, 0, 0},
                                   {"grid 20 x 20", 0.6, 0.34, 0.098},
                                   {"grid 100 x 100", 12, 0.081, 0.016},
                                   {"closest feature, plain", 5, 0.002, 3e-6},
                                   {"closest feature", 5, 0.002, 3e-6},
                                   {"closest point", 2.3, 0.06, 0.001}};
    error_rows(report, "tet-errors-disc", testing::make_torn_disc(486), disc);
    error_rows(report, "tet-errors-rectangle", testing::make_torn_rectangle(1000), rectangle);
    set_thread_count(0);
}

// ---- Depth under compression.

struct RestErrors {
    double ours = 0, rest = 0; // mean over points inside, of the deepest there
    double ours_largest = 0, rest_largest = 0;
};

// `share` of its length is left along z; the other axes widen so that the volume stays.
RestErrors compare(const TetMesh& rest, const MeshField& rest_field, TetField& field, double share, std::size_t count) {
    std::vector<Vec3> positions = rest.vertices;
    const double widened = 1 / std::sqrt(share);
    for (Vec3& v : positions) v = v.cwiseProduct(Vec3(widened, widened, share));
    field.update(positions);
    const MeshField truth(boundary({positions, rest.tetrahedra}));
    Random random(5);
    RestErrors errors;
    double deepest = 0;
    std::size_t inside = 0;
    for (std::size_t i = 0; i < 50 * count && inside < count; ++i) {
        const Vec3 p = random.in_box(field.bounds());
        const TetField::Spot spot = field.locate(p);
        if (spot.tetrahedron == no_index) continue;
        ++inside;
        Vec3 before = Vec3::Zero();
        for (std::size_t k = 0; k < 4; ++k)
            before += spot.weights[k] * rest.vertices[rest.tetrahedra[spot.tetrahedron][k]];
        const double expected = truth.distance(p), ours = std::abs(field.distance(p) - expected),
                     looked_up = std::abs(rest_field.distance(before) - expected);
        errors.ours += ours, errors.rest += looked_up;
        errors.ours_largest = std::max(errors.ours_largest, ours);
        errors.rest_largest = std::max(errors.rest_largest, looked_up);
        deepest = std::max(deepest, -expected);
    }
    const double all = deepest * static_cast<double>(std::max<std::size_t>(inside, 1));
    return {errors.ours / all, errors.rest / all, errors.ours_largest / deepest, errors.rest_largest / deepest};
}

void rest_rows(Report& report, const std::string& name, const TetMesh& mesh, LinePlot& plot) {
    TetField field(mesh);
    const MeshField rest_field(boundary(mesh));
    Curve ours{name + ", current shape", {}}, rest{name + ", rest shape", {}};
    RestErrors last;
    for (const double share : {1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5}) {
        last = compare(mesh, rest_field, field, share, 4000);
        ours.points.emplace_back(100 * (1 - share), 100 * last.ours);
        rest.points.emplace_back(100 * (1 - share), 100 * last.rest);
    }
    plot.curves.push_back(ours);
    plot.curves.push_back(rest);
    const std::string work =
        fmt::format("{}, {} tetrahedra, 50 % compressed, depth error", name, mesh.tetrahedra.size());
    report.add({"tet-rest-" + name, work + ", mean", "% of deepest", 100 * last.ours, "rest-shape evaluation",
                100 * last.rest, ratio(last.ours, last.rest), "against the boundary's exact distance",
                1e-6 * static_cast<double>(field.memory_bytes())});
    report.add({"tet-rest-" + name, work + ", largest", "% of deepest", 100 * last.ours_largest,
                "rest-shape evaluation", 100 * last.rest_largest, ratio(last.ours_largest, last.rest_largest), "", 0});
}

void run_rest(Report& report) {
    set_thread_count(1);
    LinePlot plot{.title = "Depth inside a compressed body",
                  .x_label = "compression (%)",
                  .y_label = "mean error (% of the deepest)",
                  .curves = {}};
    rest_rows(report, "ball", make_tet_ball({.resolution = 12}), plot);
    rest_rows(report, "rod", make_tet_cylinder({.rings = 6, .layers = 30}), plot);
    if (const char* models = std::getenv("FATHOM_MODELS");
        models && std::filesystem::exists(std::filesystem::path(models) / "tet/Armadillo13K.msh"))
        rest_rows(report, "armadillo", read_tet_mesh(std::filesystem::path(models) / "tet/Armadillo13K.msh"), plot);
    else
        report.note("no armadillo: set FATHOM_MODELS to a folder with tet/Armadillo13K.msh");
    if (!report.plots.empty()) write_svg(report.plots / "tet_rest.svg", plot);
    set_thread_count(0);
}

const Registration marching{"tets/marching", "Depths of nodes in the current shape, growing bodies", run_marching};
const Registration errors{"tets/errors", "Errors of depths in the plane (486 and 1,000 nodes, deformed and cut)",
                          run_errors};
const Registration rest{"tets/rest", "Depth in the current shape against evaluation in the rest shape", run_rest};

} // namespace

} // namespace fathom::bench
