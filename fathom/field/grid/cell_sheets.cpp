// Sheets of the surface in a cell, from a table over corner signs and face decisions.
#include <fathom/field/grid/cell_sheets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace fathom {

namespace {

constexpr int edge_axis(int edge) { return edge / 4; }
constexpr int edge_start(int edge) {
    const int axis = edge_axis(edge), u = (axis + 1) % 3, v = (axis + 2) % 3;
    return (edge & 1) << u | (edge >> 1 & 1) << v;
}
constexpr int edge_end(int edge) { return edge_start(edge) | 1 << edge_axis(edge); }
// The edge along `axis` at a corner.
constexpr int edge_from(int corner, int axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return cell_edge(axis, (corner >> u & 1) | (corner >> v & 1) << 1);
}

// Corners of a face in cyclic order.
constexpr std::array<int, 4> face_corners(int face) {
    const int axis = face / 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = (face % 2) << axis;
    return {base, base | u, base | u | v, base | v};
}

constexpr bool is_inside(unsigned key, int corner) { return key >> corner & 1; }
constexpr bool is_crossed(unsigned key, int edge) {
    return is_inside(key, edge_start(edge)) != is_inside(key, edge_end(edge));
}

constexpr bool is_ambiguous(unsigned key, int face) {
    const auto c = face_corners(face);
    return is_inside(key, c[0]) == is_inside(key, c[2]) && is_inside(key, c[1]) == is_inside(key, c[3]) &&
           is_inside(key, c[0]) != is_inside(key, c[1]);
}

// On an ambiguous face: whether the two arcs cut off the inside corners.
constexpr bool cuts_off_inside(unsigned key, int face) { return !(key >> (8 + face) & 1); }

// The two edges of a face that meet at a corner.
constexpr std::array<int, 2> edges_at(int face, int corner) {
    const int axis = face / 2;
    return {edge_from(corner, (axis + 1) % 3), edge_from(corner, (axis + 2) % 3)};
}

void join(std::array<int, 12>& label, int a, int b) {
    const int from = label[static_cast<std::size_t>(b)], to = label[static_cast<std::size_t>(a)];
    std::replace(label.begin(), label.end(), from, to);
}

void join_on_face(std::array<int, 12>& label, unsigned key, int face) {
    if (is_ambiguous(key, face)) {
        for (const int corner : face_corners(face))
            if (is_inside(key, corner) == cuts_off_inside(key, face))
                join(label, edges_at(face, corner)[0], edges_at(face, corner)[1]);
        return;
    }
    int first = -1;
    for (const int corner : {face_corners(face)[0], face_corners(face)[2]}) // two opposite corners cover all four edges
        for (const int edge : edges_at(face, corner)) {
            if (!is_crossed(key, edge)) continue;
            if (first >= 0) join(label, first, edge);
            first = edge;
        }
}

CellSheets find_sheets(unsigned key) {
    std::array<int, 12> label;
    for (int e = 0; e < 12; ++e) label[static_cast<std::size_t>(e)] = e;
    for (int face = 0; face < 6; ++face) join_on_face(label, key, face);
    CellSheets sheets;
    sheets.sheet_of.fill(-1);
    std::array<std::int8_t, 12> number;
    number.fill(-1);
    for (int e = 0; e < 12; ++e) {
        if (!is_crossed(key, e)) continue;
        std::int8_t& n = number[static_cast<std::size_t>(label[static_cast<std::size_t>(e)])];
        if (n < 0) n = sheets.count++;
        sheets.sheet_of[static_cast<std::size_t>(e)] = n;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const auto c = face_corners(2 * axis);
        const auto a = edges_at(2 * axis, c[0]), b = edges_at(2 * axis, c[2]);
        const auto sheet = [&](int e) { return sheets.sheet_of[static_cast<std::size_t>(e)]; };
        if (is_ambiguous(key, 2 * axis) && sheet(a[0]) == sheet(a[1]) && sheet(a[0]) == sheet(b[0]) &&
            sheet(b[0]) == sheet(b[1]))
            sheets.arcs |= static_cast<std::uint8_t>(1 << axis);
    }
    return sheets;
}

std::vector<CellSheets> all_sheets() {
    std::vector<CellSheets> table(1 << 14);
    for (unsigned key = 0; key < table.size(); ++key) table[key] = find_sheets(key);
    return table;
}

Vec3 corner_position(int corner) {
    return {static_cast<double>(corner & 1), static_cast<double>(corner >> 1 & 1), static_cast<double>(corner >> 2)};
}

// Crossing of the surface between a and b, whose values differ in sign.
Vec3 root_between(const GridCell& cell, Vec3 a, Vec3 b) {
    const bool inside = cell.value(a) < 0;
    for (int step = 0; step < 52; ++step) {
        const Vec3 middle = 0.5 * (a + b);
        ((cell.value(middle) < 0) == inside ? a : b) = middle;
    }
    return 0.5 * (a + b);
}

Vec3 crossing(const GridCell& cell, int edge) {
    const double a = cell.values[static_cast<std::size_t>(edge_start(edge))],
                 b = cell.values[static_cast<std::size_t>(edge_end(edge))];
    const double t = a / (a - b);
    return corner_position(edge_start(edge)) + (t >= 0 && t <= 1 ? t : 0.5) * Vec3::Unit(edge_axis(edge));
}

// Moves the point onto the surface along the gradient, which keeps the vertex near the centre of its sheet. If that
// leaves the cell, as can happen for irregular samples, the point moves towards the nearest corner on the other side.
Vec3 onto_surface(const GridCell& cell, const Vec3& start) {
    double largest = 0;
    for (const double v : cell.values) largest = std::max(largest, std::abs(v));
    Vec3 p = start;
    for (int step = 0; step < 24; ++step) {
        const double value = cell.value(p);
        if (std::abs(value) <= 1e-12 * largest) return p;
        const Vec3 slope = cell.slope(p);
        p -= value / slope.squaredNorm() * slope;
        if (!((p.array() >= 0).all() && (p.array() <= 1).all())) break;
    }
    const bool inside = cell.value(start) < 0;
    int nearest = -1;
    for (int c = 0; c < 8; ++c) {
        if ((cell.values[static_cast<std::size_t>(c)] < 0) == inside) continue;
        if (nearest < 0 ||
            (corner_position(c) - start).squaredNorm() < (corner_position(nearest) - start).squaredNorm())
            nearest = c;
    }
    return root_between(cell, start, corner_position(nearest));
}

Vec3 middle_of_sheet(const GridCell& cell, std::uint16_t key, int sheet) {
    Vec3 sum = Vec3::Zero();
    int count = 0;
    for (int e = 0; e < 12; ++e)
        if (cell_sheets(key).sheet_of[static_cast<std::size_t>(e)] == sheet) {
            sum += crossing(cell, e);
            ++count;
        }
    return onto_surface(cell, sum / count);
}

// Point on the line from the corner that the arc cuts off to the saddle of the face, which lies on the other side of
// the arc.
Vec3 middle_of_arc(const GridCell& cell, int face, int corner, double margin) {
    const auto c = face_corners(face);
    const auto value = [&](std::size_t n) { return cell.values[static_cast<std::size_t>(c[n])]; };
    const double bend = value(0) + value(2) - value(1) - value(3);
    Vec3 saddle = corner_position(c[0]);
    const double s = (value(0) - value(3)) / bend, t = (value(0) - value(1)) / bend;
    saddle += (std::isfinite(s) ? s : 0.5) * (corner_position(c[1]) - corner_position(c[0]));
    saddle += (std::isfinite(t) ? t : 0.5) * (corner_position(c[3]) - corner_position(c[0]));
    const Vec3 start = corner_position(corner), root = root_between(cell, start, saddle),
               end = saddle + margin * (start - saddle);
    return (root - start).squaredNorm() < (end - start).squaredNorm() ? root : end;
}

} // namespace

