# Runs a short scene and reads the recording with VTK, as ParaView does. Usage: recording_in_vtk.py TOOL SCENE
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import vtk


def read(path, messages):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.AddObserver("ErrorEvent", lambda *_: messages.append(path.name))
    reader.AddObserver("WarningEvent", lambda *_: messages.append(path.name))
    reader.Update()
    return reader.GetOutput()


def main():
    tool, scene = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tool, "--quiet", "simulate", scene, "-o", folder, "--seconds", "0.3"], check=True)
        messages, times, cells = [], set(), 0
        collections = sorted(pathlib.Path(folder).glob("*.pvd"))
        assert collections, "no .pvd was written"
        for collection in collections:
            entries = xml.etree.ElementTree.parse(collection).getroot().findall("./Collection/DataSet")
            assert len(entries) > 1, f"{collection.name} has {len(entries)} entries"
            for entry in entries:
                grid = read(collection.parent / entry.get("file"), messages)
                times.add(float(entry.get("timestep")))
                cells += grid.GetNumberOfCells()
        assert not messages, f"VTK reports errors or warnings for {messages}"
        assert cells > 0 and len(times) > 1, f"{cells} cells at {len(times)} times"
        print(f"{cells} cells at {len(times)} times, no errors or warnings")


main()
