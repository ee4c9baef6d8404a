"""What users get: the daemon alone and as a .NET tool, NuGet packages, the Python package as wheel and sdist."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import abathur
import pytest
from programs import ROOT, SKIRMISH, TIMEOUT, Play, pip_settings, run_with_children

MINUTES = 600
# The first test has to wait for all packages.
pytestmark = pytest.mark.timeout(3 * MINUTES)
#: Another system that this one makes packages for. Those for macOS are made in the same way.
ELSEWHERE = "linux-arm64"
LICENCES = [
    f"licenses/{each}.txt" for each in ("NOTICES", "Apache.Arrow", "NATS.Client", "s2clientprotocol", "libzstd")
]
QEMU = shutil.which("qemu-aarch64")
# What a user relies on first: arrays, payloads, receiving, the command line. All tests would take as long again.
TESTS = [ROOT / "python_agent" / "tests" / f"test_{name}.py" for name in ("units", "payloads", "receive", "cli")]


def run(*command: str | Path, seconds: float = MINUTES, **options: object) -> subprocess.CompletedProcess[str]:
    done = run_with_children([str(each) for each in command], seconds, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def commit() -> str:
    """Of this clone, as `abathur --version` tells it."""
    if not (ROOT / ".git").exists():
        return "unknown: not built from a clone"
    return run("git", "describe", "--always", "--abbrev=12", "--dirty", cwd=ROOT).stdout.strip()


@pytest.fixture(autouse=True)
def finds_its_own_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed is not told where one is, nor where the package of this clone is."""
    monkeypatch.delenv("ABATHUR_SYNC", raising=False)
    monkeypatch.delenv("PYTHONPATH", raising=False)


@pytest.fixture(scope="module")
def version() -> str:
    element = ElementTree.parse(ROOT / "Directory.Build.props").find(".//Version")
    assert element is not None and element.text
    return element.text


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    run("dotnet", "make.cs", "pack", "linux-x64", ELSEWHERE, "--output", folder, seconds=2 * MINUTES)
    return folder


@pytest.mark.packages
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux to run what is made for it")
def test_the_daemon_in_one_file_needs_nothing_else(packages: Path, version: str, tmp_path: Path) -> None:
    with tarfile.open(packages / f"abathur-sync-{version}-linux-x64.tar.gz") as archive:
        archive.extractall(tmp_path, filter="tar")
    program = tmp_path / "abathur-sync"
    texts = {"README.md", "LICENSE", "CHANGELOG.md", "licenses", "abathur-sync.cdx.json"}
    assert {each.name for each in tmp_path.iterdir()} == {"abathur-sync", "libzstd.so", "skirmish.mcap", *texts}
    # No .NET on this machine, as far as the program can see.
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "DOTNET_ROOT": "/nowhere"}
    assert run(program, "--version", env=environment).stdout.startswith(version)
    command = [
        str(program),
        "play",
        "--loop",
        "--grpc-port",
        "0",
        "--socket-port",
        "0",
        "--stop-with-parent",
    ]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdin is not None and daemon.stdout is not None
        ready = dict(item.split("=") for item in daemon.stdout.readline().split()[1:])
        for address in (ready["grpc"], f"socket://{ready['socket']}"):
            with abathur.connect_blocking(address) as game:
                assert next(iter(game.frames())).units.tag.size > 0
        daemon.stdin.close()
        assert daemon.wait(TIMEOUT) == 0


@pytest.mark.packages
def test_packages_of_other_systems_say_that_they_are_untested(packages: Path, version: str) -> None:
    with tarfile.open(packages / f"abathur-sync-{version}-{ELSEWHERE}.tar.gz") as archive:
        files = {each.name: each for each in archive.getmembers()}
        text = archive.extractfile(files["UNTESTED.txt"])
        assert text is not None and ELSEWHERE in text.read().decode()
        assert files["abathur-sync"].mode & 0o111
    (wheel,) = packages.glob(f"abathur_agent-{version}-py3-none-*linux*_aarch64.whl")
    with zipfile.ZipFile(wheel) as inside:
        names = set(inside.namelist())
        aarch64 = 0xB7
        for name in ("_daemon/abathur-sync", "_daemon/libzstd.so", "_lib/libabathur.so"):
            assert inside.read(f"abathur/{name}")[18] == aarch64, name
    assert {f"abathur/_daemon/{each}" for each in (*LICENCES, "UNTESTED.txt")} <= names


