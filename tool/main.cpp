// fathom: the command line program. Results go to stdout, messages to stderr. Exit codes: 0 success, 1 failure,
// 2 incorrect usage.
#include <tool/commands.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/version.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

namespace {

constexpr const char* examples = R"(Examples:
  fathom info bunny.obj                                     report the contents and defects of a mesh
  fathom make torus -o torus.ply                            generate a shape
  fathom convert in.stl out.glb                             convert between file formats
  fathom field build bunny.obj -r 256 -o bunny.fathom       sample signed distances on a grid
  fathom tetrahedralize bunny.obj -o bunny.msh              fill a mesh or field with tetrahedra
  fathom decompose bunny.obj --hulls -o parts.json          divide a solid into convex hulls
  fathom collide a.obj b.obj --pose-b 1,0,0                 overlap, contacts and penetration depth
  fathom distance a.obj b.obj --pose-b 1,0,0                signed distance and closest points
  fathom sweep a.obj b.obj --from-a 0,0,3 --to-a 0,0,-3     time of impact of two moving bodies
  fathom depth ship.obj --against rock.obj --pose 2,0,0     collision detection with depth maps
  fathom simulate scenes/bunny_drop.toml -o drop            run a scene and write files for ParaView
  fathom view drop                                          show a scene, recording, field or mesh in the browser
  fathom matrix                                             methods for each pair of shape kinds, with timings
  fathom verify a.obj b.stl                                 compare all methods on given or random shapes
  fathom demo                                               guided tour; writes pictures and files to out/

Run `fathom COMMAND --help` for the options of a command.)";

int run(int argc, char** argv) {
    fathom::tool::Session session;
    std::size_t threads = 0;

    fathom::tool::CommandLine command_line(
        "Collision detection, distance and penetration depth for rigid, deformable, fracturing and rendered geometry.",
        "fathom", std::string("fathom ") + fathom::version);
    const fathom::tool::Command program = command_line.program();
    program.add_option("--threads", threads, "Number of threads (0: all cores)").check(fathom::tool::range(0, 1024));
    program.add_flag("--quiet,-q", session.quiet, "Print no progress bars and no status messages");
    program.footer(examples);
    program.require_command();
    command_line.before_commands([&] { fathom::set_thread_count(threads); });
    fathom::tool::add_info(program, session);
    fathom::tool::add_make(program, session);
    fathom::tool::add_convert(program, session);
    fathom::tool::add_field(program, session);
    fathom::tool::add_tetrahedralize(program, session);
    fathom::tool::add_decompose(program, session);
    fathom::tool::add_collide(program, session);
    fathom::tool::add_distance(program, session);
    fathom::tool::add_sweep(program, session);
    fathom::tool::add_depth(program, session);
    fathom::tool::add_simulate(program, session);
    fathom::tool::add_view(program, session);
    fathom::tool::add_matrix(program, session);
    fathom::tool::add_verify(program, session);
    fathom::tool::add_demo(program, session);

    return command_line.run(argc, argv);
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const fathom::Error& error) {
        std::fprintf(stderr, "fathom: %s\n", error.what());
        return error.cause() == fathom::Cause::invalid_argument ? 2 : 1;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "fathom: out of memory\n");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fathom: %s\n", error.what());
    }
    return 1;
}
