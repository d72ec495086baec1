// The verbs of the command line. Each file adds one: its options, its help with an example, and what it does.
#pragma once

#include <fathom/base/progress.h>

namespace CLI {
class App;
}

namespace fathom::tool {

// What every verb shares: the options before the verb.
struct Session {
    bool quiet = false; // no progress bars, no chatter on stderr

    // A progress bar on stderr where that is a terminal and the session is not quiet; else nullptr. Owned by the
    // session.
    [[nodiscard]] Progress* progress();
};

// Each adds its subcommand to the program. The work runs after parsing and throws fathom::Error on failure.
void add_info(CLI::App& program, Session& session);
void add_make(CLI::App& program, Session& session);
void add_convert(CLI::App& program, Session& session);
void add_field(CLI::App& program, Session& session);
void add_field_fit(CLI::App& field, Session& session); // a verb of `fathom field`
void add_collide(CLI::App& program, Session& session);
void add_sweep(CLI::App& program, Session& session);
void add_depth(CLI::App& program, Session& session);
void add_simulate(CLI::App& program, Session& session);
void add_tetrahedralize(CLI::App& program, Session& session);
void add_view(CLI::App& program, Session& session);
void add_matrix(CLI::App& program, Session& session);
void add_verify(CLI::App& program, Session& session);
void add_demo(CLI::App& program, Session& session);

} // namespace fathom::tool
