// Runs every query on random shapes of each pair of kinds, with the method that the dispatch table selects.
#include <tool/verify/referee.h>

#include <fathom/base/progress.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

struct Trial {
    Shape a, b;
    RandomPoses start, end;
};

std::vector<Trial> trials_of(ShapeKind a, ShapeKind b, const MatrixOptions& options) {
    Random random(options.seed + 100 * static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    std::vector<Trial> trials;
    for (std::size_t k = 0; k < options.poses; ++k) {
        const Shape first = random_shape(a, random), second = random_shape(b, random);
        trials.push_back({first, second, random_poses(first, second, random), random_poses(first, second, random)});
    }
    return trials;
}

double size_of(const Trial& t) {
    const auto of = [](const Shape& s) { return s.bounded() ? s.bounds().size().maxCoeff() : HUGE_VAL; };
    const double least = std::min(of(t.a), of(t.b));
    return std::isfinite(least) ? least : 1;
}

// Returns the error, and whether the query stayed undecided.
std::pair<double, bool> run_query(const Trial& t, Question question) {
    if (question == Question::collide)
        return {0,
                collide(t.a, t.start.a, t.b, t.start.b, {.goal = CollideGoal::contacts}).status == Status::undecided};
    if (question == Question::distance) {
        const DistanceResult d = distance(t.a, t.start.a, t.b, t.start.b);
        return {d.upper_bound > 0 && std::isfinite(d.upper_bound) ? (d.upper_bound - d.lower_bound) / size_of(t) : 0,
                false};
    }
    const Motion still = Motion::stationary(t.start.a), moving{t.start.b, t.end.b};
    const SweepResult s =
        sweep(t.a, still, t.b, moving, {.goal = question == Question::sweep_first ? SweepGoal::first : SweepGoal::all});
    return {s.status == Status::overlapping ? s.error : 0, s.status == Status::undecided};
}

MatrixCell measure(const std::vector<Trial>& trials, ShapeKind a, ShapeKind b, Question question) {
    MatrixCell cell{.question = question, .methods = methods_for(a, b, question)};
    std::vector<double> times;
    for (const Trial& t : trials) {
        (void)run_query(t, question); // builds the data that the method needs
        const Stopwatch watch;
        const auto [error, open] = run_query(t, question);
        times.push_back(1e6 * watch.seconds());
        cell.error = std::max(cell.error, error);
        cell.undecided += open;
    }
    if (times.empty()) return cell;
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    cell.microseconds = times[times.size() / 2];
    return cell;
}

std::string time_text(double microseconds) {
    return microseconds < 1000 ? fmt::format("{:.3g} us", microseconds) : fmt::format("{:.3g} ms", 1e-3 * microseconds);
}

std::string cell_text(const MatrixCell& cell, bool measured) {
    std::string text(name(cell.methods.front().method));
    if (measured) text += fmt::format(", {}", time_text(cell.microseconds));
    if (measured && cell.error > 0) text += fmt::format(", {:.1g}", cell.error);
    if (measured && cell.undecided > 0) text += fmt::format(", {} open", cell.undecided);
    return text;
}

} // namespace

std::vector<MatrixRow> measure_matrix(const MatrixOptions& options) {
    std::vector<MatrixRow> rows;
    Stage stage(options.progress, "measuring", all_shape_kinds.size() * (all_shape_kinds.size() + 1) / 2);
    for (const ShapeKind a : all_shape_kinds)
        for (const ShapeKind b : all_shape_kinds) {
            if (b < a) continue;
            const std::vector<Trial> trials = trials_of(a, b, options);
            MatrixRow row{a, b, {}};
            for (const Question question : all_questions) row.cells.push_back(measure(trials, a, b, question));
            rows.push_back(std::move(row));
            stage.step();
        }
    return rows;
}

std::string matrix_markdown(const std::vector<MatrixRow>& rows, bool measured) {
    std::string text = "| pair | collide | distance | first contact | all contacts | other methods of collide "
                       "|\n|---|---|---|---|---|---|\n";
    for (const MatrixRow& row : rows) {
        text += fmt::format("| {} × {} |", name(row.a), name(row.b));
        for (const MatrixCell& cell : row.cells) text += fmt::format(" {} |", cell_text(cell, measured));
        std::string others;
        for (std::size_t k = 1; k < row.cells.front().methods.size(); ++k)
            others += fmt::format("{}{}", k > 1 ? ", " : "", name(row.cells.front().methods[k].method));
        text += fmt::format(" {} |\n", others);
    }
    return text;
}

} // namespace fathom
