"""deploy/kubernetes against the schemas of Kubernetes and the code that it runs."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from signaling.app import create_app
from signaling.config import DEFAULT_PORT, Readiness, SignalingConfig
from signaling.ice_servers import STUN_PORT, TURNS_PORT
from signaling.sessions import SessionHandle, SessionRequest
from signaling.voice_routes import MAX_VOICE_FILE_BYTES
from tests.deploy.compose import DOCKERFILES, ROOT, Image, Yaml, read, services
from tests.deploy.kustomize import BASE, FOLDER, OVERLAYS, containers, only, resolved
from tests.deploy.test_nginx import seconds
from tests.voicepeer.commandline import voicepeer
from voicepeer import __version__, wiring
from voicepeer.config import Config, env_name, load
from voicepeer.redis_link import RedisLink
from voicepeer.service import SHUTDOWN_TIMEOUT_S

pytestmark = pytest.mark.unit

VERSIONS = ("1.30.0", "1.37.0")
"""The oldest and the newest that the manifests are for."""

KUSTOMIZATIONS = [BASE, *OVERLAYS]
IMAGE = Image(DOCKERFILES[0])


@pytest.fixture(params=KUSTOMIZATIONS, ids=lambda path: path.name)
def objects(request: pytest.FixtureRequest) -> list[Yaml]:
    return resolved(request.param)


@pytest.fixture
def base() -> list[Yaml]:
    return resolved(BASE)


def settings(objects: list[Yaml]) -> Config:
    """What the service's container makes of its image, the ConfigMap and a Secret."""
    given = only(objects, "ConfigMap")["data"] | secret()
    return load({}, IMAGE.environment | given)


def secret() -> dict[str, str]:
    """The Secret, filled in."""
    names = re.findall(r"^(\w+)=$", (FOLDER / "secrets.env.example").read_text(), re.MULTILINE)
    key = "0123456789abcdef0123456789abcdef"
    return {name: f"metrics={key}" if name == "VOICEPEER_AUTH_KEYS" else key for name in names}


# --- as Kubernetes sees it ----------------------------------------------------------------------


def test_every_object_follows_its_schema(objects: list[Yaml]) -> None:
    for one in objects:
        kubernetes_validate.validate(one, VERSIONS[-1], strict=True)


def test_clusters_that_are_older_take_them_too(base: list[Yaml]) -> None:
    for one in base:
        kubernetes_validate.validate(one, VERSIONS[0], strict=True)


def test_a_schema_would_say_what_is_wrong(base: list[Yaml]) -> None:
    broken = only(base, "Deployment")
    broken["spec"]["template"]["spec"]["hostNetwrok"] = True
    with pytest.raises(kubernetes_validate.ValidationError, match="hostNetwrok"):
        kubernetes_validate.validate(broken, VERSIONS[-1], strict=True)


def test_everything_in_the_folders_is_used() -> None:
    for folder in KUSTOMIZATIONS:
        asked = read(folder / "kustomization.yaml")["resources"]
        there = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
        assert there == {name for name in asked if name.endswith(".yaml")}


def test_what_is_named_is_there(objects: list[Yaml]) -> None:
    there = {(one["kind"], one["metadata"]["name"]) for one in objects}
    made_by_operators = {("Secret", "voicepeer"), ("Secret", "voicepeer-tls")}
    optional = {("Secret", "voicepeer-turn-tls")}
    assert {name for one in objects for name in named(one)} <= there | made_by_operators | optional
    labels = [
        one["spec"]["template"]["metadata"]["labels"]
        for one in objects
        if "template" in one.get("spec", {})
    ]
    for one in objects:
        for selector in selectors(one):
            assert any(selector.items() <= found.items() for found in labels), one["metadata"]


def named(node: Yaml) -> Iterator[tuple[str, str]]:
    """Kind and name of every object that one refers to."""
    kinds = {"configMapRef": "ConfigMap", "secretRef": "Secret", "secretKeyRef": "Secret"}
    match node:
        case {"secretName": name} | {"secret": {"secretName": name}}:
            yield "Secret", name
        case {"claimName": name}:
            yield "PersistentVolumeClaim", name
        case {"scaleTargetRef": {"kind": kind, "name": name}}:
            yield kind, name
        case {"service": {"name": name}}:
            yield "Service", name
        case _:
            pass
    children = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node if isinstance(node, list) else ())
    )
    for key, child in children:
        if key in kinds:
            yield kinds[key], child["name"]
        yield from named(child)


def selectors(one: Yaml) -> Iterator[dict[str, str]]:
    """Labels by which an object finds pods."""
    spec = one.get("spec", {})
    match one["kind"]:
        case "Service":
            yield spec["selector"]
        case "Deployment" | "DaemonSet" | "StatefulSet" | "PodDisruptionBudget":
            yield spec["selector"]["matchLabels"]
        case "NetworkPolicy":
            yield spec["podSelector"].get("matchLabels", {})
        case _:
            pass


