// Python: fathom::Error as fathom.Error (fathom/_errors.py), with cause, reason and place.
#pragma once

namespace fathom::python {

void translate_errors(); // once, at import

} // namespace fathom::python