@pytest.mark.packages
@pytest.mark.skipif(QEMU is None, reason="needs qemu-aarch64 (Debian: qemu-user)")
def test_the_daemon_for_linux_on_arm_starts(packages: Path, version: str, tmp_path: Path) -> None:
    with tarfile.open(packages / f"abathur-sync-{version}-{ELSEWHERE}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="tar")
    emulated = [str(QEMU), "-L", "/usr/aarch64-linux-gnu", tmp_path / "abathur-sync"]
    assert run(*emulated, "--version").stdout.startswith(f"{version}+")


@pytest.mark.packages
def test_the_parts_are_listed(packages: Path, version: str) -> None:
    parts = json.loads((packages / f"abathur-sync-{version}.cdx.json").read_text(encoding="utf-8"))
    assert (parts["bomFormat"], parts["metadata"]["component"]["version"]) == ("CycloneDX", version)
    listed = {each["name"]: each for each in parts["components"]}
    notices = (ROOT / "Abathur.Sync" / "NOTICES.txt").read_text(encoding="utf-8")
    for name, own in re.findall(r"^(\S+)\n  ([\d.]+), ", notices, re.M):
        assert listed[name]["version"] == own
        assert listed[name]["licenses"]


@pytest.mark.packages
def test_the_documentation_is_a_site(packages: Path, version: str) -> None:
    with zipfile.ZipFile(packages / f"abathur-docs-{version}.zip") as site:
        names = set(site.namelist())
        assert "run_game" in site.read("index.html").decode()
    pages = {f"docs/{each.stem}.html" for each in (ROOT / "docs").glob("*.md")}
    assert {"api/Abathur.Client.AbathurGame.html", "index.json", *pages} <= names
    assert not [each for each in names if each.endswith(".map")]


@pytest.mark.packages
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_the_containerfile_has_no_faults(tmp_path: Path) -> None:
    """As a linter reads it. An image is not built: its base is on a registry."""
    shutil.copy(ROOT / "Containerfile", tmp_path / "Dockerfile")
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "dockerfilelint@1.8.0", cwd=tmp_path)
    lint = tmp_path / "node_modules" / ".bin" / ("dockerfilelint.cmd" if os.name == "nt" else "dockerfilelint")
    found = json.loads(run(lint, "--output", "json", "Dockerfile", cwd=tmp_path).stdout)
    assert found["totalIssues"] == 0, found["files"]


@pytest.mark.packages
def test_the_dotnet_tool_installs_and_runs(packages: Path, version: str, tmp_path: Path) -> None:
    tool = ["dotnet", "tool", "install", "Abathur.Sync", "--tool-path", tmp_path / "tools", "--version", version]
    # The package may have been installed before with the same version, which is then taken from there.
    run(*tool, "--add-source", packages, "--no-cache", env={**os.environ, "NUGET_PACKAGES": str(tmp_path / "cache")})
    name = "abathur-sync.exe" if os.name == "nt" else "abathur-sync"
    assert "Synthetic LE" in run(tmp_path / "tools" / name, "info", SKIRMISH).stdout


#: The libraries that are packages.
LIBRARIES = (
    "Client", "Client.Nats", "Client.Testing", "Columns", "Compression", "Mcap", "Protobuf", "Protocol", "Recordings",
    "Sc2",
)  # fmt: skip


