// Line plots as SVG text.
#include <fathom/show/line_plot.h>

#include <fathom/base/file.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

constexpr std::array<const char*, 6> colors = {"#2366a8", "#c8442c", "#2f8f4e", "#8a4fa3", "#c98a1b", "#555555"};
constexpr double left = 74, right = 18, top = 40, bottom = 50; // margins for the labels (pixels)

// Round numbers that cover the range of the values.
struct Axis {
    double low = 0, high = 1, step = 1;
    bool log = false;
    double highest = std::numeric_limits<double>::infinity();

    [[nodiscard]] double fraction(double v) const { return ((log ? std::log10(v) : v) - low) / (high - low); }
    [[nodiscard]] bool shows(double v) const { return std::isfinite(v) && v <= highest && (!log || v > 0); }
};

double round_step(double span, int wanted) {
    const double raw = span / wanted, power = std::pow(10, std::floor(std::log10(raw)));
    for (const double digit : {1.0, 2.0, 5.0})
        if (digit * power >= raw) return digit * power;
    return 10 * power;
}

template <class Get>
Axis axis_of(const LinePlot& plot, Axis axis, int ticks, const Get& get) {
    const bool log = axis.log;
    axis.low = std::numeric_limits<double>::infinity(), axis.high = -axis.low;
    for (const Curve& curve : plot.curves)
        for (const auto& point : curve.points) {
            if (!axis.shows(get(point))) continue;
            const double v = log ? std::log10(get(point)) : get(point);
            axis.low = std::min(axis.low, v);
            axis.high = std::max(axis.high, v);
        }
    if (!(axis.low <= axis.high)) axis.low = 0, axis.high = 1; // nothing to show
    const double least = std::max(std::abs(axis.low), std::abs(axis.high)) * 1e-9;
    if (axis.high - axis.low <= least) axis.low -= std::max(0.5, least), axis.high += std::max(0.5, least);
    axis.step =
        log ? std::max(1.0, std::round((axis.high - axis.low) / ticks)) : round_step(axis.high - axis.low, ticks);
    axis.low = axis.step * std::floor(axis.low / axis.step);
    axis.high = axis.step * std::ceil(axis.high / axis.step);
    return axis;
}

std::string escaped_svg(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '<')
            safe += "&lt;";
        else if (c == '&')
            safe += "&amp;";
        else
            safe += c;
    }
    return safe;
}

class Drawing {
public:
    explicit Drawing(const LinePlot& plot)
        : plot_(plot), x_(axis_of(plot, {}, 8, [](const auto& p) { return p.first; })),
          y_(axis_of(plot, {.log = plot.log_y, .highest = plot.highest_y}, 5, [](const auto& p) { return p.second; })) {
    }

    std::string run() {
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n",
            plot_.width, plot_.height);
        add("<rect width=\"100%\" height=\"100%\" fill=\"#fdfdfb\"/>\n<text x=\"{}\" y=\"22\" "
            "font-size=\"15\">{}</text>\n",
            left, escaped_svg(plot_.title));
        grid();
        for (std::size_t k = 0; k < plot_.curves.size(); ++k) curve(k);
        add("</svg>\n");
        return std::move(text_);
    }

private:
    template <class... Arguments>
    void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }
    [[nodiscard]] double px(double x) const { return left + x_.fraction(x) * (plot_.width - left - right); }
    [[nodiscard]] double py(double y) const {
        return plot_.height - bottom - y_.fraction(y) * (plot_.height - top - bottom);
    }

    void grid() {
        const double floor = plot_.height - bottom;
        for (int k = 0; k <= std::lround((x_.high - x_.low) / x_.step); ++k) {
            const double v = x_.low + k * x_.step;
            add("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#e2e2dc\"/><text x=\"{0:.1f}\" y=\"{3}\" "
                "text-anchor=\"middle\">{4:.4g}</text>\n",
                px(v), top, floor, floor + 16, rounded(v, x_));
        }
        for (int k = 0; k <= std::lround((y_.high - y_.low) / y_.step); ++k) {
            const double v = y_.low + k * y_.step, shown = y_.log ? std::pow(10, v) : v;
            add("<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#e2e2dc\"/><text x=\"{3}\" y=\"{4:.1f}\" "
                "text-anchor=\"end\">{5:.4g}</text>\n",
                left, py(shown), plot_.width - right, left - 6, py(shown) + 4, y_.log ? shown : rounded(v, y_));
        }
        add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", 0.5 * (left + plot_.width - right),
            plot_.height - 12, escaped_svg(plot_.x_label));
        add("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
            0.5 * (top + floor), escaped_svg(plot_.y_label));
    }

    // Avoids labels such as 0.30000000000000004.
    static double rounded(double v, const Axis& axis) { return std::abs(v) < 1e-9 * axis.step ? 0.0 : v; }

    void curve(std::size_t k) {
        const Curve& curve = plot_.curves[k];
        const char* color = colors[k % colors.size()];
        add("<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" d=\"", color);
        bool drawing = false;
        for (const auto& [x, y] : curve.points) {
            const bool seen = x_.shows(x) && y_.shows(y);
            if (seen) add("{}{:.1f} {:.1f}", drawing ? 'L' : 'M', px(x), py(y));
            drawing = seen;
        }
        add("\"/>\n");
        const double y = top + 8 + 16 * static_cast<double>(k);
        add("<path d=\"M{0} {1}h18\" stroke=\"{2}\" stroke-width=\"3\"/><text x=\"{3}\" y=\"{4}\">{5}</text>\n",
            plot_.width - 190, y, color, plot_.width - 166, y + 4, escaped_svg(curve.name));
    }

    const LinePlot& plot_;
    Axis x_, y_;
    std::string text_;
};

} // namespace

std::string to_svg(const LinePlot& plot) { return Drawing(plot).run(); }

void write_svg(const std::filesystem::path& path, const LinePlot& plot) { write_whole_file(path, to_svg(plot)); }

} // namespace fathom