int CellSheets::vertex_count() const { return count + 2 * std::popcount(arcs); }

std::uint16_t sheet_key(const std::array<double, 8>& values) {
    unsigned key = 0;
    for (std::size_t c = 0; c < 8; ++c) key |= static_cast<unsigned>(values[c] < 0) << c;
    if (key == 0 || key == 255) return static_cast<std::uint16_t>(key);
    for (int face = 0; face < 6; ++face) {
        if (!is_ambiguous(key, face)) continue;
        const auto c = face_corners(face);
        const auto value = [&](std::size_t n) { return values[static_cast<std::size_t>(c[n])]; };
        // Sign of the bilinear function at its saddle, without the division.
        const double even = value(0) * value(2), odd = value(1) * value(3);
        const bool joined = is_inside(key, c[0]) ? even > odd : odd > even;
        key |= static_cast<unsigned>(joined) << (8 + face);
    }
    return static_cast<std::uint16_t>(key);
}

const CellSheets& cell_sheets(std::uint16_t key) {
    static const std::vector<CellSheets> table = all_sheets();
    return table[key];
}

int arc_vertex(std::uint16_t key, int normal, int edge) {
    const CellSheets& sheets = cell_sheets(key);
    if (!(sheets.arcs >> normal & 1)) return -1;
    const bool start_cut = is_inside(key, edge_start(edge)) == cuts_off_inside(key, 2 * normal);
    const int corner = start_cut ? edge_start(edge) : edge_end(edge);
    const int before = std::popcount(static_cast<unsigned>(sheets.arcs) & ((1u << normal) - 1));
    return sheets.count + 2 * before + (corner >> (normal + 1) % 3 & 1);
}

Vec3 sheet_vertex(const GridCell& cell, std::uint16_t key, int n, double margin) {
    const CellSheets& sheets = cell_sheets(key);
    if (n < sheets.count) return middle_of_sheet(cell, key, n).cwiseMax(margin).cwiseMin(1 - margin);
    for (int normal = 0; normal < 3; ++normal)
        for (const int corner : face_corners(2 * normal))
            if (is_inside(key, corner) == cuts_off_inside(key, 2 * normal) &&
                arc_vertex(key, normal, edges_at(2 * normal, corner)[0]) == n)
                return middle_of_arc(cell, 2 * normal, corner, margin);
    return Vec3::Constant(0.5); // unreachable: every vertex belongs to a sheet or an arc
}

} // namespace fathom
