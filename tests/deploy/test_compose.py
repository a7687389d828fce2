"""docker-compose.yml, the image and coturn's configuration against the code that they serve."""

from __future__ import annotations

import ipaddress
import json
import re
import subprocess
import sys
import tomllib
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
from compose_spec import PyCompose

from signaling.config import DEFAULT_PORT
from signaling.ice_servers import STUN_PORT, TURNS_PORT
from tests.deploy.compose import DOCKERFILES, FILLED_IN, ROOT, Image, compose, read, services
from tests.voicepeer.commandline import voicepeer
from voicepeer import __version__, wiring
from voicepeer.config import ENV_REDIS_PASSWORD, TYPES, Config, env_name, load
from voicepeer.service import SHUTDOWN_TIMEOUT_S

pytestmark = pytest.mark.unit

TURN_CONF = ROOT / "coturn" / "turnserver.conf"
PODS = ROOT / "deploy" / "kubernetes" / "pod-monitor.yaml"
VERSION = re.compile(r"[\w./-]+:v?\d+\.\d+\.\d+(-[a-z]+)?")


def turn_conf() -> dict[str, list[str]]:
    """Options of coturn's configuration file; flags have the value ``""``."""
    options: dict[str, list[str]] = {}
    for line in TURN_CONF.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            options.setdefault(name.strip(), []).append(value.strip())
    return options


def is_denied(address: str) -> bool:
    """Whether the relay refuses to send to an address."""
    wanted = ipaddress.ip_address(address)
    for span in turn_conf()["denied-peer-ip"]:
        low, high = (ipaddress.ip_address(end) for end in span.split("-"))
        if low.version == wanted.version and int(low) <= int(wanted) <= int(high):
            return True
    return False


def service_environment() -> dict[str, str]:
    """What the service's container is given."""
    environment: dict[str, str] = services()["voicepeer"]["environment"]
    return environment


def test_every_variable_is_a_setting() -> None:
    known = {env_name(name) for name in TYPES} | {ENV_REDIS_PASSWORD}
    assert set(service_environment()) <= known


def test_the_service_starts_with_what_compose_gives_it() -> None:
    settings = load({}, service_environment())
    signaling = wiring.signaling_config(settings)
    assert signaling.host == "0.0.0.0"
    assert signaling.port == DEFAULT_PORT
    assert signaling.api_keys == (FILLED_IN["VOICEPEER_SERVER_API_KEYS"],)
    assert signaling.ice.media_addresses == ("203.0.113.7", "2001:db8::7")
    assert signaling.ice.stun_urls == (f"stun:turn.example.org:{STUN_PORT}",)
    assert signaling.ice.turn_urls == tuple(
        f"turn:turn.example.org:{STUN_PORT}?transport={transport}" for transport in ("udp", "tcp")
    )


@pytest.mark.parametrize("name", sorted(FILLED_IN))
def test_what_must_be_set_is_asked_for(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        compose({key: value for key, value in FILLED_IN.items() if key != name})


def test_the_example_names_everything_that_must_be_set() -> None:
    example = (ROOT / "deploy" / "env.example").read_text()
    assert set(FILLED_IN) <= set(re.findall(r"^(\w+)=", example, re.MULTILINE))


def test_nothing_in_the_example_goes_nowhere() -> None:
    example = (ROOT / "deploy" / "env.example").read_text()
    offered = set(re.findall(r"^(?:# )?([A-Z_]+)=", example, re.MULTILINE))
    used = re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text())
    assert offered == set(used)


# --- what Compose makes of it -------------------------------------------------------------------


def refused(parsed: dict[str, object]) -> str:
    """Why Compose's specification refuses a file; empty where it takes it."""
    try:
        PyCompose.from_json(json.dumps(parsed))
    except ValueError as error:
        return str(error)
    return ""


def test_it_follows_the_specification() -> None:
    assert refused(compose()) == ""
    assert refused(compose(FILLED_IN | {"METRICS_KEY": "0123456789abcdef"})) == ""
    for name, value in (("read_onyl", True), ("restart", "often"), ("volumes", ["a:b"])):
        broken = compose()
        broken["services"]["nginx"][name] = value
        assert refused(broken), name


