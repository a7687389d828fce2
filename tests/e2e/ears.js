/**
 * Runs in a page under test before its own scripts: records what its user hears, and keeps what a
 * test cannot see from outside. All times are milliseconds of the page's own clock, since 1970.
 *
 * What is recorded is the sound of every media element with a stream, at its volume and only while
 * it plays. `window.earsHeard` is a binding of the test, `ears.worklet` the source
 * of the recorder; without it nothing is recorded.
 */
(() => {
  const CHUNK_FRAMES = 96 * 128;
  const RATE_HZ = 48_000;

  const pageMs = (stampMs) => performance.timeOrigin + stampMs;
  const ears = {
    peers: [],
    messages: [],
    presses: [],
    violations: [],
    elements: new Set(),
  };
  Object.defineProperty(window, "ears", { value: ears });

  document.addEventListener("securitypolicyviolation", (event) => {
    ears.violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
  });
  for (const kind of ["keydown", "pointerdown"]) {
    window.addEventListener(kind, (event) => {
      ears.presses.push({ kind, key: event.key ?? "", atMs: pageMs(event.timeStamp) });
      void context?.resume();
    }, { capture: true });
  }

  window.RTCPeerConnection = new Proxy(window.RTCPeerConnection, {
    construct(target, options, newTarget) {
      const peer = Reflect.construct(target, options, newTarget);
      ears.peers.push(peer);
      return peer;
    },
  });
  const createDataChannel = RTCPeerConnection.prototype.createDataChannel;
  RTCPeerConnection.prototype.createDataChannel = function (...options) {
    const channel = createDataChannel.apply(this, options);
    channel.addEventListener("message", ({ data }) => {
      const { type, data: inner } = JSON.parse(data);
      const ours = type === "server-message" || type === "server-response";
      const [name, fields] = ours ? [inner.t, inner.d] : [type, inner];
      if (name !== "pong") ears.messages.push({ name, fields, atMs: pageMs(performance.now()) });
    });
    return channel;
  };

  let context = null;
  let recorder = null;

  async function start() {
    context = new AudioContext({ sampleRate: RATE_HZ });
    const module = new Blob([ears.worklet], { type: "text/javascript" });
    await context.audioWorklet.addModule(URL.createObjectURL(module));
    const node = new AudioWorkletNode(context, "ears", {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: "explicit",
      processorOptions: { chunkFrames: CHUNK_FRAMES },
    });
    node.port.addEventListener("message", ({ data }) => hear(data));
    node.port.start();
    return node;
  }

  /** When a frame of the context is played, by the page's clock. */
  function playedMs(frame) {
    const { contextTime, performanceTime } = context.getOutputTimestamp();
    return pageMs(performanceTime + (frame / RATE_HZ - contextTime) * 1000);
  }

  function hear({ frame, pcm }) {
    void window.earsHeard({ frame, atMs: playedMs(frame), pcm: base64(new Uint8Array(pcm.buffer)) });
  }

  function base64(bytes) {
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) {
      text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    }
    return btoa(text);
  }

  const sources = new Map();

  async function listen(element, stream) {
    sources.get(element)?.disconnect();
    sources.delete(element);
    ears.elements.add(element);
    if (!(stream instanceof MediaStream) || stream.getAudioTracks().length === 0) return;
    recorder ??= start();
    const node = await recorder;
    if (element.srcObject !== stream) return;
    const gain = new GainNode(context);
    const source = context.createMediaStreamSource(stream);
    source.connect(gain).connect(node);
    sources.set(element, source);
    const follow = () => { gain.gain.value = element.paused || element.muted ? 0 : element.volume; };
    for (const name of ["play", "playing", "pause", "volumechange"]) element.addEventListener(name, follow);
    follow();
  }

  const srcObject = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "srcObject");
  Object.defineProperty(HTMLMediaElement.prototype, "srcObject", {
    ...srcObject,
    set(stream) {
      srcObject.set.call(this, stream);
      if (ears.worklet) void listen(this, stream);
    },
  });
})();
