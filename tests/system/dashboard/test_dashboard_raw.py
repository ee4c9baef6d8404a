"""The raw message of a moment on the dashboard."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import abathur
import pytest
from browsers import AT, LOOP, OpenPage, Page, enter_token, keep_picture, needs_browser, response_at, responses, shows
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor
from programs import FREE_PORTS, SKIRMISH, WATCH, Daemon, Launch, Play, token_options
from s2clientprotocol import sc2api_pb2

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
FIRST = 8960
NOTE = "(document.querySelector('#raw [role=status]')?.textContent ?? '')"
ROWS = "[...document.querySelectorAll('.raw-tree li')]"
CHOSEN = "document.querySelector('.raw-tree [aria-selected=true]')"
PATH = "document.querySelector('.raw-path code').textContent"
HITS = "document.querySelectorAll('#raw [role=status]')[1].textContent"
#: Keeps what the page copies; a browser without a window has no clipboard.
KEEP_COPIES = "navigator.clipboard.writeText = async (text) => (globalThis.copied = text)"


def opens(page: Page, game_loop: int) -> None:
    """Open the panel, and wait for the message of a game loop."""
    page.press("o")
    reads(page, game_loop)


def reads(page: Page, game_loop: int) -> None:
    page.wait(f"{NOTE}.startsWith(`Game loop ${{args}}; `)", game_loop)


def press(page: Page, button: str) -> None:
    """Press a button of the panel."""
    page.run("await page.locator('#raw').getByRole('button', {name: args, exact: true}).click()", button)


def copied(page: Page, button: str) -> str:
    page.evaluate(f"(globalThis.copied = undefined, {KEEP_COPIES}, null)")
    press(page, button)
    page.wait("globalThis.copied !== undefined")
    return str(page.evaluate("copied"))


def find(page: Page, text: str) -> None:
    page.run("await page.fill('#raw input', args)", text)
    page.run("await page.focus('#raw input')")


def message(page: Page) -> sc2api_pb2.ResponseObservation:
    """The message of the panel, as the game's protocol reads it."""
    return json_format.Parse(copied(page, "Copy message"), sc2api_pb2.ResponseObservation())


def is_same(one: sc2api_pb2.ResponseObservation, other: sc2api_pb2.ResponseObservation) -> bool:
    """Equal but for the order of the units, which a kept frame may have changed."""
    for each in (one, other):
        each.observation.raw_data.units.sort(key=lambda unit: unit.tag)
    return one == other


