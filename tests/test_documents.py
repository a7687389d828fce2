"""Documents say what is so: commands run, examples work, and everything named is there."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from tests.clips import clip_path
from tests.voicepeer.commandline import FAKE
from voicepeer import cli, config_docs, voice_file
from voicepeer.audio import read_reference
from voicepeer.child_service import running_service
from voicepeer.client import VoicePeerClient

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "NOTICE"])
BIN = Path(sys.executable).parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

_BLOCK = re.compile(r"(?:<!-- run: (?P<how>\w+) -->\n)?```(?P<kind>\w*)\n(?P<body>.*?)```", re.S)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")
_PATH = re.compile(r"`((?:voicepeer|engines|signaling|tests|docs|web|coturn|deploy)/[\w./-]+)`")


def blocks(text: str, how: str | None = None, kind: str | None = None) -> list[str]:
    """Bodies of fenced blocks, by the mark before them or by their kind."""
    return [
        found["body"]
        for found in _BLOCK.finditer(text)
        if (how is None or found["how"] == how) and (kind is None or found["kind"] == kind)
    ]


def shell_lines() -> Iterator[tuple[str, str]]:
    """Every line of every shell block, with its page."""
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8"), kind="sh"):
            for line in block.splitlines():
                if line.strip():
                    yield page.name, line.partition("#")[0].strip()


def test_the_shell_examples_are_found() -> None:
    lines = [line for _, line in shell_lines()]
    assert any(line == "make demo" for line in lines)
    assert len([line for line in lines if line.startswith("voicepeer ")]) >= 5


OF_OTHERS = ("docker ", "install ", "kubectl ", "systemctl ", "journalctl ")
"""Commands with arguments of our name; `tests/test_operations.py` looks at them."""


@pytest.mark.parametrize(
    "line",
    [
        line
        for _, line in shell_lines()
        if "voicepeer " in line and "pip" not in line and not line.startswith(OF_OTHERS)
    ],
)
def test_every_voicepeer_command_in_a_document_parses(line: str) -> None:
    words = shlex.split(line)
    at = next(index for index, word in enumerate(words) if word.endswith("voicepeer"))
    assert callable(cli.build_parser().parse_args(words[at + 1 :]).run)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_make_target_in_a_document_exists(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`?make ([a-z]+)\b[^`\n]*`", page.read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.M), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_named_in_a_document_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [link for link in _LINK.findall(text) if not (page.parent / link).exists()]
    missing += [path for path in _PATH.findall(text) if not (ROOT / path.rstrip(".")).exists()]
    assert missing == []


def test_every_model_file_that_ships_is_in_the_notice() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    shipped = [
        path.relative_to(ROOT)
        for pattern in ("*.onnx", "*.npz", "*.xz", "*.bin", "*.npy")
        for path in ROOT.glob(f"engines/**/{pattern}")
    ]
    assert shipped
    for path in shipped:
        assert str(path) in notice or f"{path.parent}/" in notice, path


def test_the_configuration_page_is_up_to_date() -> None:
    assert (ROOT / "docs/configuration.md").read_text(encoding="utf-8") == config_docs.page(), (
        "run `make docs`"
    )


def test_the_configuration_example_can_be_read(tmp_path: Path) -> None:
    from voicepeer.config import load

    (example,) = blocks(config_docs.page(), kind="toml")
    path = tmp_path / "voicepeer.toml"
    path.write_text(example)
    assert load({}, {}, path).server.port == 8443


def test_the_changelog_has_this_version() -> None:
    from voicepeer import __version__

    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{__version__}]" in text or "## [Unreleased]" in text


async def test_the_client_example_of_the_readme_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = blocks(README, how="client")
    shutil.copy(clip_path("en_jennifer"), tmp_path / "me.wav")
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    async with running_service([*FAKE, "--database", str(tmp_path / "v.sqlite")]) as service:
        assert example.count("http://localhost:8080") == 1
        code = example.replace("http://localhost:8080", service.ready.url)
        body = textwrap.indent(code, "    ")
        names: dict[str, object] = {}
        exec(compile(f"async def example():\n{body}", "README.md", "exec"), names)
        with contextlib.redirect_stdout(printed):
            await names["example"]()  # type: ignore[operator]
    first_audible_ms, seconds = map(float, printed.getvalue().split())
    assert 0 < first_audible_ms < 5_000
    assert seconds == pytest.approx(len("Hello, this is my voice.") * 0.06, abs=0.2)


async def test_the_example_of_rooms_works(tmp_path: Path) -> None:
    page = (ROOT / "docs/rooms.md").read_text(encoding="utf-8")
    (example,) = blocks(page, how="room")
    async with running_service([*FAKE, "--database", str(tmp_path / "v.sqlite")]) as service:
        body = textwrap.indent(example.replace("http://localhost:8080", service.ready.url), "    ")
        names: dict[str, object] = {}
        exec(compile(f"async def example():\n{body}", "docs/rooms.md", "exec"), names)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            async with asyncio.timeout(30):
                await names["example"]()  # type: ignore[operator]
    assert printed.getvalue() == "somebody speaks\n"


@pytest.mark.needs("curl")
@pytest.mark.needs("jq")
async def test_the_examples_of_recording_work(tmp_path: Path) -> None:
    page = (ROOT / "docs/rooms.md").read_text(encoding="utf-8")
    (example,), (withdrawal,) = blocks(page, how="recording"), blocks(page, how="withdrawal")
    options = ["--set", f"recording.folder={tmp_path / 'recordings'}"]
    options += ["--set", "recording.min_free_mb=0", "--database", str(tmp_path / "v.sqlite")]
    async with running_service([*FAKE, *options]) as service:
        body = textwrap.indent(example.replace("http://localhost:8080", service.ready.url), "    ")
        names: dict[str, object] = {}
        exec(compile(f"async def example():\n{body}", "docs/rooms.md", "exec"), names)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            async with asyncio.timeout(30):
                await names["example"]()  # type: ignore[operator]
        folder = tmp_path / "recordings" / printed.getvalue().strip()
        mixed = await run_shell(
            f"voicepeer recording mix {folder} --json", tmp_path, PATH=f"{BIN}:{os.environ['PATH']}"
        )
        assert json.loads(mixed)["cues"] == 1
        captions = re.sub(r"<[\d:.]+>", "", (folder / "captions.vtt").read_text())
        assert "<v bot>This is on record." in captions
        told = await run_shell(withdrawal, tmp_path, URL=service.ready.url, TOKEN="")
    assert json.loads(told)["tracks_deleted"] == 1
    assert [path.name for path in folder.iterdir()] == ["manifest.json"]


async def test_the_examples_of_bots_work(tmp_path: Path) -> None:
    page = (ROOT / "docs/bots.md").read_text(encoding="utf-8")
    (shell,), (python,) = blocks(page, how="bots"), blocks(page, how="bot_client")
    scene = re.search(r"<!-- file: scene.txt -->\n```text\n(.*?)```", page, re.S)
    assert scene is not None
    (tmp_path / "scene.txt").write_text(scene[1])
    # The service has no saved voices: stock ones take their place.
    shell = shell.replace("--voice Ada", "--voice high").replace("--voice Bob", "--voice low")
    async with running_service([*FAKE, "--database", str(tmp_path / "v.sqlite")]) as service:
        url = service.ready.url
        shell = shell.replace(" --url http://localhost:8080", "").replace(
            "voicepeer bot", f"voicepeer bot --url {url}"
        )
        told = await run_shell(shell, tmp_path, PATH=f"{BIN}:{os.environ['PATH']}")
        body = python.replace("http://localhost:8080", url).replace('voice("Ada")', 'voice("high")')
        names: dict[str, object] = {}
        source = f"async def example():\n{textwrap.indent(body, '    ')}"
        exec(compile(source, "docs/bots.md", "exec"), names)
        await names["example"]()  # type: ignore[operator]
    events = [json.loads(line) for line in told.splitlines()]
    assert [(one["event"], one.get("bot")) for one in events] == [
        *(("joined", "Ada"), ("joined", "Bob"), ("said", "Ada"), ("said", "Bob")),
        *(("said", "Bob"), ("left", None)),
    ]


def test_the_shell_example_of_the_readme_works(tmp_path: Path) -> None:
    (example,) = blocks(README, how="shell")
    shutil.copy(clip_path("en_jennifer"), tmp_path / "me.wav")
    environ = os.environ | {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "VOICEPEER_ENGINE_SPEECH": "fake",
        "VOICEPEER_VOICES_DATABASE": str(tmp_path / "v.sqlite"),
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", example],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "hello.wav").stat().st_size > 10_000
    assert (tmp_path / "ada.voice").is_file()
    assert "Ada" in done.stdout


async def run_shell(script: str, folder: Path, **environ: str) -> str:
    """Run a shell example; what it wrote to standard output."""
    done = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", script),
        cwd=folder,
        env=os.environ | environ,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await done.communicate()
    assert done.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.needs("curl")
@pytest.mark.needs("jq")
async def test_the_examples_of_http_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/http.md").read_text(encoding="utf-8")
    (curl,), (python,), (shell,) = (
        blocks(README, how="http"),
        blocks(page, how="speech"),
        blocks(page, how="voices"),
    )
    shutil.copy(clip_path("en_jennifer"), tmp_path / "me.wav")
    monkeypatch.chdir(tmp_path)
    async with running_service([*FAKE, "--database", str(tmp_path / "v.sqlite")]) as service:
        url = service.ready.url
        await run_shell(curl.replace("http://localhost:8080", url), tmp_path)
        assert read_reference("hello.mp3").duration_s > 0.5
        body = textwrap.indent(python.replace("http://localhost:8080", url), "    ")
        names: dict[str, object] = {"openai": openai}
        exec(compile(f"async def example():\n{body}", "docs/http.md", "exec"), names)
        await names["example"]()  # type: ignore[operator]
        assert read_reference("hello.mp3").duration_s > 1.5
        told = await run_shell(shell, tmp_path, URL=url)
        assert len(json.loads(told)["voices_deleted"]) == 1
        assert read_reference("hello.wav").duration_s > 0.3
        assert voice_file.read(tmp_path / "ada.voice").consent.who == "Ada"


@pytest.mark.needs("curl")
async def test_the_examples_of_who_may_do_what_work(tmp_path: Path) -> None:
    page = (ROOT / "docs/auth.md").read_text(encoding="utf-8")
    (config,), (python,), (shell,) = (
        blocks(page, how=how) for how in ("auth_config", "token", "client_secret")
    )
    file = tmp_path / "voicepeer.toml"
    file.write_text(config)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(python, "docs/auth.md", "exec"), {})
    token = printed.getvalue().strip()
    serving = ["--config", str(file), *FAKE, "--database", str(tmp_path / "v.sqlite")]
    async with running_service(serving) as service:
        script = shell.replace("http://localhost:8080", service.ready.url)
        asked = await asyncio.create_subprocess_exec(
            *("bash", "-euo", "pipefail", "-c", script),
            env=os.environ | {"TOKEN": token},
            stdout=asyncio.subprocess.PIPE,
        )
        secret = json.loads((await asked.communicate())[0])["value"]
        async with VoicePeerClient(service.ready.url, token=secret) as client:
            await client.use_voice("low")
            assert (await client.say("Hello.")).audio_ms > 0