def test_images_have_the_versions_that_compose_has(objects: list[Yaml]) -> None:
    used = {image["image"] for one in objects for image in containers(one)}
    known = {services()[name]["image"] for name in ("coturn", "redis")} | {
        f"voicepeer:{__version__}"
    }
    assert {image.removesuffix("-gpu") for image in used} <= known


REDIS_USER = 999, 1000
"""As the image has it."""


@pytest.mark.parametrize(
    ("kind", "name", "user"),
    [
        ("Deployment", "voicepeer", IMAGE.user),
        ("DaemonSet", "coturn", IMAGE.user),
        ("StatefulSet", "redis", REDIS_USER),
    ],
)
def test_pods_are_restricted_but_for_the_network(
    base: list[Yaml], kind: str, name: str, user: tuple[int, int]
) -> None:
    one = only(base, kind, name)
    pod = one["spec"]["template"]["spec"]
    uid, gid = user
    assert services()["redis"]["user"] == ":".join(map(str, REDIS_USER))
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": uid,
        "runAsGroup": gid,
        "fsGroup": gid,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert pod["automountServiceAccountToken"] is False
    claims = one["spec"].get("volumeClaimTemplates", ())
    volumes = {volume["name"] for volume in pod.get("volumes", ())}
    volumes |= {claim["metadata"]["name"] for claim in claims}
    for container in containers(one):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"requests", "limits"} <= container["resources"].keys()
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


# --- as the service sees it ---------------------------------------------------------------------


def test_every_variable_is_a_setting_and_the_service_starts_with_them(objects: list[Yaml]) -> None:
    config = settings(objects)
    signaling = wiring.signaling_config(config)
    assert signaling.port == DEFAULT_PORT
    assert set(signaling.auth.keys) == {"metrics"}
    assert signaling.auth.rights == {"metrics": frozenset({"manage"})}
    assert signaling.auth.client_secret_key is not None
    assert signaling.ice.turn_secret
    assert all(url.endswith(f":{STUN_PORT}") for url in signaling.ice.stun_urls)


def test_nothing_secret_is_in_the_config_map(base: list[Yaml]) -> None:
    given = only(base, "ConfigMap")["data"].keys()
    assert not given & secret().keys()
    assert not [name for name in given if re.search("KEY|SECRET|PASSWORD", name)]


def test_replicas_share_their_voices_unless_there_is_one() -> None:
    for folder in KUSTOMIZATIONS:
        found = resolved(folder)
        kinds = {one["kind"] for one in found}
        store = settings(found).voices.store
        assert ("HorizontalPodAutoscaler" in kinds) == bool(store), folder.name
        assert ("PersistentVolumeClaim" in kinds) != bool(store), folder.name
        if store:
            link = RedisLink.of(store, "voices.store")
            (port,) = only(found, "Service", link.host)["spec"]["ports"]
            assert port["port"] == link.port


def test_what_the_service_writes_is_a_volume(objects: list[Yaml]) -> None:
    config = settings(objects)
    (container,) = containers(only(objects, "Deployment"))
    mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
    written = {str(Path(config.voices.database).parent), config.engine.cache_dir, "/tmp"}
    assert mounted == written


async def nobody(request: SessionRequest) -> SessionHandle:
    raise NotImplementedError


