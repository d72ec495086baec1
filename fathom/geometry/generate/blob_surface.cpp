// Blended blobs: value, gradient, projection.
#include <fathom/geometry/generate/blob_surface.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// A blob reaches to 3/2 of its radius; its field is ((R^2 - u^2) / (R^2 - 1))^3 of the relative distance u, 1 at u = 1.
constexpr double reach_squared = 2.25;
constexpr double kernel_scale = 1 / (reach_squared - 1);

} // namespace

BlobSurface::BlobSurface(std::vector<Blob> blobs) {
    for (const Blob& blob : blobs) {
        Prepared b;
        // Stretching space along the flat axis makes the flattened blob round.
        b.flatten = Mat3::Identity() + (blob.flatness - 1) * (blob.flat_axis * blob.flat_axis.transpose());
        b.start = b.flatten * blob.start;
        b.axis = b.flatten * blob.end - b.start;
        const double squared = b.axis.squaredNorm();
        b.inverse_length_squared = squared > 0 ? 1 / squared : 0;
        b.start_radius = blob.start_radius;
        b.taper = blob.end_radius - blob.start_radius;
        b.weight = blob.weight;
        b.smallest_radius = 1 / std::max(1.0, blob.flatness);
        b.center = 0.5 * (blob.start + blob.end);
        const double radius = std::max(blob.start_radius, blob.end_radius) * std::max(1.0, 1 / blob.flatness);
        const double influence = 0.5 * std::sqrt((blob.end - blob.start).squaredNorm()) + 1.5 * radius;
        b.influence_squared = influence * influence;
        blobs_.push_back(b);
        if (blob.weight > 0) {
            bounds_.extend(Box::around(blob.start, Vec3::Constant(1.5 * radius)));
            bounds_.extend(Box::around(blob.end, Vec3::Constant(1.5 * radius)));
        }
    }
}

BlobSurface::Sample BlobSurface::sample(const Vec3& p) const {
    Sample result{1, Vec3::Zero()};
    for (const Prepared& b : blobs_) {
        if ((p - b.center).squaredNorm() >= b.influence_squared) continue;
        const Vec3 q = b.flatten * p - b.start;
        const double t = std::clamp(q.dot(b.axis) * b.inverse_length_squared, 0.0, 1.0);
        const double radius = b.start_radius + t * b.taper;
        const Vec3 away = q - t * b.axis;
        const double u = away.squaredNorm() / (radius * radius);
        if (u >= reach_squared) continue;
        const double k = (reach_squared - u) * kernel_scale;
        result.value -= b.weight * k * k * k;
        // The nearest point of the segment moves at right angles to `away`, so only the taper adds to the gradient of
        // u.
        Vec3 du = 2 / (radius * radius) * away;
        if (t > 0 && t < 1) du -= (2 * u / radius * b.taper * b.inverse_length_squared) * b.axis;
        result.gradient += (3 * b.weight * kernel_scale * k * k) * (b.flatten * du);
    }
    return result;
}

Vec3 BlobSurface::normal(const Vec3& p) const {
    const Vec3 g = sample(p).gradient;
    const double length = std::sqrt(g.squaredNorm());
    return length > 0 ? Vec3(g / length) : Vec3::UnitZ();
}

Vec3 BlobSurface::project(const Vec3& p, double reach, int steps) const {
    Vec3 q = p;
    for (int k = 0; k < steps; ++k) {
        const Sample s = sample(q);
        const double gg = s.gradient.squaredNorm();
        if (!(gg > 0)) break;
        Vec3 step = (-s.value / gg) * s.gradient;
        const double length = std::sqrt(step.squaredNorm());
        if (length > reach) step *= reach / length;
        q += step;
    }
    return q;
}

double BlobSurface::thickness(const Vec3& p) const {
    double sum = 0, weight = 0;
    for (const Prepared& b : blobs_) {
        if ((p - b.center).squaredNorm() >= b.influence_squared) continue;
        const Vec3 q = b.flatten * p - b.start;
        const double t = std::clamp(q.dot(b.axis) * b.inverse_length_squared, 0.0, 1.0);
        const double radius = b.start_radius + t * b.taper;
        const double k = std::max(0.0, reach_squared - (q - t * b.axis).squaredNorm() / (radius * radius));
        sum += k * k * k * radius * b.smallest_radius;
        weight += k * k * k;
    }
    return weight > 0 ? sum / weight : 1;
}

} // namespace fathom
