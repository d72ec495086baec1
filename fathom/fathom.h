// Includes the public API: shapes of every kind, queries on pairs of shapes, and worlds of many bodies.
// Simulation, rendering, depth maps and the individual detection methods are not included, because few programs need
// them and they take long to compile. They have their own headers.
#pragma once

#include <fathom/base/error.h>
#include <fathom/base/motion.h>
#include <fathom/base/parallel.h>
#include <fathom/base/pose.h>
#include <fathom/base/version.h>
#include <fathom/detect/query/derivatives.h>
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
