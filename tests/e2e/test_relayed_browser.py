"""A browser that reaches the service through coturn only, and talks to it as to OpenAI's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.coturn import LOOPBACK_PEERS, SECRET, coturn
from tests.e2e.chromium import PROGRAMS, until, untouched_page
from tests.e2e.service import serve

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.needs("turnserver"),
]

TEXT = "Hello through the relay."

CALL = """
(async () => {
  const {ice_servers: iceServers} = await (await fetch("/v1/realtime/ice-servers")).json();
  const peer = new RTCPeerConnection({iceServers, iceTransportPolicy: "relay"});
  peer.addTransceiver("audio");
  peer.ontrack = ({track}) => {
    const audio = document.body.appendChild(document.createElement("audio"));
    audio.srcObject = new MediaStream([track]);
    audio.play();
  };
  const channel = peer.createDataChannel("oai-events");
  const events = [];
  const stopped = new Promise((resolve) => {
    channel.onmessage = ({data}) => {
      const event = JSON.parse(data);
      events.push(event);
      if (event.type === "session.created") {
        const response = {instructions: %s, audio: {output: {voice: "mid"}}};
        channel.send(JSON.stringify({type: "response.create", response}));
      }
      if (event.type === "output_audio_buffer.stopped") resolve();
    };
  });
  await peer.setLocalDescription(await peer.createOffer());
  await new Promise((resolve) => {
    peer.onicecandidate = ({candidate}) => candidate ?? resolve();
  });
  const headers = {"Content-Type": "application/sdp"};
  const body = peer.localDescription.sdp;
  const answered = await fetch("/v1/realtime/calls", {method: "POST", headers, body});
  await peer.setRemoteDescription({type: "answer", sdp: await answered.text()});
  await stopped;
  const stats = [...(await peer.getStats()).values()];
  const pair = stats.find((one) => one.type === "candidate-pair" && one.nominated);
  const audio = stats.find((one) => one.type === "inbound-rtp" && one.kind === "audio");
  peer.close();
  return {
    events,
    offered: body.match(/typ \\w+/g),
    through: stats.find((one) => one.id === pair.localCandidateId).candidateType,
    energy: audio.totalAudioEnergy,
  };
})()
"""


async def test_a_browser_behind_a_strict_firewall_has_its_call(tmp_path: Path) -> None:
    async with (
        coturn(tmp_path, *LOOPBACK_PEERS) as relay,
        serve(
            tmp_path,
            "--set", f"ice.turn_urls={relay.ice().turn_urls[0]}",
            "--set", f"ice.turn_secret={SECRET}",
        ) as service,
        untouched_page() as page,
    ):  # fmt: skip
        await page.goto(service.url)
        await until(page, "fetch('/readyz').then((answer) => answer.ok)", 20)
        found: dict[str, Any] = await page.evaluate(CALL % json.dumps(TEXT))
        assert set(found["offered"]) == {"typ relay"}
        assert found["through"] == "relay"
        assert found["energy"] > 0.01, "it was heard"
        deltas = [one.get("delta", "") for one in found["events"]]
        assert "".join(deltas) == TEXT