def test_probes_and_ports_are_those_of_the_service(objects: list[Yaml]) -> None:
    app = create_app(SignalingConfig(), nobody, lambda: Readiness(True), lambda: b"")
    paths = {resource.canonical for resource in app.router.resources()}
    (container,) = containers(only(objects, "Deployment"))
    (port,) = container["ports"]
    assert (port["name"], port["containerPort"]) == ("http", DEFAULT_PORT)
    for probe in ("livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["port"] == port["name"]
        assert container[probe]["httpGet"]["path"] in paths
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz", "loading is not dead"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    (served,) = only(objects, "Service")["spec"]["ports"]
    assert served["targetPort"] == port["name"]
    pod_monitor = read(FOLDER / "pod-monitor.yaml")
    (endpoint,) = pod_monitor["spec"]["podMetricsEndpoints"]
    assert endpoint["path"] in paths
    assert endpoint["port"] == port["name"]


def test_a_pod_is_given_the_time_that_a_service_takes_to_stop(objects: list[Yaml]) -> None:
    pod = only(objects, "Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    command, pause_s = container["lifecycle"]["preStop"]["exec"]["command"]
    assert command == "sleep"
    drain_s = settings(objects).server.drain_timeout_s
    assert pod["terminationGracePeriodSeconds"] >= int(pause_s) + drain_s + SHUTDOWN_TIMEOUT_S
    unready_s = (
        container["readinessProbe"]["periodSeconds"]
        * container["readinessProbe"]["failureThreshold"]
    )
    assert int(pause_s) + drain_s > unready_s


def test_proxies_give_what_nginx_gives(base: list[Yaml]) -> None:
    annotations = only(base, "Ingress")["metadata"]["annotations"]
    asked = {name.rpartition("/")[2]: value for name, value in annotations.items()}
    assert asked["proxy-body-size"] == f"{MAX_VOICE_FILE_BYTES // 2**20}m"
    assert asked["proxy-read-timeout"] == str(seconds("proxy_read_timeout"))
    assert (asked["proxy-buffering"], asked["proxy-request-buffering"]) == ("off", "off")


def test_pods_have_the_network_of_their_node_unless_they_have_their_own() -> None:
    for folder in KUSTOMIZATIONS:
        found = resolved(folder)
        pod = only(found, "Deployment")["spec"]["template"]["spec"]
        rolling = only(found, "Deployment")["spec"]["strategy"]
        is_apart = folder.name == "pod-network"
        assert ("hostNetwork" not in pod) == is_apart
        assert ("hostPort" not in pod["containers"][0]["ports"][0]) == is_apart
        if not is_apart:
            assert rolling.get("rollingUpdate", {}).get("maxSurge", 0) == 0, "the port is taken"


# --- relays -------------------------------------------------------------------------------------


def test_coturn_is_run_with_what_turn_config_writes(base: list[Yaml], tmp_path: Path) -> None:
    daemon_set = only(base, "DaemonSet", "coturn")
    made, served = containers(daemon_set)
    command = [argument.partition("=") for argument in made["args"]]
    assert [name for name, _, _ in command] == ["turn-config", "--base", "--out"]
    base_file, out = (value for _, _, value in command[1:])
    for path in DOCKERFILES:
        assert f"COPY coturn/turnserver.conf {base_file}\n" in path.read_text()
    assert served["args"][:2] == ["-c", out]
    (secret_argument,) = served["args"][2:]
    assert secret_argument == f"--static-auth-secret=$({env_name('ice.turn_secret')})"
    data = only(base, "ConfigMap")["data"] | {env_name("ice.turn_secret"): "0123456789abcdef"}
    found = wiring.ice_config(load({}, data))
    flags = [f"--set=ice.media_addresses={','.join(found.media_addresses)}"]
    ran = voicepeer(
        "turn-config",
        f"--base={ROOT / 'coturn' / 'turnserver.conf'}",
        f"--out={tmp_path / 'c'}",
        *flags,
    )
    assert ran.code == 0, ran.err
    assert "allowed-peer-ip=10.0.0.0-10.0.255.255\n" in (tmp_path / "c").read_text()
    ports = {port["containerPort"] for port in served["ports"]}
    assert ports == {STUN_PORT, TURNS_PORT}


# --- scaling ------------------------------------------------------------------------------------


def adapter_rules() -> list[Yaml]:
    """What prometheus-adapter is told."""
    rules: list[Yaml] = read(FOLDER / "prometheus-adapter.yaml")["rules"]["custom"]
    return rules


def adapter_series() -> set[str]:
    """Series of the service that autoscaling reads."""
    return {rule["seriesQuery"].partition("{")[0] for rule in adapter_rules()}


def test_scaling_asks_for_what_the_adapter_makes(base: list[Yaml]) -> None:
    scaler = only(base, "HorizontalPodAutoscaler")["spec"]
    asked = {one["pods"]["metric"]["name"]: one["pods"]["target"] for one in scaler["metrics"]}
    assert set(asked) == {rule["name"]["as"] for rule in adapter_rules()}
    most = settings(base).server.max_sessions
    assert 0.5 * most < int(asked["voicepeer_sessions"]["averageValue"]) < most
    assert scaler["minReplicas"] >= 2


def query(rule: Yaml) -> str:
    """The query that the adapter makes of a rule for two pods."""
    filled = {
        "<<.Series>>": rule["seriesQuery"].partition("{")[0],
        "<<.LabelMatchers>>": 'namespace="voicepeer",pod=~"a|b"',
        "<<.GroupBy>>": "pod",
    }
    text: str = rule["metricsQuery"]
    for name, value in filled.items():
        text = text.replace(name, value)
    return text


@pytest.mark.needs("promtool")
def test_prometheus_understands_the_queries(tmp_path: Path) -> None:
    rules = [
        {"record": f"checked:{number}", "expr": query(rule)}
        for number, rule in enumerate(adapter_rules())
    ]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "adapter", "rules": rules}]}))
    done = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout
