// Makes the code of the libraries' own compilers, and the bundles of the page. A compiler that is missing or fails costs its codecs only.
import { spawn } from "node:child_process";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { build as bundle } from "esbuild";
import { messages } from "../page/model.g.js";
import { findFlatc } from "./flatc.mjs";
import { HERE, ROOT } from "./paths.mjs";
import { STREAMS } from "./streams.mjs";

// By process, so that two runs do not disturb each other.
const BUILD = path.join(HERE, "build", String(process.pid));
const GENERATED = path.join(BUILD, "generated");
const PROTOS = path.join(ROOT, "protos");
const SCHEMAS = path.join(ROOT, "benchmarks", "schemas");
const node = (file, ...args) => run(process.execPath, [path.join(HERE, "node_modules", file), ...args], { cwd: GENERATED });

/** Runs a compiler. Without standard input: capnp-es would wait for one that is a pipe. */
function run(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
    let stdout = "", stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve({ stdout });
      else reject(Object.assign(new Error(`${program} ended with ${code}`), { stderr }));
    });
  });
}

/** A codec is a file in page/codecs. */
export const CODECS = [
  "json", "json-bytes", "json-verified", "protobufjs", "protobufjs-object", "protobufjs-verified", "protobufjs-reflection",
  "protobufjs-7.4.0", "protobufjs-8.2.0", "protobufjs-8.2.1", "pbf", "protobuf-es", "flatbuffers", "flatbuffers-read",
  "avsc", "avsc-verified", "avsc6", "avsc6-verified", "messagepack", "messagepack-verified",
  "msgpackr", "msgpackr-records", "msgpackr-verified", "cbor", "cbor-records", "cbor-verified", "bebop",
  "capnp", "capnp-read", ...Object.keys(STREAMS),
];

const COMPILERS = { protobufjs, pbf, "protobuf-es": protobufEs, flatbuffers, avsc, bebop, capnp };
const compilerOf = (codec) => Object.keys(COMPILERS).find((each) => codec === each || codec.startsWith(`${each}-`) || codec.startsWith(`${each}6`));

/**
 * @param {string[]} codecs
 * @returns {Promise<{site: string, failures: Record<string, string>, generated: string}>} folder to serve, why codecs are
 * not there, and folder of the compilers' output
 */
export async function build(codecs) {
  await rm(BUILD, { recursive: true, force: true });
  await mkdir(path.join(GENERATED, "capnp"), { recursive: true });
  const failures = {};
  // The page itself reads the daemon's frames with protobufjs.
  const compilers = new Set(["protobufjs", ...codecs.map(compilerOf).filter(Boolean)]);
  const compile = async (compiler) => {
    try {
      await COMPILERS[compiler]();
    } catch (error) {
      if (compiler === "protobufjs") throw error;
      for (const codec of codecs.filter((each) => compilerOf(each) === compiler)) failures[codec] = reason(error);
    }
  };
  await Promise.all([...compilers].map(compile));
  const site = path.join(BUILD, "site");
  for (const codec of codecs.filter((each) => !(each in failures))) {
    try {
      await bundleOne(path.join(HERE, "page", "codecs", `${codec}.js`), path.join(site, "codecs", `${codec}.js`));
    } catch (error) {
      failures[codec] = `esbuild: ${reason(error)}`;
    }
  }
  for (const file of ["page.js", "end_to_end.js", "http.js"]) await bundleOne(path.join(HERE, "page", file), path.join(site, file));
  await cp(path.join(HERE, "page", "index.html"), path.join(site, "index.html"));
  return { site, failures, generated: GENERATED };
}

/** Removes what build() made. */
export const clean = () => rm(BUILD, { recursive: true, force: true });

const reason = (error) => {
  if (error.code === "ENOENT") return `${error.path ?? "a compiler"} is not installed`;
  return String(error.stderr || error.message).replace(/\x1b\[[0-9;]*m/g, "").trim().split(/\r?\n/).slice(0, 3).join(" ");
};

const bundleOne = (entry, outfile) =>
  bundle({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "esnext",
    minifySyntax: true,
    logLevel: "silent",
    // Codecs are loaded by name at run time, and what avsc asks of node is what its docs name for browsers.
    external: ["/codecs/*", "/end_to_end.js", "/http.js"],
    define: { global: "globalThis", "process.env.NODE_ENV": '"production"' },
    loader: { ".wasm": "binary" },
    alias: { "#build": GENERATED, "#columns": path.join(ROOT, "Abathur.Sync", "Dashboard", "columns.js"), util: path.join(HERE, "page", "node_util.js") },
    nodePaths: [path.join(HERE, "node_modules")],
  });

async function protobufjs() {
  const files = ["-p", PROTOS, "abathur/sync/v1/sync.proto"];
  await node("protobufjs-cli/bin/pbjs", "-t", "static-module", "-w", "esm", "--no-comments", "-o", "protobufjs.js", ...files);
  await node("protobufjs-cli/bin/pbjs", "-t", "json", "-o", "protobufjs_root.json", ...files);
}

async function pbf() {
  const type = { enum: () => "int32", message: (field) => field.message };
  const lines = ['syntax = "proto2";'];
  for (const [name, fields] of Object.entries(messages)) {
    lines.push(`message ${name} {`);
    for (const field of fields) {
      lines.push(`  ${field.repeated ? "repeated" : "optional"} ${type[field.kind]?.(field) ?? field.kind} ${field.name} = ${field.number};`);
    }
    lines.push("}");
  }
  await writeFile(path.join(GENERATED, "pbf.proto"), lines.join("\n"));
  const { stdout } = await node("pbf/bin/pbf", "pbf.proto");
  await writeFile(path.join(GENERATED, "pbf.js"), stdout);
}

async function protobufEs() {
  const plugin = [process.execPath, path.join(HERE, "node_modules", "@bufbuild", "protoc-gen-es", "bin", "protoc-gen-es")];
  const plugins = [{ local: plugin, out: "es", opt: ["target=js", "import_extension=js"] }];
  const template = { version: "v2", inputs: [{ directory: PROTOS }], plugins };
  await node("@bufbuild/buf/bin/buf", "generate", "--template", JSON.stringify(template));
}

async function flatbuffers() {
  const out = path.join(GENERATED, "flat");
  const { program, version } = findFlatc();
  await run(program, ["--ts", "--gen-object-api", "-o", out, path.join(SCHEMAS, "observation.fbs")]);
  const modules = (await readdir(path.join(out, "abathur", "benchmarks"))).map((file) => file.replace(/\.ts$/, ""))
    .map((name) => `export * from "./flat/abathur/benchmarks/${name}";`);
  modules.push(`export const flatc = ${JSON.stringify(version)};`);
  await writeFile(path.join(GENERATED, "flat.ts"), modules.join("\n"));
}

async function avsc() {
  await cp(path.join(SCHEMAS, "observation.avsc"), path.join(GENERATED, "observation.avsc.json"));
}

async function bebop() {
  await node("bebop-tools/dist/index.js", "-i", path.join(SCHEMAS, "observation.bop"), "build", "-g", "ts:bebop.ts");
}

async function capnp() {
  await run("capnp", ["--version"]);
  await cp(path.join(SCHEMAS, "observation.capnp"), path.join(GENERATED, "capnp", "observation.capnp"));
  await node("capnp-es/dist/compiler/capnpc-js.mjs", "capnp/observation.capnp", "-ojs");
}
