"""The JavaScript client: its own tests, what is committed of it, and the package that npm makes."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from signaling.pages import load_pages
from tests.node import WEB, run, run_program

pytestmark = [pytest.mark.unit, pytest.mark.needs("node")]

SDK = WEB / "sdk"
CLIENT = SDK / "dist" / "voicepeer-client.js"
MOST_BYTES = 30_000
"""Of the whole client, compressed."""

USE = """
import { type Language, textOf, VoicePeer, VoicePeerError } from "@voicepeer/client";

const zh: Language = "zh";
export async function use(track: (one: MediaStreamTrack | null) => void): Promise<unknown> {
  const peer = new VoicePeer({ url: "https://voice.example/", token: async () => "secret" });
  peer.on("voice.usable", ({ voice_id }) => voice_id.length);
  peer.on("word", ({ utterance, word }) => utterance.text.slice(word.start, word.end));
  await peer.connect();
  track(peer.speech.track);
  const { audible, finished } = peer.speak("Hello.", { emotion: "happy" });
  const [first, end] = [await audible, await finished];
  if (end.error instanceof VoicePeerError) textOf(end.error.code, zh);
  return (first?.latencyMs ?? 0) > 0 ? peer.stats() : null;
}
"""

MISUSES = {
    "an unknown event": 'peer.on("voice.sung", () => 0);',
    "a field that is not there": 'peer.on("voice.usable", ({ id }) => id);',
    "a number for a text": "peer.speak(7);",
    "an unknown setting": 'peer.speak("a", { loudness: 1 });',
    "what is internal": "peer.utterances[0]?.ended({ how: 'done' });",
}


@pytest.mark.timeout(300)
def test_its_own_tests_pass() -> None:
    run_program("vitest", "run", where=WEB, folder=SDK)


def test_it_is_strictly_typed_with_its_tests_and_examples() -> None:
    run_program("tsc", "--noEmit", where=WEB, folder=SDK)


def test_what_is_committed_is_what_is_built(tmp_path: Path) -> None:
    run_program("vite", "--version", where=WEB)  # skips where nothing is installed
    run(["node", "build.js", str(tmp_path)], SDK)
    built = files(tmp_path / "sdk")
    assert built == files(SDK / "dist"), "run: make web"
    assert (tmp_path / "web" / "client.js").read_bytes() == load_pages()["client.js"].body


def files(folder: Path) -> dict[str, bytes]:
    """Contents of all files, by their path."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_it_is_one_small_module_that_loads_nothing() -> None:
    text = CLIENT.read_text(encoding="utf-8")
    assert len(gzip.compress(text.encode(), 9)) < MOST_BYTES
    assert not re.search(
        r"^import\b|\bimport\([\"'`]|\beval\(|new Function|https?://", text, re.MULTILINE
    )
    assert "sourceMappingURL" not in text


def test_it_needs_no_other_package() -> None:
    package = json.loads((SDK / "package.json").read_text())
    assert not package.keys() & {"dependencies", "peerDependencies", "optionalDependencies"}
    assert package["license"] == "Apache-2.0"
    assert (SDK / "LICENSE").read_text() == (WEB.parent / "LICENSE").read_text()


def test_all_versions_are_exact() -> None:
    for path in (WEB / "package.json", SDK / "package.json"):
        wanted = json.loads(path.read_text()).get("devDependencies", {})
        assert wanted, path
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values()), path


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of somebody else that has installed the package as npm packs it."""
    run_program("tsc", "--version", where=WEB)
    folder = tmp_path_factory.mktemp("project")
    (packed,) = json.loads(run(["npm", "pack", "--json", f"--pack-destination={folder}"], SDK))
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    run(["npm", "install", "--offline", "--no-audit", "--no-fund", packed["filename"]], folder)
    options = {
        "target": "ES2022",
        "module": "NodeNext",
        "strict": True,
        "noEmit": True,
        "types": [],
    }
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
    return folder


def test_the_package_has_what_it_needs_and_no_more(project: Path) -> None:
    installed = project / "node_modules" / "@voicepeer" / "client"
    names = {name.partition("/")[0] for name in files(installed)}
    assert names == {"package.json", "README.md", "LICENSE", "dist"}
    assert (installed / "dist" / "voicepeer-client.js").read_bytes() == CLIENT.read_bytes()


def test_the_package_is_built_where_it_has_not_been(tmp_path: Path) -> None:
    run_program("vite", "--version", where=WEB)  # skips where nothing is installed
    sdk = tmp_path / "sdk"
    shutil.copytree(SDK, sdk, ignore=shutil.ignore_patterns("dist", "node_modules", "test"))
    shutil.copy(WEB / "tsconfig.base.json", tmp_path)
    (tmp_path / "node_modules").symlink_to(WEB / "node_modules")
    run(["npm", "pack", f"--pack-destination={tmp_path}"], sdk)
    (packed,) = tmp_path.glob("*.tgz")
    with tarfile.open(packed) as package:
        names = package.getnames()
    assert {"package/dist/voicepeer-client.js", "package/dist/types/index.d.ts"} <= set(names)


def test_its_readme_leads_nowhere_outside_of_it() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (SDK / "README.md").read_text())
    assert [link for link in links if not (SDK / link).is_relative_to(SDK) or ".." in link] == []


def test_the_package_is_used_with_its_types(project: Path) -> None:
    (project / "use.ts").write_text(USE)
    run_program("tsc", "--project", str(project), where=WEB, folder=project)


def test_its_types_refuse_misuses(project: Path) -> None:
    begin = 'import { VoicePeer } from "@voicepeer/client";\nconst peer = new VoicePeer();\n'
    names = {f"misuse_{index}": what for index, what in enumerate(MISUSES)}
    for name, what in names.items():
        (project / f"{name}.ts").write_text(begin + MISUSES[what])
    with pytest.raises(AssertionError) as refused:
        run_program("tsc", "--project", str(project), where=WEB, folder=project)
    for name, what in names.items():
        (project / f"{name}.ts").unlink()
        assert f"{name}.ts(3," in str(refused.value), what


def test_the_package_loads_where_there_is_no_browser(project: Path) -> None:
    program = "import { VoicePeer, textOf } from '@voicepeer/client';" + (
        "console.log(typeof VoicePeer, textOf('call_over', 'en'));"
    )
    told = run(["node", "--input-type=module", "-e", program], project)
    assert told.startswith("function This call is over.")
