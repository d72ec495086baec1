// The one header to include: shapes of every kind, the questions about two of them, and worlds of many.
// Left out on purpose is what few need and what takes long to compile: simulation, drawing, depth maps and the methods
// by themselves; they have headers of their own.
#pragma once

#include <fathom/base/error.h>
#include <fathom/base/motion.h>
#include <fathom/base/parallel.h>
#include <fathom/base/pose.h>
#include <fathom/base/version.h>
#include <fathom/detect/query/query.h>
#include <fathom/detect/query/shape.h>
#include <fathom/detect/world/world.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/file/field_file.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/field/height/height_field.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/neural/neural_field.h>
#include <fathom/field/neural_io/network_file.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/io/mesh_file.h>
