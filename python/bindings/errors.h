// Translation of fathom::Error to the exceptions of fathom/_errors.py, with cause, reason and place.
#pragma once

namespace fathom::python {

void translate_errors(); // called once, at import

} // namespace fathom::python
