// Depth maps on the device: OpenGL state, textures and their comparison.
#include <fathom/detect/depth_gl/gl_target.h>

#include <fathom/base/error.h>
#include <fathom/detect/depth_gl/gl_shaders.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

// ---- OpenGL state: saved, set and restored
namespace fathom::gl {

namespace {

// Features that must be disabled; the others are set separately.
constexpr std::array<GLenum, 17> unwanted = {
    GL_COLOR_LOGIC_OP,       GL_POLYGON_OFFSET_FILL, GL_POLYGON_OFFSET_LINE,
    GL_POLYGON_OFFSET_POINT, GL_PRIMITIVE_RESTART,   GL_PRIMITIVE_RESTART_FIXED_INDEX,
    GL_RASTERIZER_DISCARD,   GL_STENCIL_TEST,        GL_POLYGON_SMOOTH,
    GL_CLIP_DISTANCE0,       GL_CLIP_DISTANCE1,      GL_CLIP_DISTANCE2,
    GL_CLIP_DISTANCE3,       GL_CLIP_DISTANCE4,      GL_CLIP_DISTANCE5,
    GL_CLIP_DISTANCE6,       GL_CLIP_DISTANCE7};
constexpr std::array<GLenum, 5> switched = {GL_DEPTH_TEST, GL_CULL_FACE, GL_DEPTH_CLAMP, GL_PROGRAM_POINT_SIZE,
                                            GL_LINE_SMOOTH};

struct Pack {
    GLenum name;
    GLint value;
};
constexpr std::array<Pack, 6> packing = {{{GL_PACK_ALIGNMENT, 4},
                                          {GL_PACK_ROW_LENGTH, 0},
                                          {GL_PACK_SKIP_ROWS, 0},
                                          {GL_PACK_SKIP_PIXELS, 0},
                                          {GL_PACK_SWAP_BYTES, GL_FALSE},
                                          {GL_PACK_LSB_FIRST, GL_FALSE}}};

void set(GLenum capability, bool on) { (on ? glEnable : glDisable)(capability); }
void set(GLenum capability, GLuint index, bool on) { (on ? glEnablei : glDisablei)(capability, index); }

GLint integer(GLenum name) {
    GLint value = 0;
    glGetIntegerv(name, &value);
    return value;
}

void set_common(int width, int height) {
    for (const GLenum capability : unwanted) glDisable(capability);
    for (const GLuint buffer : {0u, 1u}) {
        set(GL_BLEND, buffer, false);
        glColorMaski(buffer, GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    }
    glDisable(GL_SCISSOR_TEST); // for all viewports: if another viewport enables it, Mesa still clips the first
    glViewportIndexedf(0, 0, 0, static_cast<GLfloat>(width), static_cast<GLfloat>(height));
    glDepthRangeIndexed(0, 0, 1);
    glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

} // namespace

Units Units::last_two() {
    const auto count = static_cast<GLuint>(integer(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS));
    return {count - 2, count - 1};
}

SavedState::SavedState(const Units& units) {
    for (const GLenum capability : unwanted) enabled_.push_back(glIsEnabled(capability));
    for (const GLenum capability : switched) enabled_.push_back(glIsEnabled(capability));
    for (const Pack& pack : packing) pack_.push_back(integer(pack.name));
    for (GLuint buffer = 0; buffer < 2; ++buffer) {
        buffers_[buffer].blend = glIsEnabledi(GL_BLEND, buffer);
        glGetBooleani_v(GL_COLOR_WRITEMASK, buffer, buffers_[buffer].mask.data());
        glGetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, buffer, &storage_[buffer].buffer);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, buffer, &storage_[buffer].start);
        glGetInteger64i_v(GL_SHADER_STORAGE_BUFFER_SIZE, buffer, &storage_[buffer].size);
    }
    units_[0].unit = units.first, units_[1].unit = units.second;
    for (PerUnit& unit : units_) {
        glGetIntegeri_v(GL_TEXTURE_BINDING_2D, unit.unit, &unit.texture);
        glGetIntegeri_v(GL_SAMPLER_BINDING, unit.unit, &unit.sampler);
    }
    const GLint viewports = integer(GL_MAX_VIEWPORTS);
    for (GLint v = 0; v < viewports; ++v) scissors_.push_back(glIsEnabledi(GL_SCISSOR_TEST, static_cast<GLuint>(v)));
    glGetFloati_v(GL_VIEWPORT, 0, viewport_.data());
    glGetDoublei_v(GL_DEPTH_RANGE, 0, depth_range_.data());
    glGetBooleanv(GL_DEPTH_WRITEMASK, &depth_mask_);
    glGetFloatv(GL_POINT_SIZE, &point_size_);
    glGetFloatv(GL_LINE_WIDTH, &line_width_);
    depth_function_ = integer(GL_DEPTH_FUNC), cull_ = integer(GL_CULL_FACE_MODE), front_ = integer(GL_FRONT_FACE);
    polygon_mode_ = integer(GL_POLYGON_MODE), clip_origin_ = integer(GL_CLIP_ORIGIN),
    clip_depth_ = integer(GL_CLIP_DEPTH_MODE);
    draw_framebuffer_ = integer(GL_DRAW_FRAMEBUFFER_BINDING), read_framebuffer_ = integer(GL_READ_FRAMEBUFFER_BINDING);
    program_ = integer(GL_CURRENT_PROGRAM), vertex_array_ = integer(GL_VERTEX_ARRAY_BINDING);
    pack_buffer_ = integer(GL_PIXEL_PACK_BUFFER_BINDING), storage_buffer_ = integer(GL_SHADER_STORAGE_BUFFER_BINDING);
}

SavedState::~SavedState() {
    std::size_t k = 0;
    for (const GLenum capability : unwanted) set(capability, enabled_[k++]);
    for (const GLenum capability : switched) set(capability, enabled_[k++]);
    for (std::size_t p = 0; p < packing.size(); ++p) glPixelStorei(packing[p].name, pack_[p]);
    for (GLuint buffer = 0; buffer < 2; ++buffer) {
        const auto& mask = buffers_[buffer].mask;
        set(GL_BLEND, buffer, buffers_[buffer].blend);
        glColorMaski(buffer, mask[0], mask[1], mask[2], mask[3]);
        const Storage& storage = storage_[buffer];
        const auto name = static_cast<GLuint>(storage.buffer);
        if (storage.size > 0)
            glBindBufferRange(GL_SHADER_STORAGE_BUFFER, buffer, name, storage.start, storage.size);
        else
            glBindBufferBase(GL_SHADER_STORAGE_BUFFER, buffer, name);
    }
    for (const PerUnit& unit : units_) {
        glBindTextureUnit(unit.unit, static_cast<GLuint>(unit.texture));
        glBindSampler(unit.unit, static_cast<GLuint>(unit.sampler));
    }
    for (std::size_t v = 0; v < scissors_.size(); ++v) set(GL_SCISSOR_TEST, static_cast<GLuint>(v), scissors_[v]);
    glViewportIndexedfv(0, viewport_.data());
    glDepthRangeIndexed(0, depth_range_[0], depth_range_[1]);
    glDepthMask(depth_mask_);
    glPointSize(point_size_);
    glLineWidth(line_width_);
    glDepthFunc(static_cast<GLenum>(depth_function_));
    glCullFace(static_cast<GLenum>(cull_));
    glFrontFace(static_cast<GLenum>(front_));
    glPolygonMode(GL_FRONT_AND_BACK, static_cast<GLenum>(polygon_mode_));
    glClipControl(static_cast<GLenum>(clip_origin_), static_cast<GLenum>(clip_depth_));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer_));
    glUseProgram(static_cast<GLuint>(program_));
    glBindVertexArray(static_cast<GLuint>(vertex_array_));
    glBindBuffer(GL_PIXEL_PACK_BUFFER, static_cast<GLuint>(pack_buffer_));
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, static_cast<GLuint>(storage_buffer_));
}

void set_drawing(int width, int height, Keep keep, Faces faces) {
    set_common(width, height);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(keep == Keep::nearest ? GL_LESS : GL_GREATER);
    set(GL_CULL_FACE, faces != Faces::both);
    glCullFace(faces == Faces::front ? GL_BACK : GL_FRONT);
    glFrontFace(GL_CW);       // rows count upward here and downward in an image
    glEnable(GL_DEPTH_CLAMP); // the fragment shader discards outside pixels; clipping would create new corners
}

void set_thin() {
    glDisable(GL_PROGRAM_POINT_SIZE);
    glDisable(GL_LINE_SMOOTH);
    glPointSize(1);
    glLineWidth(1);
}

void set_full_screen(int width, int height) {
    set_common(width, height);
    for (const GLenum capability : switched) glDisable(capability);
}

void set_reading() {
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    for (const Pack& pack : packing) glPixelStorei(pack.name, pack.value);
}

void bind_texture(GLuint unit, GLuint texture) {
    glBindTextureUnit(unit, texture);
    glBindSampler(unit, 0);
}

} // namespace fathom::gl

namespace fathom::gl {

namespace {

Texture make_texture(const std::shared_ptr<Context>& context, GLenum format, const DepthView& view) {
    Texture texture(context, GL_TEXTURE_2D);
    glTextureStorage2D(texture.name(), 1, format, view.width, view.height);
    glTextureParameteri(texture.name(), GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(texture.name(), GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

template <class T>
void read_texture(const Texture& texture, GLenum format, GLenum type, std::vector<T>& out, std::size_t count) {
    out.resize(count);
    const std::size_t limit = static_cast<std::size_t>(std::numeric_limits<GLsizei>::max());
    const std::size_t bytes = count * sizeof(T);
    if (bytes > limit)
        throw Error(Cause::too_large,
                    fmt::format("a map of {} bytes cannot be read back; the limit is {}", bytes, limit));
    glGetTextureImage(texture.name(), 0, format, type, static_cast<GLsizei>(bytes), out.data());
}

} // namespace

Maps::Maps(const std::shared_ptr<Context>& context, const DepthView& view, const DrawOptions& options)
    : width(view.width), height(view.height) {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (std::max(width, height) > limit)
        throw Error(Cause::too_large, fmt::format("this renderer supports at most {} pixels along a side", limit),
                    {.element = "pixels of a view"});
    depth = make_texture(context, GL_DEPTH_COMPONENT32F, view);
    if (options.ids) ids = make_texture(context, GL_RG32UI, view);
    if (options.normals) normals = make_texture(context, GL_RGBA32F, view);
    framebuffer = Framebuffer(context);
    glNamedFramebufferTexture(framebuffer.name(), GL_DEPTH_ATTACHMENT, depth.name(), 0);
    glNamedFramebufferTexture(framebuffer.name(), GL_COLOR_ATTACHMENT0, ids.name(), 0);
    glNamedFramebufferTexture(framebuffer.name(), GL_COLOR_ATTACHMENT1, normals.name(), 0);
    const std::array<GLenum, 2> outputs = {static_cast<GLenum>(ids ? GL_COLOR_ATTACHMENT0 : GL_NONE),
                                           static_cast<GLenum>(normals ? GL_COLOR_ATTACHMENT1 : GL_NONE)};
    glNamedFramebufferDrawBuffers(framebuffer.name(), 2, outputs.data());
    const GLenum status = glCheckNamedFramebufferStatus(framebuffer.name(), GL_DRAW_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE)
        throw Error(Cause::too_large, fmt::format("a framebuffer of {} x {} pixels cannot be created (status {:#x})",
                                                  width, height, status));
}

bool Maps::fits(const DepthView& view, const DrawOptions& options) const {
    return depth && width == view.width && height == view.height && static_cast<bool>(ids) == options.ids &&
           static_cast<bool>(normals) == options.normals;
}

void Maps::clear(Keep keep) const {
    const GLfloat nothing = keep == Keep::nearest ? 1.0f : 0.0f;
    const std::array<GLuint, 4> nobody = {no_index, no_index, no_index, no_index};
    const std::array<GLfloat, 4> zero{};
    glClearNamedFramebufferfv(framebuffer.name(), GL_DEPTH, 0, &nothing);
    if (ids) glClearNamedFramebufferuiv(framebuffer.name(), GL_COLOR, 0, nobody.data());
    if (normals) glClearNamedFramebufferfv(framebuffer.name(), GL_COLOR, 1, zero.data());
}

Target::~Target() {
    try {
        const Scope scope(context_);
        maps_ = {};
    } catch (const Error&) {
        // A caller's context that is not current any more: its objects are deleted with it.
    }
}

Maps Target::begin(const DepthView& view, const DrawOptions& options, bool fresh) {
    Maps former;
    if (fresh || !maps_.fits(view, options)) {
        Maps next(context_, view, options);
        former = std::exchange(maps_, std::move(next));
    }
    drawn_ = {view, options.keep, {}, {}, {}};
    return former;
}

const DepthMap& Target::map() const {
    if (is_drawn() && drawn_.depth.empty()) read();
    return drawn_;
}

void Target::read() const {
    Scope scope(context_);
    std::optional<SavedState> saved;
    if (context_->adopted()) saved.emplace(Units::last_two());
    set_reading();
    const std::size_t count = drawn_.view.pixel_count();
    DepthMap map = drawn_;
    read_texture(maps_.depth, GL_DEPTH_COMPONENT, GL_FLOAT, map.depth, count);
    if (maps_.ids) read_texture(maps_.ids, GL_RG_INTEGER, GL_UNSIGNED_INT, map.ids, count);
    if (maps_.normals) read_texture(maps_.normals, GL_RGB, GL_FLOAT, map.normals, count);
    scope.check();
    drawn_ = std::move(map);
}

} // namespace fathom::gl

// ---- Comparison by a compute shader, or by a fragment shader with an occlusion query
namespace fathom::gl {

namespace {

enum Task : GLuint { whether, how_deep, at_which_place };
constexpr GLint task_location = 3;

std::string with_functions(std::string_view source) {
    return std::string("#version 450 core\n").append(compare_functions).append(source);
}

DepthOverlap overlap_of(GLuint pixels, GLuint deepest, GLuint first) {
    if (pixels == 0) return {};
    return {pixels, std::bit_cast<float>(deepest), first};
}

} // namespace

void Comparer::bind(const Program& program, const Target& object, const Target& environment, const Units& units) const {
    const auto nothing = [](const Target& target) { return target.keep() == Keep::nearest ? 1.0f : 0.0f; };
    glUseProgram(program.name());
    bind_texture(units.first, object.maps().depth.name());
    bind_texture(units.second, environment.maps().depth.name());
    glUniform1i(0, static_cast<GLint>(units.first));
    glUniform1i(1, static_cast<GLint>(units.second));
    glUniform2f(2, nothing(object), nothing(environment));
}

void Comparer::reset() {
    if (!result_) result_ = Buffer(context_);
    const Result empty;
    glNamedBufferData(result_.name(), sizeof(Result), &empty, GL_DYNAMIC_READ);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, result_.name());
}

Comparer::Result Comparer::result() const {
    Result read;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(result_.name(), 0, sizeof(Result), &read);
    return read;
}

DepthOverlap Comparer::by_compute(const Target& object, const Target& environment, const Units& units) {
    if (!compute_) compute_ = link(context_, {{GL_COMPUTE_SHADER, with_functions(compare_compute_shader)}});
    bind(compute_, object, environment, units);
    reset();
    const auto groups = [](int pixels) { return static_cast<GLuint>((pixels + 63) / 64); };
    const GLuint columns = groups(object.view().width), rows = groups(object.view().height);
    if (!lanes_) lanes_ = Buffer(context_);
    glNamedBufferData(lanes_.name(),
                      static_cast<GLsizeiptr>(sizeof(GLuint) * 2) * object.view().width * static_cast<GLsizeiptr>(rows),
                      nullptr, GL_STREAM_COPY);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, lanes_.name());
    for (const Task task : {how_deep, at_which_place}) {
        glUniform1ui(task_location, task);
        glDispatchCompute(columns, rows, 1);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    }
    const Result found = result();
    return overlap_of(found.pixels, found.deepest, found.first);
}

void Comparer::prepare_fragments(const Target& object, const Target& environment, const Units& units) {
    if (!fragments_) {
        fragments_ = link(context_, {{GL_VERTEX_SHADER, full_screen_vertex_shader},
                                     {GL_FRAGMENT_SHADER, with_functions(compare_fragment_shader)}});
        no_images_ = Framebuffer(context_);
        no_attributes_ = VertexArray(context_);
    }
    const int width = object.view().width, height = object.view().height;
    glNamedFramebufferParameteri(no_images_.name(), GL_FRAMEBUFFER_DEFAULT_WIDTH, width);
    glNamedFramebufferParameteri(no_images_.name(), GL_FRAMEBUFFER_DEFAULT_HEIGHT, height);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, no_images_.name());
    glBindVertexArray(no_attributes_.name());
    set_full_screen(width, height);
    bind(fragments_, object, environment, units);
    reset();
}

GLuint Comparer::count_fragments(GLenum kind) {
    const Query query(context_, kind);
    glBeginQuery(kind, query.name());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glEndQuery(kind);
    GLuint count = 0;
    glGetQueryObjectuiv(query.name(), GL_QUERY_RESULT, &count);
    return count;
}

DepthOverlap Comparer::by_fragments(const Target& object, const Target& environment, const Units& units) {
    prepare_fragments(object, environment, units);
    glUniform1ui(task_location, how_deep);
    const GLuint pixels = count_fragments(GL_SAMPLES_PASSED);
    if (pixels == 0) return {};
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    glUniform1ui(task_location, at_which_place);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    const Result found = result();
    return overlap_of(pixels, found.deepest, found.first);
}

bool Comparer::any(const Target& object, const Target& environment, const Units& units) {
    prepare_fragments(object, environment, units);
    glUniform1ui(task_location, whether);
    return count_fragments(GL_ANY_SAMPLES_PASSED) != 0;
}

} // namespace fathom::gl