def test_profiles_are_those_that_the_file_tells_of() -> None:
    profiles = {name for one in services().values() for name in one.get("profiles", ())}
    head = (ROOT / "docker-compose.yml").read_text().partition("services:")[0]
    assert set(re.findall(r"--profile (\w+)", head)) == profiles
    always = [name for name, one in services().items() if "profiles" not in one]
    assert always == ["voicepeer", "turn-config", "coturn"]


def test_images_have_versions() -> None:
    for name, one in services().items():
        assert VERSION.fullmatch(one["image"]), name
        if "build" in one:
            assert one["image"].startswith(f"voicepeer:{__version__}")
    bases = [
        base for path in DOCKERFILES for base in re.findall(r"^FROM (\S+)", path.read_text(), re.M)
    ]
    assert len(set(bases)) == 1
    assert VERSION.fullmatch(bases[0].removesuffix("-bookworm"))


@pytest.mark.parametrize("name", services())
def test_every_container_can_write_its_volumes_only_and_gain_no_rights(name: str) -> None:
    one = services()[name]
    assert one["read_only"] is True
    assert one["cap_drop"] == ["ALL"]
    assert one["security_opt"] == ["no-new-privileges:true"]
    assert ("cap_add" in one) == (name == "nginx"), "which takes ports below 1024"
    assert one["logging"] == {"driver": "local"}
    for mount in one["volumes"]:
        source, _, rest = mount.partition(":")
        if source.startswith("./"):
            assert rest.endswith(":ro")
            made_by_operators = {"tls", "acme"}
            assert (ROOT / source).exists() or Path(source).name in made_by_operators, source
        else:
            assert source in compose()["volumes"]


def test_what_is_for_this_machine_only_listens_there_only() -> None:
    prometheus, grafana = services()["prometheus"], services()["grafana"]
    (listens,) = [one for one in prometheus["command"] if "listen-address" in one]
    assert listens.endswith("=127.0.0.1:9090")
    assert "http://127.0.0.1:9090/" in prometheus["healthcheck"]["test"][-1]
    assert grafana["environment"]["GF_SERVER_HTTP_ADDR"] == "127.0.0.1"
    port = grafana["environment"]["GF_SERVER_HTTP_PORT"]
    assert f"http://127.0.0.1:{port}/" in grafana["healthcheck"]["test"][-1]


def test_grafana_finds_prometheus_and_the_dashboards() -> None:
    provisioning = ROOT / "deploy" / "grafana" / "provisioning"
    (source,) = read(provisioning / "datasources" / "prometheus.yml")["datasources"]
    assert (
        f"--web.listen-address={source['url'].removeprefix('http://')}"
        in (services()["prometheus"]["command"])
    )
    (provider,) = read(provisioning / "dashboards" / "voicepeer.yml")["providers"]
    mounts = [mount.split(":")[1] for mount in services()["grafana"]["volumes"]]
    assert provider["options"]["path"] in mounts


def test_prometheus_scrapes_the_service_with_the_key_that_it_is_given() -> None:
    (job,) = read(ROOT / "deploy" / "prometheus" / "prometheus.yml")["scrape_configs"]
    (secret,) = services()["prometheus"]["secrets"]
    assert job["authorization"]["credentials_file"] == f"/run/secrets/{secret}"
    (targets,) = job["static_configs"]
    assert targets["targets"] == [f"127.0.0.1:{DEFAULT_PORT}"]
    assert job["metrics_path"] == read(PODS)["spec"]["podMetricsEndpoints"][0]["path"]