@pytest.fixture(scope="module")
def empty_projects(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for projects that have nothing of this repository but the packages."""
    folder = tmp_path_factory.mktemp("projects")
    feeds = re.findall(r"^ +\d+\. +(.+) \[Enabled\]", run("dotnet", "nuget", "list", "source", cwd=folder).stdout, re.M)
    usual = "".join(f'<packageSource key="{feed}"><package pattern="*"/></packageSource>' for feed in feeds)
    mine = '<packageSource key="packages"><package pattern="Abathur.*"/></packageSource>'
    (folder / "nuget.config").write_text(
        f'<configuration><packageSources><add key="packages" value="{packages}"/></packageSources>'
        f"<packageSourceMapping>{usual}{mine}</packageSourceMapping></configuration>",
        encoding="utf-8",
    )
    return folder


#: The examples of their READMEs, for each framework that they have.
EXAMPLES = [
    *((each, "net10.0") for each in LIBRARIES),
    *((each, "net8.0") for each in ("Client", "Columns", "Compression")),
]
#: The examples of C#, and their programs.
PROGRAMS = {"csharp_agent": "CSharpAgent", "csharp_bot": "CSharpBot"}


EXECUTABLE = "<OutputType>Exe</OutputType>"


def settings(framework: str) -> str:
    """What the repository sets for all projects, or leaves to each."""
    return (
        f"<TargetFramework>{framework}</TargetFramework><RollForward>Major</RollForward><Nullable>enable</Nullable>"
        "<LangVersion>latest</LangVersion><ImplicitUsings>enable</ImplicitUsings>"
    )


@pytest.fixture(scope="module")
def examples(packages: Path, version: str, empty_projects: Path) -> Path:
    """A folder with a project for each example, outside of the repository, which are built together."""
    for library, framework in EXAMPLES:
        # The examples of Columns use the message classes of Sc2.
        wanted = [library, "Sc2"] if library == "Columns" else [library]
        folder = empty_projects / f"{library}-{framework}"
        folder.mkdir()
        (folder / "Example.cs").write_text(readme_example(library)[0], encoding="utf-8")
        references = "".join(f'<PackageReference Include="Abathur.{each}" Version="{version}"/>' for each in wanted)
        (folder / f"{folder.name}.csproj").write_text(
            f'<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{EXECUTABLE}<AssemblyName>Example</AssemblyName>'
            f"{settings(framework)}</PropertyGroup><ItemGroup>{references}</ItemGroup></Project>",
            encoding="utf-8",
        )
    for example in PROGRAMS:
        folder = empty_projects / example
        shutil.copytree(ROOT / "examples" / example, folder, ignore=shutil.ignore_patterns("bin", "obj"))
        # What the project says in its first comment: the package in place of the project.
        text = (folder / f"{example}.csproj").read_text(encoding="utf-8")
        text = re.sub(
            r'<ProjectReference Include="[^"]*/(Abathur\.[A-Za-z.]+)\.csproj" />',
            rf'<PackageReference Include="\1" Version="{version}" />',
            text,
        )
        assert "ProjectReference" not in text
        (folder / f"{example}.csproj").write_text(
            text.replace(EXECUTABLE, EXECUTABLE + settings("net8.0")), encoding="utf-8"
        )
    found = sorted(each.relative_to(empty_projects) for each in empty_projects.glob("*/*.csproj"))
    solution = "".join(f'<Project Path="{each.as_posix()}"/>' for each in found)
    (empty_projects / "all.slnx").write_text(f"<Solution>{solution}</Solution>", encoding="utf-8")
    # A cache of its own: one of the user may have packages of the same version.
    environment = {**os.environ, "NUGET_PACKAGES": str(empty_projects / "cache")}
    run("dotnet", "build", "all.slnx", cwd=empty_projects, env=environment)
    return empty_projects


def readme_example(library: str) -> tuple[str, str]:
    """The program of a library's README, and what it prints."""
    readme = (ROOT / "libraries" / f"Abathur.{library}" / "README.md").read_text(encoding="utf-8")
    code, output = re.findall(r"```(?:csharp|text)\n(.*?)```", readme, re.S)[:2]
    return code, output


@pytest.mark.packages
@pytest.mark.parametrize(("library", "framework"), EXAMPLES)
def test_an_empty_project_runs_the_example_of_a_library(examples: Path, library: str, framework: str) -> None:
    folder = examples / f"{library}-{framework}"
    done = run("dotnet", folder / "bin" / "Debug" / framework / "Example.dll", cwd=folder)
    assert done.stdout == readme_example(library)[1]


@pytest.mark.packages
@pytest.mark.parametrize(("example", "program"), PROGRAMS.items())
def test_an_example_builds_and_runs_outside_of_the_repository(
    examples: Path, example: str, program: str, play: Play
) -> None:
    built = examples / example / "bin" / "Debug" / "net8.0" / f"{program}.dll"
    if example == "csharp_agent":
        daemon = play(SKIRMISH, "--rate", "unlimited", "--wait-agents", "1")
        assert run("dotnet", built, daemon.socket).stdout == ""
        return
    refused = subprocess.run(["dotnet", built], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert (refused.returncode, refused.stderr) == (2, "usage: csharp_bot MATCH.obs HOST:PORT\n")


@pytest.mark.packages
def test_the_packages_are_those_that_are_tested(packages: Path, version: str) -> None:
    names = {each.name for each in packages.glob("*.nupkg")}
    assert names == {f"Abathur.{each}.{version}.nupkg" for each in (*LIBRARIES, "Sync")}
    for library in LIBRARIES:
        with zipfile.ZipFile(packages / f"Abathur.{library}.{version}.nupkg") as package:
            assert {"README.md", "LICENSE"} <= set(package.namelist())
            frameworks = {name.split("/")[1] for name in package.namelist() if name.startswith("lib/")}
        assert frameworks == {"net8.0", "net10.0"}


@pytest.fixture(scope="module")
def platform_wheel(packages: Path, version: str) -> Path:
    (wheel,) = packages.glob(f"abathur_agent-{version}-py3-none-*linux*_x86_64.whl")
    return wheel


@pytest.fixture(scope="module")
def clean(platform_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel with the daemon, what it asks for, and what its tests need."""
    folder = tmp_path_factory.mktemp("clean") / "venv"
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    run(*pip, f"{platform_wheel}[dev]", env=pip_environment())
    return python


def pip_environment() -> dict[str, str]:
    return {**os.environ, **pip_settings()}


@pytest.mark.packages
def test_the_wheel_passes_its_tests_in_a_clean_environment(clean: Path, version: str, tmp_path: Path) -> None:
    place = run(clean, "-c", "import abathur; print(abathur.__file__)", cwd=tmp_path).stdout.strip()
    assert Path(place).is_relative_to(clean.parent.parent)
    daemon = str(Path(place).parent / "_daemon" / ("abathur-sync.exe" if os.name == "nt" else "abathur-sync"))
    told = run(clean, "-c", "import abathur; print(abathur.__version__)", cwd=tmp_path)
    assert told.stdout.strip() == version
    done = run(
        clean, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml",
        *("-m", "not measured"), *TESTS,
        cwd=tmp_path,
        env={**os.environ, "ABATHUR_TEST_DAEMON": daemon, "ABATHUR_SYNC": daemon},
    )  # fmt: skip
    assert " passed" in done.stdout
    assert "abathur watch" in run(clean.parent / "abathur", "watch", "--help", cwd=tmp_path).stdout


#: The lowest versions of what the package asks for, as in pyproject.toml.
LOWEST = ("grpcio==1.71.0", "numpy==1.26.4", "protobuf==6.31.1", "rich==14.0.0", "zstandard==0.23.0")
#: Tests of a clone, those that import what asks for newer versions (burnysc2, pyarrow, pandas: of NumPy), or mypy, and
#: those that fork beside a connection: the lowest grpcio does not survive that always.
NEEDS_NEWER = (
    "bench|cli|dataset|events|foreign_recordings|forked|last_frames|natural_calls|one_command|pickled|printable"
    "|read_only|reprs|sc2|typing"
)
DEBIANS_PYTHON = Path("/usr/bin/python3.11")


@pytest.mark.packages
@pytest.mark.skipif(not DEBIANS_PYTHON.exists(), reason=f"needs {DEBIANS_PYTHON}")
def test_the_package_works_with_the_lowest_versions(packages: Path, version: str, tmp_path: Path) -> None:
    run(DEBIANS_PYTHON, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    wheel = packages / f"abathur_agent-{version}-py3-none-any.whl"
    tools = ("aiohttp", "fsspec", "hypothesis", "psutil", "pytest", "pytest-asyncio", "pytest-timeout", "pytest-xdist")
    run(
        python, "-m", "pip", "install", "-q", f"{wheel}[json,brotli,nats,learn]", *LOWEST, *tools, env=pip_environment()
    )
    found = json.loads(run(python, "-m", "pip", "list", "--format", "json").stdout)
    versions = {f"{each['name']}=={each['version']}" for each in found}
    assert set(LOWEST) <= versions
    tests = [each for each in TESTS[0].parent.glob("test_*.py") if not re.search(NEEDS_NEWER, each.stem)]
    assert len(tests) > 20
    done = run(
        python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml", "-n", "2",
        *("-m", "not measured and not matrix"), *tests,
        # Processes that tests start import them from here.
        cwd=ROOT, seconds=2 * MINUTES,
    )  # fmt: skip
    assert " passed" in done.stdout


@pytest.mark.packages
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_all_types_of_the_wheel_are_known(packages: Path, version: str, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip = [scripts / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "types-protobuf"]
    # With what `learn.Env` is derived from.
    run(*pip, f"{packages / f'abathur_agent-{version}-py3-none-any.whl'}[learn]", env=pip_environment())
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "pyright@1.1.414", cwd=tmp_path)
    # The first Python in the path is the one whose packages it looks at.
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    pyright = tmp_path / "node_modules" / ".bin" / ("pyright.cmd" if os.name == "nt" else "pyright")
    done = run(pyright, "--verifytypes", "abathur", "--ignoreexternal", cwd=tmp_path, env=environment)
    assert "Type completeness score: 100%" in done.stdout


@pytest.mark.packages
def test_the_wheel_measures_codecs(clean: Path, tmp_path: Path) -> None:
    bench = [clean.parent / "abathur", "bench", SKIRMISH, "--frames", "3", "--json"]
    names = ["protobuf", "json", "msgspec-msgpack", "fastavro"]
    done = run(*bench, "some.json", "--codecs", ",".join(names), cwd=tmp_path)
    assert done.stderr == ""
    codecs = json.loads((tmp_path / "some.json").read_text(encoding="utf-8"))["codecs"]
    assert [(name, each["samples"], each["error"]) for name, each in codecs.items()] == [
        (name, 3, None) for name in names
    ]
    done = run(*bench, "all.json", cwd=tmp_path)
    result = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    flat = ["flatbuffers", "flatbuffers-read", "flatbuffers-scan"]
    assert list(result["unavailable"]) == flat
    assert [line.split()[2] for line in done.stderr.splitlines()] == flat
    assert len(result["codecs"]) > len(names) and all(each["error"] is None for each in result["codecs"].values())


@pytest.mark.packages
def test_a_default_install_runs_what_needs_no_large_package(
    packages: Path, version: str, play: Play, tmp_path: Path
) -> None:
    """Without an extra: commands, recordings (which are zstd), live frames. What is missing names its extra."""
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip = [scripts / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    run(*pip, packages / f"abathur_agent-{version}-py3-none-any.whl", env=pip_environment())
    told = run(scripts / "abathur", "--version", cwd=tmp_path).stdout
    assert told.startswith(f"abathur {version}\n  commit    {commit()}\n  daemon    not installed\n"), told
    daemon = play(SKIRMISH, "--loop")
    assert "frames" in run(scripts / "abathur", "watch", daemon.grpc, "--seconds", "1", cwd=tmp_path).stdout
    frames = f"len(list(abathur.open({str(SKIRMISH)!r}).frames(stop=9000)))"
    assert run(scripts / "python", "-c", f"import abathur; print({frames})", cwd=tmp_path).stdout == "40\n"
    for command, missing in (
        (["watch", daemon.grpc, "--seconds", "1", "--compression", "br"], 'pip install "brotli>=1.2"'),
        (["export", SKIRMISH, "-o", "units.parquet"], "pip install pyarrow"),
        (["bench", SKIRMISH, "--codecs", "protobuf,cbor2"], "pip install cbor2"),
        # Although flatbuffers is not installed either: it would not help.
        (["bench", SKIRMISH, "--codecs", "flatbuffers"], "needs modules generated by flatc, which wheels do not have"),
        (["info", SKIRMISH], "this package came without the daemon"),
    ):
        done = subprocess.run(
            [scripts / "abathur", *command], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        assert (done.returncode, missing in done.stderr, done.stderr.count("\n")) == (1, True, 1), done.stderr


@pytest.mark.packages
def test_the_platform_wheel_has_the_tag_that_its_libraries_allow(platform_wheel: Path) -> None:
    """The names of versioned symbols stand in the libraries as text."""
    needed: dict[str, tuple[int, int]] = {}
    with zipfile.ZipFile(platform_wheel) as wheel:
        for name in wheel.namelist():
            is_program = name.startswith("abathur/_daemon/") and "." not in name.rpartition("/")[2]
            if name.endswith(".so") or is_program:
                versions = re.findall(rb"GLIBC_(\d+)\.(\d+)", wheel.read(name))
                needed[name] = max(((int(major), int(minor)) for major, minor in versions), default=(0, 0))
    assert needed.keys() == {
        "abathur/_daemon/abathur-sync", "abathur/_daemon/libzstd.so", "abathur/_lib/libabathur.so",
    }  # fmt: skip
    if "manylinux_2_28" in platform_wheel.name:
        assert max(needed.values()) <= (2, 28), needed
    else:
        # Made without the tools that build libzstd: for this machine only.
        assert platform_wheel.name.endswith("-linux_x86_64.whl")


@pytest.mark.packages
def test_the_platform_wheel_is_small_and_has_the_licences(platform_wheel: Path) -> None:
    assert platform_wheel.stat().st_size < 45e6
    with zipfile.ZipFile(platform_wheel) as wheel:
        sizes = {each.filename: each.file_size for each in wheel.infolist()}
        modes = {each.filename: each.external_attr >> 16 for each in wheel.infolist()}
    assert sizes["abathur/_sample/skirmish.mcap"] < 1.5e6
    assert modes["abathur/_daemon/abathur-sync"] & 0o111
    assert any(name.startswith("abathur/_daemon/licenses/dotnet/") for name in sizes)
    assert {f"abathur/_daemon/{each}" for each in (*LICENCES, "abathur-sync.cdx.json")} <= sizes.keys()
    assert not [name for name in sizes if name.endswith((".pdb", ".xml"))]
    inside = {name.removeprefix("abathur/_daemon/") for name in sizes if name.startswith("abathur/_daemon/")}
    assert {name for name in inside if not name.startswith("licenses/dotnet/")} == {
        "abathur-sync", "libzstd.so", "abathur-sync.cdx.json", *LICENCES,
    }  # fmt: skip


@pytest.mark.packages
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux to run what is made for it")
def test_the_platform_wheel_needs_no_dotnet(platform_wheel: Path, version: str, tmp_path: Path) -> None:
    """All that a new user does first, with nothing on the PATH but the environment."""
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / "bin"
    python, abathur_ = scripts / "python", scripts / "abathur"
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", platform_wheel, env=pip_environment())
    user = {"PATH": str(scripts), "HOME": str(tmp_path), "DOTNET_ROOT": "/nowhere", "COLUMNS": "80"}
    settings = {"cwd": tmp_path, "env": user}
    told = run(abathur_, "--version", **settings).stdout.splitlines()
    assert told[:2] == [f"abathur {version}", f"  commit    {commit()}"]
    assert (
        told[2].startswith(f"  daemon    {version}+{commit()[:12] if (ROOT / '.git').exists() else ''}")
        and told[3] == "  decoder   compiled"
    )
    demo = run(abathur_, "demo", "--seconds", "2", **settings).stdout
    assert "Summary of" in demo and "grpc" in demo and "socket" in demo
    sample = Path(run(python, "-c", "import abathur; print(abathur.sample())", **settings).stdout.strip())
    assert sample.is_relative_to(tmp_path)
    assert "Synthetic LE" in run(abathur_, "info", **settings).stdout
    assert json.loads(run(abathur_, "info", sample, "--json", **settings).stdout)["frames"] == 1344
    run(abathur_, "export", sample, "-o", "units.npz", **settings)
    assert json.loads(run(abathur_, "export", sample, "-o", "match.obs", "--json", **settings).stdout)["frames"] == 1344
    assert (tmp_path / "units.npz").stat().st_size > 0
    lines = run(abathur_, "cat", sample, "--fields", "observation.game_loop", "--limit", "2", **settings).stdout
    assert [json.loads(line)["message"]["observation"]["gameLoop"] for line in lines.splitlines()] == [8960, 8961]
    ports = ["--grpc-port", "0", "--socket-port", "0", "--stop-with-parent"]
    with subprocess.Popen(
        [abathur_, "play", *ports], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **settings
    ) as daemon:
        assert daemon.stdin is not None and daemon.stdout is not None
        ready = dict(item.split("=") for item in daemon.stdout.readline().split()[1:])
        for address in (ready["grpc"], f"socket://{ready['socket']}"):
            assert "Summary of" in run(abathur_, "watch", address, "--seconds", "1", **settings).stdout
        columns = ["--encoding", "columns", "--compression", "zstd-stream"]
        assert "Summary of" in run(abathur_, "watch", ready["grpc"], *columns, "--seconds", "1", **settings).stdout
        assert run(abathur_, "status", ready["http"], "--json", **settings).stdout.startswith("{")
        daemon.stdin.close()
        assert daemon.wait(TIMEOUT) == 0
    code = """
import abathur
with abathur.emulated_game(abathur.sample()) as game:
    print(game.url)
"""
    assert run(python, "-c", code, **settings).stdout.startswith("ws://127.0.0.1:")


@pytest.mark.packages
def test_the_sdist_makes_the_same_wheel(packages: Path, version: str, clean: Path, tmp_path: Path) -> None:
    sdist = packages / f"abathur_agent-{version}.tar.gz"
    wheel = [clean, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "-w", tmp_path, sdist]
    run(*wheel, env={**pip_environment(), "ABATHUR_WHEEL": "none"})
    name = f"abathur_agent-{version}-py3-none-any.whl"
    with zipfile.ZipFile(tmp_path / name) as ours, zipfile.ZipFile(packages / name) as theirs:
        assert {each: ours.read(each) for each in ours.namelist()} == {
            each: theirs.read(each) for each in theirs.namelist()
        }
        names = ours.namelist()
    assert {"abathur/py.typed", "abathur/bench/schema/touch.py"} <= set(names)
    assert not [each for each in names if "sc2_flat" in each]
    assert not [each for each in names if each.startswith("tests") or "/tests/" in each]


@pytest.mark.packages
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_an_install_of_the_sources_compiles_the_decoder(
    packages: Path, version: str, clean: Path, tmp_path: Path
) -> None:
    sdist = packages / f"abathur_agent-{version}.tar.gz"
    pip = [clean, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
    run(*pip, "--target", tmp_path / "compiled", sdist, env=pip_environment())
    told = "import abathur.columns; print(abathur.columns.implementation, abathur.columns.__file__)"
    for path, expected in (("", "numpy"), (os.environ["PATH"], "compiled")):
        target = tmp_path / expected
        if expected == "numpy":
            # The build finds no compiler.
            run(*pip, "--target", target, sdist, env={**pip_environment(), "PATH": path, "CC": ""})
        done = run(clean, "-c", told, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(target)})
        assert done.stdout.strip() == f"{expected} {target / 'abathur' / 'columns' / '__init__.py'}"


@pytest.mark.packages
def test_the_wheel_decodes_with_the_library(clean: Path, tmp_path: Path) -> None:
    code = "import abathur.columns; print(abathur.columns.implementation)"
    assert run(clean, "-c", code, cwd=tmp_path).stdout.strip() == "compiled"
    assert run(clean, "-c", code, cwd=tmp_path, env={**os.environ, "ABATHUR_DECODER": "numpy"}).stdout == "numpy\n"


def test_the_version_stands_in_one_place(version: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"] and "version" not in project
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    listed = run("git", "ls-files", "*.csproj", "*.props", "*.toml").stdout.split() if shutil.which("git") else []
    for name in listed:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert name == "Directory.Build.props" or f"<Version>{version}" not in text


@pytest.mark.parametrize(
    ("arguments", "expected"), [(["--fast"], "pack has no option --fast"), (["--output"], "--output takes a folder")]
)
def test_pack_used_wrongly_says_why(arguments: list[str], expected: str) -> None:
    done = run_with_children(["dotnet", "make.cs", "pack", *arguments], timeout=MINUTES)
    assert (done.returncode, expected in done.stderr) == (1, True)
