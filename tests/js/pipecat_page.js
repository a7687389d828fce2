// Pipecat's own client and transport in a page, as an application would use them, and what they tell.
import { PipecatClient } from "@pipecat-ai/client-js";
import { SmallWebRTCTransport, WavMediaManager } from "@pipecat-ai/small-webrtc-transport";

const TOLD = [
  "onConnected", "onDisconnected", "onError", "onMessageError", "onBotReady", "onBotDisconnected",
  "onMetrics", "onServerMessage", "onBotStartedSpeaking", "onBotStoppedSpeaking", "onBotOutput",
  "onBotTtsText", "onBotTtsStarted", "onBotTtsStopped", "onTransportStateChanged",
];

/** Everything the client has told so far, as `[callback, data]`. */
window.told = [];
window.count = (name) => window.told.filter(([one]) => one === name).length;
window.all = (name) => window.told.filter(([one]) => one === name).map(([, data]) => data);

/** Loudest level of the remote track since the last call: root mean square of 43 ms, 0 to 1. */
let loudest = 0;
window.takeLevel = () => {
  const level = loudest;
  loudest = 0;
  return level;
};

function listen(track) {
  const stream = new MediaStream([track]);
  // Chromium feeds a remote track to an analyser only while an element plays it.
  const audio = document.body.appendChild(document.createElement("audio"));
  audio.srcObject = stream;
  audio.play();
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 2048 });
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    loudest = Math.max(loudest, Math.sqrt(power));
  }, 40);
}

function newClient() {
  const callbacks = Object.fromEntries(
    TOLD.map((name) => [name, (data) => window.told.push([name, data ?? null])]),
  );
  callbacks.onTrackStarted = (track, participant) => {
    if (!participant?.local && track.kind === "audio") listen(track);
  };
  // The other media manager loads its code from a network that tests do not have.
  const transport = new SmallWebRTCTransport({ mediaManager: new WavMediaManager() });
  window.client = new PipecatClient({ transport, enableMic: true, enableCam: false, callbacks });
  return window.client;
}

window.connect = (endpoint, requestData) =>
  newClient().connect({ webrtcRequestParams: { endpoint, requestData } });

window.start = (endpoint) => newClient().startBotAndConnect({ endpoint });

/** Do what the transport does when its connection is lost. */
window.loseConnection = () => window.client._transport.attemptReconnection(true);

/** The answer to a request, or `{refused}` with the error that came instead. */
window.ask = (name, data) =>
  window.client.sendClientRequest(name, data).catch((refused) => ({ refused: refused.data }));
