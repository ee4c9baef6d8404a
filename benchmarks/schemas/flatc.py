"""What FlatBuffers' compiler makes of the schema for Python: its output as it is, below a line that names this file."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The reports' programs in Go take the same compiler.
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from languages import builds

PACKAGE = "sc2_flat"


def write(schema: str, folder: Path, *, check: bool) -> bool:
    """Write the package of flatc's Python modules with its object API, if it was not made of this schema already.

    Returns:
        Whether it was current. flatc is asked for only where something is to be written.
    """
    digest = hashlib.sha256(f"{builds.FLATC_VERSION}\n{schema}".encode()).hexdigest()
    stamp = f'"""FlatBuffers accessors, by flatc. See benchmarks/schemas/flatc.py.\n\nSchema: {digest}\n"""\n'
    init = folder / "__init__.py"
    if init.exists() and init.read_text(encoding="utf-8") == stamp:
        return True
    if check:
        return False
    try:
        flatc = builds.flatc()
    except builds.UnavailableError as error:
        sys.exit(f"the FlatBuffers modules cannot be written: {error}")
    with tempfile.TemporaryDirectory() as scratch:
        # flatc makes a folder per part of the namespace; the schema's own would be a second `Abathur` beside `abathur`.
        source = Path(scratch) / "observation.fbs"
        source.write_text(re.sub(r"^namespace .*;$", f"namespace {PACKAGE};", schema, flags=re.M), encoding="utf-8")
        subprocess.run([flatc, "--python", "--gen-object-api", "-o", scratch, str(source)], check=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for module in sorted(Path(scratch, *PACKAGE.split(".")).glob("*.py")):
            text = module.read_text(encoding="utf-8")
            if text:
                head = f"# By flatc {builds.FLATC_VERSION} through benchmarks/schemas/generate.py.\n"
                (folder / module.name).write_text(head + text, encoding="utf-8", newline="\n")
    init.write_text(stamp, encoding="utf-8", newline="\n")
    return False