def test_the_key_for_figures_may_read_figures_and_nothing_else() -> None:
    environment = compose(FILLED_IN | {"METRICS_KEY": "0123456789abcdef"})["services"]["voicepeer"]
    auth = wiring.signaling_config(load({}, environment["environment"])).auth
    assert auth.keys == {"metrics": ("0123456789abcdef",)}
    assert auth.rights == {"metrics": frozenset({"manage"})}
    assert compose()["secrets"] == {"metrics_key": {"environment": "METRICS_KEY"}}
    assert services()["prometheus"]["secrets"] == ["metrics_key"]


def test_a_container_is_given_the_time_that_a_service_takes_to_stop() -> None:
    grace_s = int(services()["voicepeer"]["stop_grace_period"].removesuffix("s"))
    assert grace_s >= Config().server.drain_timeout_s + SHUTDOWN_TIMEOUT_S


def test_the_one_with_a_gpu_is_the_same_but_for_that() -> None:
    usual, gpu = services()["voicepeer"], services()["voicepeer-gpu"]
    others = {"profiles", "image", "build", "deploy"}
    assert {key: value for key, value in gpu.items() if key not in others} == {
        key: value for key, value in usual.items() if key not in others
    }
    (device,) = gpu["deploy"]["resources"]["reservations"]["devices"]
    assert (device["driver"], device["capabilities"]) == ("nvidia", ["gpu"])


def test_both_sides_share_the_database_and_the_port() -> None:
    found = services()
    database = Path(found["voicepeer"]["environment"]["VOICEPEER_ICE_TURN_DATABASE"])
    for name in ("voicepeer", "turn-config", "coturn"):
        assert f"turn:{database.parent}" in found[name]["volumes"]
    assert found["turn-config"]["environment"] == found["voicepeer"]["environment"]
    for path in DOCKERFILES:
        uid, gid = Image(path).user
        assert found["coturn"]["user"] == f"{uid}:{gid}", "coturn and the service both write it"
    conf = turn_conf()
    assert conf["listening-port"] == [str(STUN_PORT)]
    assert conf["tls-listening-port"] == [str(TURNS_PORT)]


def test_coturn_is_run_with_what_turn_config_writes(tmp_path: Path) -> None:
    command = services()["turn-config"]["command"]
    out = command[-1].partition("=")[2]
    assert services()["coturn"]["command"][:2] == ["-c", out]
    made = tmp_path / "turnserver.conf"
    database = tmp_path / "turn.sqlite"
    settings = [
        f"--set=ice.turn_database={database}",
        f"--set=ice.media_addresses={FILLED_IN['MEDIA_ADDRESSES']}",
    ]
    ran = voicepeer(command[0], f"--base={TURN_CONF}", f"--out={made}", *settings)
    assert ran.code == 0, ran.err
    text = made.read_text()
    assert text.startswith(TURN_CONF.read_text().rstrip())
    assert "allowed-peer-ip=203.0.113.7\nallowed-peer-ip=2001:db8::7\n" in text
    assert database.exists()


def test_time_limited_credentials_and_no_secret_in_the_file() -> None:
    conf = turn_conf()
    assert "lt-cred-mech" in conf, "without a secret and a database nobody is let in"
    assert "fingerprint" in conf
    assert not {"static-auth-secret", "use-auth-secret", "user", "no-auth"} & set(conf)


def test_the_relay_range_is_sane() -> None:
    conf = turn_conf()
    low, high = int(conf["min-port"][0]), int(conf["max-port"][0])
    assert 49152 <= low < high <= 65535  # RFC 8656 section 7.2: the dynamic range
    assert high - low + 1 >= int(conf["total-quota"][0])


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1",
     "172.31.255.255", "192.168.1.1", "192.0.0.8", "198.18.0.1", "240.0.0.1", "255.255.255.255",
     "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "100::1", "2001::1",
     "2002:a00:1::", "fc00::1", "fd12:3456::1", "fe80::1"],
)  # fmt: skip
def test_the_relay_leads_into_no_private_network(address: str) -> None:
    assert is_denied(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "172.32.0.1", "193.0.0.1", "2606:4700::1111"])
def test_the_relay_reaches_public_addresses(address: str) -> None:
    assert not is_denied(address)


# --- images -------------------------------------------------------------------------------------


