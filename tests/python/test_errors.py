"""Errors of the library become exceptions with the same cause, reason and place."""

import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import fathom
from fathom import _choices, _core


def test_every_enum_of_the_library_has_its_members_in_python():
    for kind, names in _core._choices().items():
        assert [member.name for member in getattr(_choices, kind)] == names, kind
        assert getattr(fathom, kind) is getattr(_choices, kind)
    known = {name for name, value in vars(_choices).items() if isinstance(value, type) and issubclass(value, _choices.enum.Enum) and not name.startswith("_")}
    assert known == set(_core._choices())


def test_an_unsupported_version_of_numpy_is_rejected_at_import():
    program = "import numpy; numpy.__version__ = '2.0.0'; import fathom; print(fathom.pose([1, 2, 3])[0, 3])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    refused = run.returncode != 0 and "ImportError" in run.stderr and "numpy below 2" in run.stderr
    assert refused or run.stdout.strip() == "1.0", run.stderr


def test_a_missing_file_is_a_file_not_found_error():
    with pytest.raises(FileNotFoundError) as caught:
        fathom.read_triangle_mesh("no/such/file.obj")
    error = caught.value
    assert isinstance(error, fathom.Error) and isinstance(error, OSError)
    assert error.cause is fathom.Cause.cannot_open and error.place.file == "no/such/file.obj" and "no/such/file.obj" in str(error)


def test_a_malformed_file_is_a_value_error_with_its_line(tmp_path):
    path = tmp_path / "broken.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 zero\nf 1 2 3\n")
    with pytest.raises(ValueError) as caught:
        fathom.read_triangle_mesh(path)
    assert caught.value.cause == "malformed" and caught.value.place.line == 3 and caught.value.place.file == str(path)
    assert caught.value.reason in str(caught.value)


def test_an_unwritable_file_is_an_os_error(tmp_path):
    with pytest.raises(OSError) as caught:
        fathom.write_mesh(tmp_path / "no" / "folder.obj", fathom.make_shape("box"))
    assert caught.value.cause is fathom.Cause.cannot_write


def test_unknown_names_of_members_are_rejected_with_a_list_of_the_known_ones():
    with pytest.raises(ValueError, match="pseudo_normal"):
        fathom.MeshField(fathom.make_shape("box"), sign="guess")
    with pytest.raises(TypeError):
        fathom.MeshField(fathom.make_shape("box"), sign=3)


def test_members_and_their_names_are_equivalent():
    mesh = fathom.make_shape("box")
    assert fathom.MeshField(mesh, sign="parity").sign is fathom.MeshField(mesh, sign=fathom.SignMethod.parity).sign is fathom.SignMethod.parity
    assert str(fathom.SignMethod.parity) == "parity"


def test_errors_survive_pickling():
    with pytest.raises(fathom.Error) as caught:
        fathom.AnalyticExpression("sphere(")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.cause, again.place) == (type(caught.value), str(caught.value), caught.value.cause, caught.value.place)


def test_progress_is_reported_and_can_cancel():
    mesh = fathom.make_shape("creature", triangles=4000)
    seen = []
    fathom.build_grid(mesh, resolution=48, progress=lambda stage, fraction: seen.append((stage, fraction)))
    assert seen and all(isinstance(stage, str) and 0 <= fraction <= 1 for stage, fraction in seen)
    with pytest.raises(fathom.Cancelled) as caught:
        fathom.build_grid(mesh, resolution=48, progress=lambda stage, fraction: False)
    assert caught.value.cause is fathom.Cause.cancelled


def test_an_exception_of_the_progress_callable_reaches_the_caller():
    def watch(stage, fraction):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        fathom.build_grid(fathom.make_shape("torus"), resolution=32, progress=watch)


def test_none_is_rejected_as_a_field():
    for call in (fathom.bake, fathom.contour, fathom.tetrahedralize, fathom.draw_slice):
        with pytest.raises(TypeError):
            call(None)


def test_other_python_threads_run_during_a_batch():
    field = fathom.MeshField(fathom.make_shape("creature", triangles=20_000))
    points = np.random.default_rng(1).uniform(-0.5, 0.5, size=(60_000, 3))
    done = threading.Event()

    def ask():
        field.distance(points)
        done.set()

    worker = threading.Thread(target=ask)
    turns = 0
    worker.start()
    while not done.is_set():
        turns += 1
    worker.join()
    # If the GIL were held, this loop would run about once.
    assert turns > 100


def test_threads_can_share_a_field():
    field = fathom.build_grid(fathom.make_shape("torus"), resolution=32)
    points = np.random.default_rng(1).uniform(-0.5, 0.5, size=(20_000, 3))
    wanted, answers = field.distance(points), [None] * 4

    def ask(k):
        answers[k] = field.distance(points)

    workers = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(answer, wanted) for answer in answers)


def test_results_do_not_depend_on_the_number_of_threads():
    field = fathom.build_grid(fathom.make_shape("torus"), resolution=32)
    points = np.random.default_rng(1).uniform(-0.5, 0.5, size=(20_000, 3))
    before = fathom.thread_count()
    try:
        answers = []
        for count in (1, 2, 5):
            fathom.set_thread_count(count)
            assert fathom.thread_count() == count
            answers.append(field.distance(points))
    finally:
        fathom.set_thread_count(0)
    assert fathom.thread_count() == before and all(np.array_equal(a, answers[0]) for a in answers)
