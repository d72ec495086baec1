// fathom: the command line. Data goes to stdout, words to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage.
#include <tool/verbs.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/version.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <new>

namespace {

constexpr const char* examples = R"(Examples:
  fathom info bunny.obj            what a mesh is made of, and what is wrong with it
  fathom make torus -o torus.ply   a generated shape
  fathom convert in.stl out.glb    from one format to another
  fathom field build bunny.obj -r 256 -o bunny.fathom   distances on a grid; `field slice` draws them
  fathom tetrahedralize bunny.obj -o bunny.msh              tetrahedra that fill a mesh or field
  fathom collide a.obj b.obj --pose-b 1,0,0                 how deep two bodies meet and where, or how far apart they are
  fathom sweep a.obj b.obj --from-a 0,0,3 --to-a 0,0,-3     when two moving bodies touch, and where
  fathom depth ship.obj --against rock.obj --pose 2,0,0     do they meet, by depth maps; which directions suit a mesh
  fathom simulate scenes/bunny_drop.toml -o drop            rigid bodies; opens in ParaView
  fathom view drop                                          a scene, recording, field or mesh in the browser
  fathom matrix                    which method answers for which pair of shapes, and how fast
  fathom verify a.obj b.stl        all methods held against each other on your shapes, or on random ones
  fathom demo                      a tour; writes pictures and files to out/

`fathom VERB --help` says more.)";

int run(int argc, char** argv) {
    fathom::tool::Session session;
    std::size_t threads = 0;

    CLI::App program("Collision, distance and penetration for rigid, deformable, breaking and drawn geometry.",
                     "fathom");
    program.set_version_flag("--version", std::string("fathom ") + fathom::version);
    program.add_option("--threads", threads, "Number of threads (0: all cores)")->check(CLI::Range(0, 1024));
    program.add_flag("--quiet,-q", session.quiet, "No progress bars, no chatter");
    program.footer(examples);
    program.require_subcommand(1);
    program.fallthrough();
    program.parse_complete_callback([&] { fathom::set_thread_count(threads); });
    fathom::tool::add_info(program, session);
    fathom::tool::add_make(program, session);
    fathom::tool::add_convert(program, session);
    fathom::tool::add_field(program, session);
    fathom::tool::add_tetrahedralize(program, session);
    fathom::tool::add_collide(program, session);
    fathom::tool::add_sweep(program, session);
    fathom::tool::add_depth(program, session);
    fathom::tool::add_simulate(program, session);
    fathom::tool::add_view(program, session);
    fathom::tool::add_matrix(program, session);
    fathom::tool::add_verify(program, session);
    fathom::tool::add_demo(program, session);

    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 asks for a verb before it tells that the word it got is none.
        const std::vector<std::string> rest = program.remaining();
        if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !rest.empty()) {
            std::fprintf(stderr, "fathom: '%s' is no verb; `fathom --help` lists them\n", rest.front().c_str());
            return 2;
        }
        return program.exit(error) == 0 ? 0 : 2;
    }
    return 0;
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
