// Commands of the command line. Each .cpp file defines one command: its options, its help text with examples, and
// its implementation.
#pragma once

#include <fathom/base/progress.h>

namespace CLI {
class App;
}

namespace fathom::tool {

// Options that apply to every command and may precede it.
struct Session {
    bool quiet = false; // no progress bars and no status messages on stderr

    // Progress bar on stderr; nullptr if stderr is not a terminal or the session is quiet. The program owns the bar.
    [[nodiscard]] Progress* progress() const;
};

// Each function adds one command to the program. The command runs after parsing and throws fathom::Error on failure.
void add_info(CLI::App& program, Session& session);
void add_make(CLI::App& program, Session& session);
void add_convert(CLI::App& program, Session& session);
void add_field(CLI::App& program, Session& session);
void add_field_fit(CLI::App& field, Session& session); // subcommand of `fathom field`
void add_collide(CLI::App& program, Session& session);
void add_distance(CLI::App& program, Session& session);
void add_sweep(CLI::App& program, Session& session);
void add_depth(CLI::App& program, Session& session);
void add_simulate(CLI::App& program, Session& session);
void add_tetrahedralize(CLI::App& program, Session& session);
void add_view(CLI::App& program, Session& session);
void add_matrix(CLI::App& program, Session& session);
void add_verify(CLI::App& program, Session& session);
void add_demo(CLI::App& program, Session& session);

} // namespace fathom::tool