@pytest.fixture(params=DOCKERFILES, ids=lambda path: path.name)
def dockerfile(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_hadolint_has_nothing_to_say(dockerfile: Path, tmp_path: Path) -> None:
    assert hadolint(dockerfile) == []
    careless = tmp_path / "Dockerfile"
    careless.write_text(dockerfile.read_text().replace("USER 10001:10001", "USER root"))
    assert "DL3002" in hadolint(careless)


def hadolint(path: Path) -> list[str]:
    """Codes of what is found in a Dockerfile."""
    program = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([program, "--format=json", path], capture_output=True, text=True)
    return [one["code"] for one in json.loads(done.stdout)]


def test_an_image_installs_what_it_copies_and_runs_as_nobody(dockerfile: Path) -> None:
    text = dockerfile.read_text()
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE)
    ignored = (ROOT / ".dockerignore").read_text()
    for name in " ".join(copied).split():
        assert (ROOT / name).exists(), name
        assert f"!{name}" in ignored.splitlines(), name
    uid, gid = Image(dockerfile).user
    assert (uid, gid) == (10001, 10001)
    assert f"--uid {uid} --user-group" in text
    assert f"EXPOSE {DEFAULT_PORT}" in text
    assert Image(dockerfile).command == ["voicepeer", "serve", "--json"]


def test_both_images_run_the_same() -> None:
    usual, gpu = (Image(path) for path in DOCKERFILES)
    for name in ("user", "volumes", "command", "health_check"):
        assert getattr(usual, name) == getattr(gpu, name), name
    of_gpus = {"LD_LIBRARY_PATH", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"}
    assert gpu.environment.keys() - usual.environment.keys() == of_gpus
    assert gpu.environment | usual.environment == gpu.environment


def test_the_gpu_image_installs_its_runtime_last() -> None:
    installed = re.findall(r'pip install --no-cache-dir "\.\[(.+)\]"', Image(DOCKERFILES[1]).text)
    assert installed == ["$EXTRAS", "gpu"]
    extras = extras_of_the_package()
    assert any(one.startswith("onnxruntime-gpu[cuda,cudnn]") for one in extras["gpu"])
    # What onnxruntime's provider links is libnvinfer.so.10.
    assert "tensorrt>=10.0,<11" in extras["gpu"]


def extras_of_the_package() -> dict[str, list[str]]:
    """Optional dependencies by their names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found: dict[str, list[str]] = project["optional-dependencies"]
    return found


def test_extras_of_the_image_are_chosen_by_an_argument_and_exist() -> None:
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    (default,) = re.findall(r"^ARG EXTRAS=(\S+)$", dockerfile, re.MULTILINE)
    assert '".[$EXTRAS]"' in dockerfile
    known = extras_of_the_package()
    example = (ROOT / "deploy" / "env.example").read_text()
    (offered,) = re.findall(r"^# EXTRAS=(\S+)$", example, re.MULTILINE)
    for extras in (default, offered):
        assert set(extras.split(",")) <= set(known)
    assert "zh" in default.split(",")
    assert "ja" in offered.split(",")
    build = "services", "voicepeer", "build", "args"
    assert reduce(getitem, build, compose()) == {"EXTRAS": default}
    chosen = compose(FILLED_IN | {"EXTRAS": offered})
    assert reduce(getitem, build, chosen) == {"EXTRAS": offered}


def test_variables_of_an_image_are_settings(dockerfile: Path) -> None:
    image = Image(dockerfile)
    ours = {key: value for key, value in image.environment.items() if key.startswith("VOICEPEER_")}
    settings = load({}, ours)
    folders = [Path(settings.voices.database).parent, Path(settings.engine.cache_dir)]
    folders.append(Path(service_environment()["VOICEPEER_ICE_TURN_DATABASE"]).parent)
    assert [str(folder) for folder in folders] == image.volumes
    mounts = [mount.split(":")[1] for mount in services()["voicepeer"]["volumes"]]
    assert mounts == image.volumes
