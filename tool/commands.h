// Commands of the command line. Each .cpp file defines one command: its options, its help text with examples, and
// its implementation.
#pragma once

#include <tool/command_line.h>

#include <fathom/base/progress.h>

namespace fathom::tool {

// Options that apply to every command and may precede it.
struct Session {
    bool quiet = false; // no progress bars and no status messages on stderr

    // Progress bar on stderr; nullptr if stderr is not a terminal or the session is quiet. The program owns the bar.
    [[nodiscard]] Progress* progress() const;
};

// Each function adds one command to the program. The command runs after parsing and throws fathom::Error on failure.
void add_info(const Command& program, Session& session);
void add_make(const Command& program, Session& session);
void add_convert(const Command& program, Session& session);
void add_field(const Command& program, Session& session);
void add_field_fit(const Command& field, Session& session); // subcommand of `fathom field`
void add_collide(const Command& program, Session& session);
void add_distance(const Command& program, Session& session);
void add_sweep(const Command& program, Session& session);
void add_depth(const Command& program, Session& session);
void add_simulate(const Command& program, Session& session);
void add_decompose(const Command& program, Session& session);
void add_tetrahedralize(const Command& program, Session& session);
void add_view(const Command& program, Session& session);
void add_matrix(const Command& program, Session& session);
void add_verify(const Command& program, Session& session);
void add_demo(const Command& program, Session& session);

} // namespace fathom::tool
