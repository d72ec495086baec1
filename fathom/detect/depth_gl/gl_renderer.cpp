// Draws depth maps with OpenGL: meshes, and environments that the caller draws.
#include <fathom/base/error.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/detect/depth/drawn_mesh.h>
#include <fathom/detect/depth_gl/gl_context.h>
#include <fathom/detect/depth_gl/gl_shaders.h>
#include <fathom/detect/depth_gl/gl_target.h>

#include <map>
#include <optional>
#include <type_traits>
#include <unordered_map>

// ---- Meshes on the device: uploaded once for each version, deleted after the mesh is destroyed
namespace fathom::gl {

struct DeviceMesh {
    std::weak_ptr<const DrawnMesh> mesh;
    std::uint64_t version = 0, normals_version = 0;
    Buffer places, corners; // 3 floats per vertex; a vertex index for each corner of each primitive
    Buffer normals;         // 3 floats per triangle, unit, in the mesh's frame; only if requested
    VertexArray array;
    GLenum mode = GL_TRIANGLES;
    GLsizei corner_count = 0;
};

class MeshStore {
public:
    explicit MeshStore(std::shared_ptr<Context> context) : context_(std::move(context)) {}

    // Call inside a Scope.
    [[nodiscard]] const DeviceMesh& get(const std::shared_ptr<const DrawnMesh>& mesh, bool normals);
    void forget_the_dead();
    [[nodiscard]] std::size_t size() const { return meshes_.size(); }

private:
    std::shared_ptr<Context> context_;
    std::unordered_map<const DrawnMesh*, DeviceMesh> meshes_;
};

} // namespace fathom::gl

namespace fathom::gl {

namespace {

template <class T>
void send(const Buffer& buffer, std::span<const T> data, GLenum usage) {
    glNamedBufferData(buffer.name(), static_cast<GLsizeiptr>(data.size_bytes()), data.data(), usage);
}

// In the given order, which gl_PrimitiveID follows.
std::vector<Index> corners_of(const DrawnMesh& mesh) {
    std::vector<Index> corners;
    for (const Triangle& triangle : mesh.triangles()) corners.insert(corners.end(), triangle.begin(), triangle.end());
    for (const Line& line : mesh.edges()) corners.insert(corners.end(), line.begin(), line.end());
    if (mesh.kind() == Primitives::points)
        for (std::size_t v = 0; v < mesh.positions().size(); ++v) corners.push_back(static_cast<Index>(v));
    return corners;
}

DeviceMesh make(const std::shared_ptr<Context>& context, const std::shared_ptr<const DrawnMesh>& mesh) {
    DeviceMesh device{mesh, 0, 0, Buffer(context), Buffer(context), {}, VertexArray(context)};
    const std::vector<Index> corners = corners_of(*mesh);
    send<Index>(device.corners, corners, GL_STATIC_DRAW);
    device.mode = mesh->kind() == Primitives::triangles ? GL_TRIANGLES
                  : mesh->kind() == Primitives::lines   ? GL_LINES
                                                        : GL_POINTS;
    device.corner_count = static_cast<GLsizei>(corners.size());
    const GLuint array = device.array.name();
    glVertexArrayVertexBuffer(array, 0, device.places.name(), 0, sizeof(Vec3f));
    glVertexArrayElementBuffer(array, device.corners.name());
    glEnableVertexArrayAttrib(array, 0);
    glVertexArrayAttribFormat(array, 0, 3, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(array, 0, 0);
    return device;
}

std::vector<Vec3f> normals_of(const DrawnMesh& mesh) {
    std::vector<Vec3f> normals;
    normals.reserve(mesh.triangles().size());
    const auto place = [&](Index v) { return mesh.positions()[v].cast<double>().eval(); };
    for (const Triangle& t : mesh.triangles())
        normals.push_back((place(t[1]) - place(t[0])).cross(place(t[2]) - place(t[0])).normalized().cast<float>());
    return normals;
}

} // namespace

const DeviceMesh& MeshStore::get(const std::shared_ptr<const DrawnMesh>& mesh, bool normals) {
    auto found = meshes_.find(mesh.get());
    if (found != meshes_.end() && found->second.mesh.expired()) { // another mesh had this address before
        meshes_.erase(found);
        found = meshes_.end();
    }
    if (found == meshes_.end()) found = meshes_.emplace(mesh.get(), make(context_, mesh)).first;
    DeviceMesh& device = found->second;
    if (device.version != mesh->version()) {
        send(device.places, mesh->positions(), GL_DYNAMIC_DRAW);
        device.version = mesh->version();
    }
    if (normals && device.normals_version != mesh->version()) {
        if (!device.normals) device.normals = Buffer(context_);
        send<Vec3f>(device.normals, normals_of(*mesh), GL_DYNAMIC_DRAW);
        device.normals_version = mesh->version();
    }
    return device;
}

void MeshStore::forget_the_dead() {
    std::erase_if(meshes_, [](const auto& entry) { return entry.second.mesh.expired(); });
}

} // namespace fathom::gl

namespace fathom {

namespace gl {

namespace {

// Outputs of a mesh program in addition to depth; with an empty fragment shader the renderer can test depth early.
struct Variant {
    bool ids, normals, facing, box, limits;
    auto operator<=>(const Variant&) const = default;
};

std::string fragment_source(const Variant& variant) {
    std::string source = "#version 450 core\n";
    if (variant.ids) source += "#define IDS\n";
    if (variant.normals) source += "#define NORMALS\n";
    if (variant.facing) source += "#define FACING\n";
    if (variant.box) source += "#define BOX\n";
    if (variant.limits) source += "#define LIMITS\n";
    return source.append(mesh_fragment_shader);
}

std::array<GLfloat, 9> columns_of(const Quat& rotation) {
    std::array<GLfloat, 9> columns{};
    Eigen::Map<Eigen::Matrix3f>(columns.data()) = rotation.toRotationMatrix().cast<float>();
    return columns;
}

enum class Where {
    outside,
    across,
    inside
}; // position of a body relative to the box; across: it crosses the near or far side

Where where(const DrawnBody& body, const DepthView& view) {
    const Box& bounds = body.mesh->bounds();
    const Pose from = relative(view.pose, body.pose);
    const Vec3 middle = from * bounds.center() - Vec3(0, 0, view.size.z() / 2);
    const Vec3 half = from.rotation.toRotationMatrix().cwiseAbs() * bounds.half();
    const Vec3 slack = 1e-4 * view.size + 1e-5 * (half + middle.cwiseAbs()); // well above the rounding errors of floats
    if (((middle.cwiseAbs() - half - slack).array() > (view.size / 2).array()).any()) return Where::outside;
    return std::abs(middle.z()) + half.z() + slack.z() < view.size.z() / 2 ? Where::inside : Where::across;
}

// The parameters of one call: the context is current, the target cleared, the textures bound.
struct Pass {
    const DepthView& view;
    const DrawOptions& options;
    Units units;
    [[nodiscard]] GLuint limits() const { return (options.after ? 1u : 0u) | (options.until ? 2u : 0u); }
};

class Scene final : public GlScene {
public:
    explicit Scene(const Pass& pass) : pass_(pass) {}
    [[nodiscard]] const DepthView& view() const override { return pass_.view; }

    void use(unsigned program, Index body, const Pose& frame) const override {
        const auto location = [&](const char* name) { return glGetUniformLocation(program, name); };
        const Vec2 slope = pass_.view.pixel_size().cwiseInverse() * pass_.view.size.z();
        glUseProgram(program);
        glUniformMatrix4fv(location("fathom_clip"), 1, GL_FALSE, clip(frame).data());
        glUniform1ui(location("fathom_body"), body);
        glUniformMatrix3fv(location("fathom_to_world"), 1, GL_FALSE, columns_of(pass_.view.pose.rotation).data());
        glUniform2f(location("fathom_slope"), static_cast<float>(slope.x()), static_cast<float>(slope.y()));
        glUniform1ui(location("fathom_limits"), pass_.limits());
        glUniform1i(location("fathom_after"), static_cast<GLint>(pass_.units.first));
        glUniform1i(location("fathom_until"), static_cast<GLint>(pass_.units.second));
    }

private:
    const Pass& pass_;
};

class Backend final : public GlDepthBackend {
public:
    explicit Backend(const GlOptions& options)
        : context_(options.current_context ? Context::adopt() : Context::create()), compare_(options.compare),
          meshes_(context_), comparer_(context_) {
        const Scope scope(context_);
        units_ = Units::last_two();
        if (compare_ == GlCompare::automatic)
            compare_ = context_->software() ? GlCompare::read_back : GlCompare::compute;
    }
    ~Backend() override {
        try {
            const Scope scope(context_);
            meshes_ = MeshStore(context_);
            comparer_ = Comparer(context_);
            programs_.clear();
        } catch (const Error&) {
            // A caller's context that is not current any more: its objects are deleted with it.
        }
    }

    [[nodiscard]] std::string name() const override { return context_->renderer(); }
    [[nodiscard]] bool software() const override { return context_->software(); }
    [[nodiscard]] std::unique_ptr<DepthTarget> make_target() override { return std::make_unique<Target>(context_); }
    [[nodiscard]] GlTextures textures(const DepthTarget& target) const override {
        const Maps& maps = own(target, "target").maps();
        return {maps.depth.name(), maps.ids.name(), maps.normals.name()};
    }

    void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options,
              DepthTarget& target) override {
        for (const DrawnBody& body : bodies) check(body);
        draw_pass(view, options, target, [&](const Pass& pass, Scope& scope) {
            meshes_.forget_the_dead();
            for (const DrawnBody& body : bodies) draw_body(pass, body);
            scope.check();
        });
    }

    void draw(const DepthView& view, const DrawOptions& options, DepthTarget& target,
              const std::function<void(const GlScene&)>& draw_environment) override {
        draw_pass(view, options, target, [&](const Pass& pass, Scope& scope) {
            scope.check();
            draw_environment(Scene(pass));
            scope.check("drawing the environment");
        });
    }

    [[nodiscard]] DepthOverlap compare(const DepthTarget& object, const DepthTarget& environment) override {
        const auto maps = pair(object, environment);
        if (!maps.first.is_drawn()) return {};
        if (compare_ == GlCompare::read_back) return cpu_->compare(object, environment);
        return on_device([&] {
            return compare_ == GlCompare::compute ? comparer_.by_compute(maps.first, maps.second, units_)
                                                  : comparer_.by_fragments(maps.first, maps.second, units_);
        });
    }

    [[nodiscard]] bool touch(const DepthTarget& object, const DepthTarget& environment) override {
        const auto maps = pair(object, environment);
        return maps.first.is_drawn() && on_device([&] { return comparer_.any(maps.first, maps.second, units_); });
    }

    void with_context(const std::function<void()>& work) override {
        Scope scope(context_);
        work();
        scope.check("work in the context");
    }

private:
    static void check(const DrawnBody& body) {
        if (!body.mesh) throw Error(Cause::empty, "body has no mesh");
        if (!is_finite(body.pose)) throw Error(Cause::non_finite, "pose of a body is not finite");
    }

    [[nodiscard]] const Target& own(const DepthTarget& target, const char* element) const {
        if (target.owner() != context_.get())
            throw Error(Cause::invalid_argument, "not a target of this backend", {.element = element});
        return static_cast<const Target&>(target);
    }

    [[nodiscard]] std::pair<const Target&, const Target&> pair(const DepthTarget& object,
                                                               const DepthTarget& environment) const {
        const Target &a = own(object, "object"), &b = own(environment, "environment");
        if (a.is_drawn() != b.is_drawn() || a.maps().width != b.maps().width || a.maps().height != b.maps().height)
            throw Error(Cause::invalid_argument, "the maps differ in their number of pixels",
                        {.element = "environment"});
        return {a, b};
    }

    [[nodiscard]] const Target* limit(const DepthTarget* target, const DepthView& view) const {
        if (!target) return nullptr;
        const Target& found = own(*target, "option after or until");
        if (!found.is_drawn() || found.maps().width != view.width || found.maps().height != view.height)
            throw Error(Cause::invalid_argument, "not a drawn target of this backend with the same number of pixels",
                        {.element = "option after or until"});
        return &found;
    }

    template <class Work>
    std::invoke_result_t<Work> on_device(const Work& work) {
        Scope scope(context_);
        std::optional<SavedState> saved;
        if (context_->adopted()) saved.emplace(units_);
        const auto result = work();
        scope.check();
        return result;
    }

    void draw_pass(const DepthView& view, const DrawOptions& options, DepthTarget& target,
                   const std::function<void(const Pass&, Scope&)>& paint) {
        fathom::check(view);
        if (options.conservative)
            throw Error(Cause::unsupported, "the OpenGL backend does not support conservative drawing");
        auto& to = const_cast<Target&>(own(target, "target"));
        const Target *after = limit(options.after, view), *until = limit(options.until, view);

        Scope scope(context_);
        std::optional<SavedState> saved;
        if (context_->adopted()) saved.emplace(units_);
        const Maps former = to.begin(view, options, after == &to || until == &to);
        const auto depth_of = [&](const Target* limit) {
            return limit ? (limit == &to ? former : limit->maps()).depth.name() : 0;
        };
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to.maps().framebuffer.name());
        set_drawing(view.width, view.height, options.keep, options.faces);
        to.maps().clear(options.keep);
        bind_texture(units_.first, depth_of(after));
        bind_texture(units_.second, depth_of(until));
        paint({view, options, units_}, scope);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        bind_texture(units_.first, 0);
        bind_texture(units_.second, 0);
    }

    [[nodiscard]] const Program& program(const Variant& variant) {
        auto found = programs_.find(variant);
        if (found == programs_.end())
            found = programs_
                        .emplace(variant, link(context_, {{GL_VERTEX_SHADER, mesh_vertex_shader},
                                                          {GL_FRAGMENT_SHADER, fragment_source(variant)}}))
                        .first;
        return found->second;
    }

    void draw_body(const Pass& pass, const DrawnBody& body) {
        const Where place = where(body, pass.view);
        if (body.mesh->size() == 0 || place == Where::outside) return;
        const bool flat = body.mesh->kind() == Primitives::triangles;
        const Variant variant{pass.options.ids, pass.options.normals, pass.options.normals && !flat,
                              place == Where::across, pass.limits() != 0};
        const DeviceMesh& device = meshes_.get(body.mesh, variant.normals && flat);
        const Pose frame = body.pose * Pose::from_translation(body.mesh->origin());
        glUseProgram(program(variant).name());
        glUniform4fv(0, 3, clip_matrix(pass.view, frame).data());
        glUniform2f(3, 0.5f * static_cast<float>(pass.view.width), 0.5f * static_cast<float>(pass.view.height));
        glUniform1i(9, body.mesh->kind() == Primitives::points);
        if (variant.ids) glUniform1ui(4, body.id);
        if (variant.facing) {
            const Vec3f back = -pass.view.direction().cast<float>();
            glUniform3fv(5, 1, back.data());
        } else if (variant.normals) {
            glUniformMatrix3fv(5, 1, GL_FALSE, columns_of(frame.rotation).data());
            glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, device.normals.name());
        }
        if (variant.limits) {
            glUniform1ui(6, pass.limits());
            glUniform1i(7, static_cast<GLint>(pass.units.first));
            glUniform1i(8, static_cast<GLint>(pass.units.second));
        }
        if (!flat) set_thin();
        glBindVertexArray(device.array.name());
        glDrawElements(device.mode, device.corner_count, GL_UNSIGNED_INT, nullptr);
    }

    std::shared_ptr<Context> context_;
    GlCompare compare_;
    Units units_;
    MeshStore meshes_;
    Comparer comparer_;
    std::map<Variant, Program> programs_;
    std::unique_ptr<DepthBackend> cpu_ = make_cpu_depth_backend();
};

} // namespace

} // namespace gl

std::string_view environment_fragment_shader() { return gl::environment_fragment; }

std::unique_ptr<GlDepthBackend> make_gl_depth_backend(const GlOptions& options) {
    return std::make_unique<gl::Backend>(options);
}

} // namespace fathom