def test_the_message_is_that_of_the_map(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    assert page.evaluate("document.getElementById('raw').hidden")
    opens(page, AT)
    keep_picture(page, "raw")
    # Also its units are in the order in which the game has them.
    assert message(page) == response_at(AT)
    # It does not follow.
    page.wait("dashboard.playback.state !== undefined")
    page.press("ArrowRight")
    page.wait(f"{LOOP} === args", AT + 1)
    assert str(AT) in page.evaluate(NOTE)
    press(page, "This moment")
    reads(page, AT + 1)
    assert message(page) == response_at(AT + 1)
    page.press("o")
    page.wait("document.getElementById('raw').hidden")
    assert page.text("#raw-toggle") == "Show"
    page.click("#raw-toggle")
    reads(page, AT + 1)
    assert page.complaints == []


def test_paths_are_those_of_python(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    opens(page, AT)
    response = response_at(AT)
    for text in ("healthMax", "food_cap", "visibility", "facing", "score_details"):
        find(page, text)
        page.press("Enter")
        path = page.evaluate(PATH)
        assert copied(page, "Copy path") == path
        value = eval(path, {"response": response})
        branch = json.loads(copied(page, "Copy branch"))
        if hasattr(value, "DESCRIPTOR"):
            assert branch == json_format.MessageToDict(value)
        else:
            assert branch == pytest.approx(value, rel=1e-6)


def test_names_of_python_follow_from_those_of_json() -> None:
    """As the page makes them: for all fields of an observation."""
    seen: set[str] = set()

    def look(kind: Descriptor) -> None:
        if kind.full_name in seen:
            return
        seen.add(kind.full_name)
        for field in kind.fields:
            assert re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", field.json_name) == field.name
            if field.message_type is not None:
                look(field.message_type)

    look(sc2api_pb2.ResponseObservation.DESCRIPTOR)
    assert len(seen) > 50


def test_search(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    opens(page, AT)
    units = message(page).observation.raw_data.units
    tag = str(units[-1].tag)
    find(page, tag)
    assert page.evaluate(HITS) in ("1 hit", "2 hits", "3 hits", "4 hits")
    find(page, "HEALTHMAX")
    count = int(str(page.evaluate(HITS)).split()[0].replace("\u202f", ""))
    assert count == copied(page, "Copy message").count('"healthMax"') > 10
    find(page, "weapon_cooldown")
    page.press("Enter")
    first = page.evaluate(PATH)
    assert first.endswith(".weapon_cooldown") and page.evaluate(HITS).startswith("1 of ")
    # What was closed is opened on the way, and it is in view.
    assert page.evaluate(
        f"(({{top, bottom}}, tree) => top >= tree.top && bottom <= tree.bottom)({CHOSEN}.getBoundingClientRect(), "
        "document.querySelector('.raw-tree').getBoundingClientRect())"
    )
    page.press("Enter")
    assert page.evaluate(PATH) != first and page.evaluate(HITS).startswith("2 of ")
    page.press("Shift+Enter", "Shift+Enter")
    count = int(page.evaluate(HITS).split()[2].rstrip("+").replace("\u202f", ""))
    assert page.evaluate(HITS).startswith(f"{count:,} of ".replace(",", ""))
    page.press("Enter")
    assert page.evaluate(PATH) == first
    # Of what is not there, nothing moves.
    find(page, "no such thing")
    page.press("Enter")
    assert (page.evaluate(HITS), page.evaluate(PATH)) == ("0 hits", first)


def test_the_keyboard_is_that_of_a_tree(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    opens(page, AT)
    page.evaluate(f"({CHOSEN}.focus(), null)")

    def told() -> tuple[str, str | None, int]:
        row = "document.activeElement"
        return tuple(
            page.evaluate(f"[{PATH}, {row}.getAttribute('aria-expanded'), Number({row}.getAttribute('aria-level'))]")
        )

    assert told() == ("response", "true", 1)
    page.press("End")
    last = told()[0]
    page.press("Home")
    page.press("ArrowLeft")
    assert told() == ("response", "false", 1) and page.evaluate(f"{ROWS}.length") == 1
    page.press("Enter")
    assert told()[1] == "true"
    page.press("End")
    assert told()[0] == last
    page.press("Home")
    for _ in range(20):
        if told()[0] == "response.observation":
            break
        page.press("ArrowDown")
    page.press("ArrowRight", "ArrowRight")
    assert told()[0].startswith("response.observation.") and told()[2] == 3
    page.press("ArrowLeft")
    if told()[2] == 3:
        page.press("ArrowLeft")
    assert told()[:1] == ("response.observation",)
    page.press("ArrowDown", "ArrowUp")
    assert told()[0] == "response.observation"
    # Exactly one row is in the order of Tab, and a screen reader hears where each is.
    assert page.evaluate(f"{ROWS}.filter((row) => row.tabIndex === 0).length") == 1
    assert page.evaluate(f"{ROWS}.every((row) => row.ariaPosInSet >= 1 && row.ariaSetSize >= row.ariaPosInSet)")
    # The match stayed where it was.
    assert page.evaluate(LOOP) == AT
    # Units are shown in ranges.
    find(page, "unit_type")
    page.press("Enter")
    labels = page.evaluate(f"{ROWS}.map((row) => row.firstElementChild.textContent)")
    count = len(response_at(AT).observation.raw_data.units)
    assert count > 100 and "[0 … 99]" in labels and f"[{count // 100 * 100} … {count - 1}]" in labels
    page.run(f"await page.evaluate(() => {CHOSEN}.previousElementSibling?.click())")
    assert page.evaluate(f"{ROWS}.length < 400")


def test_a_match_that_runs_and_one_that_is_over(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", *FREE_PORTS)
    sent = responses(FIRST, FIRST + 20)
    with abathur.publisher_blocking(daemon.grpc, map_name="First LE", player_id=1) as publisher:
        for each in sent[:10]:
            publisher.publish(each)
        page = open_page(daemon)
        shows(page, FIRST + 9)
        opens(page, FIRST + 9)
        assert is_same(message(page), response_at(FIRST + 9))
        # In the past, while the match goes on.
        page.wait("dashboard.playback.state !== undefined")
        page.evaluate("(dashboard.playback.jumpTo(args), null)", FIRST + 4)
        page.wait(f"{LOOP} === args", FIRST + 4)
        for each in sent[10:]:
            publisher.publish(each)
        press(page, "This moment")
        reads(page, FIRST + 4)
        assert is_same(message(page), response_at(FIRST + 4))
    page.wait("document.getElementById('state').innerText.includes('over') && dashboard.playback.state?.isOver")
    page.evaluate("(dashboard.playback.jumpTo(args), null)", FIRST + 7)
    page.wait(f"{LOOP} === args", FIRST + 7)
    press(page, "This moment")
    reads(page, FIRST + 7)
    assert is_same(message(page), response_at(FIRST + 7))


def test_another_game_loop_is_named(launch: Launch, open_page: OpenPage) -> None:
    """Without a history it is the newest frame."""
    daemon = launch("serve", *FREE_PORTS, "--history-mb", "0")
    with abathur.publisher_blocking(daemon.grpc, map_name="First LE", player_id=1) as publisher:
        page = open_page(daemon)
        publisher.publish(response_at(FIRST))
        shows(page, FIRST)
        opens(page, FIRST)
        # The page has not shown it yet.
        page.evaluate("(dashboard.world.gameLoop = args, null)", FIRST - 3)
        press(page, "This moment")
        page.wait(f"{NOTE}.startsWith(args)", f"Game loop {FIRST}, the map shows {FIRST - 3}; ")


def test_a_recording_of_this_page_alone(play: Play, open_page: OpenPage, tmp_path: Path) -> None:
    shutil.copy(SKIRMISH, tmp_path / "a.mcap")
    daemon = play(SKIRMISH, "--start-paused", "--recordings", str(tmp_path))
    page = open_page(daemon, "/?recording=a.mcap")
    page.wait(f"globalThis.dashboard && {LOOP} > args && dashboard.playback.state", FIRST)
    page.press(" ")
    page.wait("dashboard.playback.state.paused")
    page.evaluate("(dashboard.playback.seek(args), null)", AT)
    shows(page, AT)
    opens(page, AT)
    assert message(page) == response_at(AT)
    # The first frame, and the last.
    for key, game_loop in (("Home", FIRST), ("End", 10303)):
        page.press(key)
        page.wait(f"{LOOP} === args", game_loop)
        press(page, "This moment")
        reads(page, game_loop)
    # What is shown was not moved by it.
    assert page.evaluate(LOOP) == 10303


def test_what_is_open_stays_open(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    opens(page, AT)
    find(page, "food_used")
    page.press("Enter")
    path = page.evaluate(PATH)
    page.evaluate("(document.activeElement.blur(), null)")
    page.wait("dashboard.playback.state !== undefined")
    page.press("ArrowRight")
    page.wait(f"{LOOP} === args", AT + 1)
    press(page, "This moment")
    reads(page, AT + 1)
    assert page.evaluate(PATH) == path
    used = response_at(AT + 1).observation.player_common.food_used
    assert page.evaluate(f"{CHOSEN}.innerText") == f"foodUsed {used}"


def test_errors_are_told(play: Play, launch: Launch, open_page: OpenPage, paused: Daemon) -> None:
    waiting = launch("serve", *FREE_PORTS)
    page = open_page(waiting)
    page.wait("globalThis.dashboard !== undefined")
    page.press("o")
    page.wait(f"{NOTE} === 'There is no frame yet.'")
    page = open_page(paused)
    shows(page, AT)
    opens(page, AT)
    rows = page.evaluate(f"{ROWS}.length")
    paused.close()
    press(page, "This moment")
    page.wait(f"{NOTE}.includes('could not be read: the daemon does not answer')")
    assert page.evaluate(f"{ROWS}.length") == rows
    page.run("page.complaints.length = 0")


def test_a_playback_too_many_is_told(play: Play, open_page: OpenPage, tmp_path: Path) -> None:
    shutil.copy(SKIRMISH, tmp_path / "a.mcap")
    page = open_page(play(SKIRMISH, "--start-paused", "--recordings", str(tmp_path)), "/?recording=a.mcap")
    page.wait(f"globalThis.dashboard && {LOOP} > args", FIRST)
    # With the one of the page, as many as there may be.
    page.evaluate("""Promise.all([1, 2, 3].map(() => new Promise((resolve) => {
        const socket = new WebSocket(`ws://${location.host}/v1/recordings/a.mcap/sync`);
        socket.onopen = () => socket.send('{"subscribe":{"credits":1}}');
        socket.onmessage = resolve;
        (globalThis.others ??= []).push(socket);
      })))""")
    page.press("o")
    page.wait(f"{NOTE}.endsWith('could not be read: 4 recordings are already playing: close one.')")
    page.run("page.complaints.length = 0")


def test_a_watching_token_is_enough(play: Play, open_page: OpenPage, tmp_path: Path) -> None:
    daemon = play(SKIRMISH, *token_options(tmp_path), "--loop")
    page = open_page(daemon)
    enter_token(page, WATCH)
    page.press("o")
    page.wait(f"{NOTE}.startsWith('Game loop ')")


def test_a_stream_does_not_show_it(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused, "/?view=stream")
    shows(page, AT)
    assert not page.run("return page.isVisible('#raw-toggle')")
    page.press("o")
    page.run("await page.waitForTimeout(200)")
    assert page.evaluate("document.getElementById('raw').hidden")
