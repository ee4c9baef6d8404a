"""Recordings and the comparison of encodings: on the dashboard, and over HTTP by hand."""

from __future__ import annotations

import asyncio
import base64
import filecmp
import http.client
import json
import os
import shutil
import socket
import time
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import abathur
import aiohttp
import grpc
import pytest
from abathur.sync.v1 import sync_pb2
from browsers import AT, LOOP, OpenPage, Page, needs_browser, response_at, shows
from programs import FREE_PORTS, ROOT, SKIRMISH, TIMEOUT, Daemon, Play, pause, run_daemon
from websockets_by_hand import request

FIRST, LAST = 8960, 10303
PAGE = ROOT / "Abathur.Sync" / "Dashboard" / "Page"


@needs_browser[0]
@needs_browser[1]
@needs_browser[2]
def test_sizes_are_those_that_are_measured_elsewhere(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.click("#compare-toggle")
    page.wait("document.querySelectorAll('#compare tbody tr').length >= 12")
    shown = sizes(page)
    payload = newest(paused, sync_pb2.proto, sync_pb2.none).observation.SerializeToString()
    assert shown["proto"] == len(payload) == len(response_at(AT).SerializeToString())
    for name, size in shown.items():
        assert name == "proto" or size == carried(paused, name), name
    assert {"json", "columns", "columns + br-stream", "proto + gzip"} <= set(shown)
    page.click("#compare-toggle")
    assert not page.run("return page.isVisible('#compare')")


@needs_browser[0]
@needs_browser[1]
@needs_browser[2]
def test_sizes_of_a_recording_that_plays_for_the_page_alone(play: Play, open_page: OpenPage, folder: Path) -> None:
    shutil.copy(SKIRMISH, folder / "a.mcap")
    daemon = play(SKIRMISH, "--start-paused", "--recordings", str(folder))
    page = open_page(daemon, "/?recording=a.mcap")
    page.wait("dashboard.playback.state !== undefined && dashboard.world.gameLoop !== undefined")
    if not page.evaluate("dashboard.playback.isPaused"):
        page.press("Space")
        page.wait("dashboard.playback.state.paused")
    page.click("#compare-toggle")
    with abathur.connect_blocking(daemon.grpc) as game:
        for game_loop in (AT, FIRST + 1):
            page.evaluate("(dashboard.playback.seek(args), 0)", game_loop)
            shows(page, game_loop)
            page.wait("document.querySelector('#compare > p').innerText.startsWith(args)", f"Game loop {game_loop};")
            shown = sizes(page)
            assert shown["proto"] == len(response_at(game_loop).SerializeToString())
            # The daemon's own match stands elsewhere until now: brought to the same frame, it has the same sizes.
            game.playback.seek(game_loop)
            game.playback.step()
            while newest(daemon, sync_pb2.proto, sync_pb2.none).game_loop != game_loop:
                pause()
            assert len(shown) >= 12
            for name, size in shown.items():
                assert name == "proto" or size == carried(daemon, name), name
    run = page.evaluate("dashboard.world.match.runId")
    web = Web(daemon)
    assert web.ask("GET", f"/v1/compare?run={'0' * 32}").status == 404
    page.click("#own-match")
    page.run("await page.waitForURL((url) => url.search === '')")
    while (answer := web.ask("GET", f"/v1/compare?run={run}")).status != 404:
        assert answer.status in (200, 429)


def sizes(page: Page) -> dict[str, int]:
    """Bytes of the frame alone, for each row of the table."""
    script = """[...document.querySelectorAll('#compare tbody tr')].map((row) =>
        [row.cells[0].innerText, Number(row.cells[2].dataset.bytes)])"""
    return dict(page.evaluate(script))


def carried(daemon: Daemon, name: str) -> int:
    """Bytes of the frame at which a paused playback stands, as `encoding` or `encoding + compression`."""
    encoding, _, compression = name.partition(" + ")
    compressed = getattr(sync_pb2, (compression or "none").replace("-", "_"))
    return len(newest(daemon, getattr(sync_pb2, encoding), compressed).data)


def newest(daemon: Daemon, encoding: int, compression: int) -> sync_pb2.Frame:
    """The frame at which a paused playback stands, as it travels."""
    request = sync_pb2.SubscribeRequest(encoding=encoding, compression=compression, newest=True)  # type: ignore[arg-type]
    with grpc.insecure_channel(daemon.grpc.removeprefix("grpc://")) as channel:
        call = channel.unary_stream("/abathur.sync.v1.GameSync/Subscribe")(request.SerializeToString())
        frame = sync_pb2.Frame.FromString(next(call))
        call.cancel()
    return frame


@needs_browser[0]
@needs_browser[1]
@needs_browser[2]
def test_a_compact_recording_is_shown(play: Play, open_page: OpenPage, folder: Path) -> None:
    path = folder / "small.mcap"
    assert run_daemon("export", str(SKIRMISH), "-o", str(path), "--compact").returncode == 0
    daemon = play(path, "--start-paused", "--recordings", str(folder))
    with abathur.connect_blocking(daemon.grpc) as game:
        game.playback.seek(AT)
        game.playback.step()
    shows(open_page(daemon), AT)
    page = open_page(daemon, "/?recording=small.mcap")
    page.wait("dashboard.playback.state !== undefined && dashboard.world.gameLoop !== undefined")
    if not page.evaluate("dashboard.playback.isPaused"):
        page.press("Space")
        page.wait("dashboard.playback.state.paused")
    page.evaluate("(dashboard.playback.seek(args), 0)", AT)
    shows(page, AT)


@needs_browser[0]
@needs_browser[1]
@needs_browser[2]
def test_names_of_any_script_are_opened_and_others_are_counted(play: Play, open_page: OpenPage, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    name = "King's 에이지.mcap"
    shutil.copy(SKIRMISH, folder / name)
    (folder / "a+b.mcap").write_bytes(b"")
    page = open_page(play(SKIRMISH, "--start-paused", "--recordings", str(folder)))
    page.wait("document.getElementById('recordings').innerText.includes('One file is not listed, because of the name')")
    page.click("#recordings .files button")
    page.run("await page.waitForURL(/recording=King/)")
    assert page.evaluate("new URL(location).searchParams.get('recording')") == name
    page.wait("dashboard.playback.state !== undefined && dashboard.world.gameLoop !== undefined")


@needs_browser[0]
@needs_browser[1]
@needs_browser[2]
def test_a_file_that_is_dropped_is_kept_and_opened(play: Play, open_page: OpenPage, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    daemon = play(SKIRMISH, "--start-paused", "--recordings", str(folder))
    page = open_page(daemon)
    page.wait("document.getElementById('recordings').innerText.includes('None yet')")
    (tmp_path / "junk.mcap").write_bytes(b"junk" * 100)
    (tmp_path / "notes.txt").write_text("notes")
    shutil.copy(SKIRMISH, tmp_path / "other name.mcap")
    for name, refusal in (("junk.mcap", "this recording cannot be played"), ("notes.txt", "ends in .mcap")):
        drop(page, tmp_path / name)
        page.wait("document.getElementById('message').innerText.includes(args)", refusal)
    assert list(folder.iterdir()) == []
    drop(page, tmp_path / "other name.mcap")
    page.run("await page.waitForURL(/recording=other/)")
    page.wait(f"{LOOP} > args", FIRST)
    assert filecmp.cmp(folder / "other name.mcap", SKIRMISH, shallow=False)
    assert "recording other name.mcap" in page.text("#players")
    # The daemon's own match has not moved.
    with abathur.connect_blocking(daemon.grpc) as game:
        assert not game.status().playback.HasField("game_loop")
    # A frame may be shown before the page knows that it can move.
    page.wait("dashboard.playback.state !== undefined")
    page.press("End")
    page.wait("dashboard.playback.state?.ended && dashboard.playback.state.paused")
    page.press("Home")
    page.wait(f"{LOOP} === args", FIRST)
    drop(page, tmp_path / "other name.mcap")
    page.wait("document.getElementById('message').innerText.includes('of this name already')")
    page.click("#own-match")
    page.run("await page.waitForURL((url) => url.search === '')")
    # Chromium reports answers that are no success.
    assert all("status of 4" in each for each in page.complaints), page.complaints
    page.run("page.complaints.length = 0")


def drop(page: Page, file: Path) -> None:
    page.evaluate("(document.getElementById('message').innerText = '', 0)")
    script = """
        const data = await page.evaluateHandle((bytes) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([Uint8Array.from(atob(bytes[1]), (each) => each.charCodeAt(0))], bytes[0]));
          return transfer;
        }, args);
        for (const type of ["dragenter", "dragover", "drop"]) {
          await page.dispatchEvent("body", type, {dataTransfer: data});
        }
    """
    page.run(script, [file.name, base64.b64encode(file.read_bytes()).decode()])


@dataclass
class Reply:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    text: str


class Web:
    """Requests to a daemon's HTTP port, one connection each."""

    def __init__(self, daemon: Daemon) -> None:
        self.port = int(daemon.addresses["http"].rpartition(":")[2])

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
        """Ask; header names have `_` for `-`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read().decode())
        connection.close()
        return reply


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "recordings"
    made.mkdir()
    return made


@pytest.fixture
def web(play: Play, folder: Path) -> Web:
    return Web(play(SKIRMISH, "--start-paused", "--recordings", str(folder)))


def test_the_pages_files(web: Web) -> None:
    page = web.ask("GET", "/")
    assert page.status == 200 and "<title>Abathur.Sync</title>" in page.text
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';")
    assert "unsafe" not in policy and "frame-ancestors 'none'" in policy and "base-uri 'none'" in policy
    for path, kind in (("/", "text/html"), ("/map/map_view.js", "text/javascript"), ("/style.css", "text/css")):
        answer = web.ask("GET", path)
        assert answer.headers["Content-Type"] == f"{kind}; charset=utf-8"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-cache"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        tag = answer.headers["ETag"]
        known = web.ask("GET", path, If_None_Match=f'"other", {tag}')
        assert (known.status, known.text, known.headers["ETag"]) == (304, "", tag)
        assert web.ask("GET", path, If_None_Match='"other"').status == 200
        head = web.ask("HEAD", path)
        assert (head.status, head.text) == (200, "")
        assert int(head.headers["Content-Length"]) == int(answer.headers["Content-Length"])
        assert web.ask("POST", path).status == 405
    assert web.ask("GET", "/common/columns.js").status == 200
    for path in ("/index.html", "/nothing.js", "/Page/main.js", "/MAIN.JS", "/map", "/map/"):
        assert web.ask("GET", path).status == 404, path


def test_nothing_in_the_page_comes_from_elsewhere() -> None:
    """No address of another machine, no code that is not a file of the page."""
    files = [*(file for file in PAGE.rglob("*") if file.is_file()), PAGE.parent / "columns.js"]
    assert len(files) > 60
    for file in files:
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text and "https://" not in text and "innerHTML" not in text, file
        assert "eval(" not in text.replace("interval(", "").replace("setInterval(", ""), file


def test_compare_is_bounded(web: Web, play: Play) -> None:
    assert web.ask("POST", "/v1/compare").status == 405
    nothing = web.ask("GET", "/v1/compare")
    assert (nothing.status, nothing.text) == (503, "there is no frame yet\n")
    playing = Web(play(SKIRMISH, "--loop"))
    answers = [playing.ask("GET", "/v1/compare") for _ in range(5)]
    while all(answer.status == 503 for answer in answers):
        answers = [playing.ask("GET", "/v1/compare") for _ in range(5)]
    refused = [answer for answer in answers if answer.status == 429]
    assert refused and all(answer.headers["Retry-After"] == "1" for answer in refused)
    shown: dict[str, Any] = {}
    # While a page is open, streams are measured, and are smaller than their keyframes.
    while not any(each.get("mean", 1e9) < each.get("alone", 0) / 10 for each in shown.get("formats", [])):
        answer = playing.ask("GET", "/v1/compare")
        shown = json.loads(answer.text) if answer.status == 200 else shown
    assert shown["streamFrames"] > 0 and {each["encoding"] for each in shown["formats"]} == {"proto", "json", "columns"}
    assert all(
        ("mean" in each) == (each["encoding"] == "columns" or "stream" in each["compression"])
        for each in shown["formats"]
    )


def test_adding_and_listing(web: Web, folder: Path) -> None:
    assert json.loads(web.ask("GET", "/v1/recordings").text) == {"recordings": []}
    content = SKIRMISH.read_bytes()
    added = web.ask("PUT", "/v1/recordings/one%20(1).MCAP", content)
    assert (added.status, added.text) == (201, "one (1).MCAP was added\n")
    assert (folder / "one (1).MCAP").read_bytes() == content
    (folder / ".hidden.mcap").write_bytes(content)
    (folder / "notes.txt").write_text("notes")
    (folder / "folder.mcap").mkdir()
    listed = json.loads(web.ask("GET", "/v1/recordings").text)["recordings"]
    assert [(each["name"], each["bytes"]) for each in listed] == [("one (1).MCAP", len(content))]
    assert web.ask("PUT", "/v1/recordings/one%20(1).MCAP", content).status == 409
    assert web.ask("DELETE", "/v1/recordings/one%20(1).MCAP").status == 405
    assert web.ask("POST", "/v1/recordings", content).status == 405


def test_names_of_any_script(web: Web, folder: Path) -> None:
    names = ["King's Cove LE.mcap", "Ágæti.mcap", "ハイツ.mcap", "에이지.mcap"]
    for name in names[1:]:
        assert web.ask("PUT", f"/v1/recordings/{quote(name)}", SKIRMISH.read_bytes()).status == 201
    shutil.copy(SKIRMISH, folder / names[0])
    for name in names:
        assert web.ask("GET", f"/v1/recordings/{quote(name)}/sync").status == 426
    assert json.loads(web.ask("GET", "/v1/recordings").text).keys() == {"recordings"}
    # Counted, so that their owner need not wonder.
    for name in ("a+b.mcap", unicodedata.normalize("NFD", names[1]), "notes.txt"):
        (folder / name).write_bytes(b"")
    shown = json.loads(web.ask("GET", "/v1/recordings").text)
    assert [each["name"] for each in shown["recordings"]] == sorted(names) and shown["notListed"] == 2


def test_names_are_normalized(web: Web) -> None:
    """Of each character that has two forms, one is a name."""
    composed = (chr(code) for code in range(0xC0, 0x30000) if unicodedata.category(chr(code))[0] in "LM")
    forms = {each: unicodedata.normalize("NFD", each) for each in composed}
    for each, parts in forms.items():
        if each == parts or "\uac50" < each < "\ud7a4":
            continue
        for text in (each, parts):
            name = quote(f"x{text}.mcap")
            is_normal = unicodedata.is_normalized("NFC", f"x{text}.mcap")
            status = web.ask("GET", f"/v1/recordings/{name}/sync").status
            # Some letters with several marks cannot be written at all: marks in front of a letter, and of old scripts.
            assert status == 400 if not is_normal else status in (400, 404), (name, hex(ord(each)))
            if is_normal and text == each and unicodedata.category(each)[0] == "L":
                assert status == 404, (name, hex(ord(each)))


BAD_NAMES = [
    *("..%2fa.mcap", "..%5ca.mcap", "%2e%2e/a.mcap", "a/b.mcap", "%2fetc%2fa.mcap", "C:a.mcap", "%5c%5chost%5ca.mcap"),
    *("CON.mcap", "nul.mcap", "com1.x.mcap", "lpt9%20.mcap", ".a.mcap", "a..mcap", "a.mcap%20", "a.mcap.", "a.txt"),
    *(
        ".mcap",
        "%252e%252e%252fa.mcap",
        "a%00.mcap",
        "a%0a.mcap",
        "e%cc%81.mcap",
        "%e2%80%ae.mcap",
        "%f0%9f%90%9d.mcap",
        "%ff.mcap",
        "a*.mcap",
        "a:b.mcap",
        "",
        "x" * 200 + ".mcap",
    ),
]


def test_names_that_are_refused(web: Web, folder: Path) -> None:
    for name in BAD_NAMES:
        for method, end in (("PUT", ""), ("GET", "/sync")):
            answer = web.ask(method, f"/v1/recordings/{name}{end}", b"" if method == "PUT" else None)
            assert answer.status in (400, 404), (method, name, answer)
    assert list(folder.parent.iterdir()) == [folder] and list(folder.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_links_do_not_lead_out(web: Web, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.mcap"
    shutil.copy(SKIRMISH, outside)
    shutil.copy(SKIRMISH, folder / "inside.mcap")
    for name, target in (
        ("out", outside),
        ("nowhere", tmp_path / "new.mcap"),
        ("ring", folder / "ring.mcap"),
        ("in", folder / "inside.mcap"),
    ):
        (folder / f"{name}.mcap").symlink_to(target)
    for name in ("out", "nowhere", "ring"):
        assert web.ask("GET", f"/v1/recordings/{name}.mcap/sync").status == 400
        assert web.ask("PUT", f"/v1/recordings/{name}.mcap", SKIRMISH.read_bytes()).status == 400
    assert web.ask("GET", "/v1/recordings/in.mcap/sync").status == 426
    listed = json.loads(web.ask("GET", "/v1/recordings").text)["recordings"]
    assert [each["name"] for each in listed] == ["in.mcap", "inside.mcap"]
    assert not (tmp_path / "new.mcap").exists()


def test_files_that_are_refused(web: Web, folder: Path) -> None:
    path = "/v1/recordings/a.mcap"
    junk = web.ask("PUT", path, b"junk" * 1000)
    assert junk.status == 422 and "a.mcap" in junk.text and str(folder) not in junk.text
    assert web.ask("PUT", path, SKIRMISH.read_bytes()[:100_000]).status in (201, 422)
    (folder / "a.mcap").unlink(missing_ok=True)
    assert web.ask("PUT", path, b"").status == 422
    assert web.ask("PUT", path, b"", Content_Length=str(5 << 30)).status == 413
    assert web.ask("PUT", path, b"x", Content_Encoding="gzip").status == 415
    assert web.ask("PUT", path, b"x", Content_Range="bytes 0-0/5").status == 400
    own = f"http://127.0.0.1:{web.port}"
    content = SKIRMISH.read_bytes()
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site", "Origin": own},
    ):
        assert web.ask("PUT", path, content, **headers).status == 403, headers
    assert list(folder.iterdir()) == []
    assert web.ask("PUT", path, content, Origin=own, Sec_Fetch_Site="same-origin").status == 201


def test_one_file_at_a_time_and_nothing_of_one_that_breaks_off(web: Web, folder: Path) -> None:
    content = SKIRMISH.read_bytes()
    with socket.create_connection(("127.0.0.1", web.port), timeout=TIMEOUT) as client:
        lines = [
            "PUT /v1/recordings/half.mcap HTTP/1.1",
            f"Host: 127.0.0.1:{web.port}",
            f"Content-Length: {len(content)}",
        ]
        client.sendall("\r\n".join([*lines, "", ""]).encode() + content[:200_000])
        while not list(folder.iterdir()):
            pause()
        busy = web.ask("PUT", "/v1/recordings/other.mcap", content)
        assert (busy.status, busy.headers["Retry-After"]) == (503, "5")
        # What is on its way is not listed, and cannot be named.
        assert json.loads(web.ask("GET", "/v1/recordings").text)["recordings"] == []
    while list(folder.iterdir()):
        pause()
    while (answer := web.ask("PUT", "/v1/recordings/other.mcap", content)).status == 503:
        pass
    assert answer.status == 201


def test_what_killed_daemons_have_left_is_removed(play: Play, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    for name, hours in ((".upload-old", 2), (".upload-new", 0), ("old.mcap", 2)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (time.time() - 3600 * hours,) * 2)
    play(SKIRMISH, "--start-paused", "--recordings", str(folder))
    assert {each.name for each in folder.iterdir()} == {".upload-new", "old.mcap"}


async def test_a_recording_plays_for_one_connection(web: Web, folder: Path) -> None:
    shutil.copy(SKIRMISH, folder / "a.mcap")
    url = f"http://127.0.0.1:{web.port}/v1/recordings/a.mcap/sync"

    async def subscribe(ws: aiohttp.ClientWebSocketResponse) -> None:
        request = sync_pb2.SubscribeRequest(policy=sync_pb2.every, encoding=sync_pb2.proto)
        await ws.send_bytes(sync_pb2.ClientMessage(subscribe=request).SerializeToString())
        assert (await read(ws)).match.last_game_loop == LAST

    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(url, max_msg_size=0) as ws:
            await subscribe(ws)
            frame = (await read(ws)).frame
            assert frame.observation.SerializeToString() == response_at(FIRST).SerializeToString()
            seek = sync_pb2.ControlRequest(seek=sync_pb2.ControlRequest.Seek(game_loop=LAST))
            await ws.send_bytes(sync_pb2.ClientMessage(id=1, control=seek).SerializeToString())
            while (await read(ws)).frame.game_loop != LAST:
                pass
            # At the end it waits; resumed, it starts over.
            while True:
                await ws.send_bytes(
                    sync_pb2.ClientMessage(id=2, status=sync_pb2.GetStatusRequest()).SerializeToString()
                )
                status = await result(ws, 2)
                if status.status.playback.paused:
                    break
            assert status.status.playback.ended and len(status.status.subscribers) == 1
            resume = sync_pb2.ControlRequest(resume=sync_pb2.ControlRequest.Resume())
            await ws.send_bytes(sync_pb2.ClientMessage(id=3, control=resume).SerializeToString())
            while (message := await read(ws)).frame.game_loop != FIRST:
                assert not message.HasField("error")
        sockets = [await session.ws_connect(url, max_msg_size=0) for _ in range(4)]
        for each in sockets:
            await subscribe(each)
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(url)
        assert refused.value.status == 503
        answer = await session.get(url)
        assert (answer.status, await answer.text()) == (503, "4 recordings are already playing: close one\n")
        await sockets.pop().close()
        while (await session.get(url)).status == 503:
            pass
        sockets.append(await session.ws_connect(url, max_msg_size=0))
        await subscribe(sockets[-1])
        for each in sockets:
            await each.close()


async def read(ws: aiohttp.ClientWebSocketResponse) -> sync_pb2.ServerMessage:
    message = await asyncio.wait_for(ws.receive(), TIMEOUT)
    assert message.type == aiohttp.WSMsgType.BINARY, message
    return sync_pb2.ServerMessage.FromString(message.data)


async def result(ws: aiohttp.ClientWebSocketResponse, number: int) -> sync_pb2.Result:
    while (message := await read(ws)).result.id != number:
        pass
    return message.result


def test_a_file_that_is_no_recording_any_more(web: Web, folder: Path) -> None:
    (folder / "bad.mcap").write_bytes(b"junk" * 100)
    with socket.create_connection(("127.0.0.1", web.port), timeout=TIMEOUT) as client:
        client.sendall(request(web.port, "/v1/recordings/bad.mcap/sync"))
        assert b" 422 " in client.makefile("rb").readline()
    assert web.ask("GET", "/v1/recordings/none.mcap/sync").status == 404


def test_without_a_folder(play: Play, open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    daemon = play(SKIRMISH, "--start-paused")
    web = Web(daemon)
    for method, path in (("PUT", "/v1/recordings/a.mcap"), ("GET", "/v1/recordings/a.mcap/sync")):
        answer = web.ask(method, path)
        assert answer.status == 404 and "--recordings DIR" in answer.text
    listed = json.loads(web.ask("GET", "/v1/recordings").text)
    assert listed["recordings"] == [] and "--recordings DIR" in listed["problem"]
    page = open_page(daemon)
    page.wait("document.getElementById('recordings').innerText.includes('--recordings DIR')")
    assert page.run("return page.isDisabled('#add')")
    # The folder of that name in the working directory is taken by itself.
    (tmp_path / "recordings").mkdir()
    assert Web(play(SKIRMISH, "--start-paused")).ask("GET", "/v1/recordings").status == 200


@pytest.mark.parametrize("folder_name", ["none", "file.mcap"])
def test_a_folder_that_is_none_is_refused(tmp_path: Path, folder_name: str) -> None:
    (tmp_path / "file.mcap").write_bytes(b"")
    done = run_daemon("play", str(SKIRMISH), *FREE_PORTS, "--recordings", str(tmp_path / folder_name))
    assert (done.returncode, "--recordings: there is no folder" in done.stderr) == (2, True)
