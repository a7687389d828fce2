/**
 * JavaScript client of a VoicePeer service: signaling over a WebSocket, one peer connection, and
 * typed messages on its data channel (docs/wire.md). No dependencies; works in any browser with
 * WebRTC.
 *
 *     const peer = new VoicePeer({ key: "..." });
 *     peer.addEventListener("track", (event) => { audio.srcObject = event.detail.stream; });
 *     await peer.connect(await navigator.mediaDevices.getUserMedia({ audio: true }));
 *     peer.enrol("I agree that my voice is cloned for this call.");
 *     peer.addEventListener("voice.usable", () => peer.speak("Hello!"));
 */

const LABEL = "rtvi-ai";
const RTVI_VERSION = "2.1.0";
const NATIVE = new Set(["client-ready", "bot-ready", "send-text", "error"]);

/** Largest data-channel message, in bytes; longer texts are sent in pieces. */
const MAX_MESSAGE_BYTES = 15_000;
/** Code points in one piece of a long text: 4 bytes each at most, and as much again for escapes. */
const PIECE_CODE_POINTS = 1_500;
const PING_EVERY_MS = 15_000;
const JOIN_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 15_000;
const RESUME_DELAYS_MS = [500, 1_000, 2_000, 4_000];
/** Over the data channel; by its answers each side notices that the other is gone. */
const HEARTBEAT_MS = 1_000;
/** Without any message, answers to our pings among them, the connection counts as lost. */
const SILENCE_TIMEOUT_MS = 10_000;
/** Ends of a session after which it can go on over a new connection, while the service keeps it. */
const RESUMABLE = new Set(["channel_closed", "client_vanished", "connection_lost", "signaling_lost"]);

/** What went wrong, for a person, with a stable code for programs. */
export class VoicePeerError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "VoicePeerError";
    this.code = code;
  }
}

/**
 * One call. Events, each a CustomEvent whose `detail` is given here:
 * - `state`: "connecting" | "connected" | "interrupted" | "closed"; a connection that is lost is
 *   "interrupted" and made anew, with the same voice, settings and queue
 * - `track`: `{track, stream}`, the cloned voice; again after each new connection
 * - `closed`: `{reason}`, once, after the call had been connected; a word as in the service's `bye`
 * - every server message by its name, for example `voice.ready` or `utterance.word`, with its fields
 */
export class VoicePeer extends EventTarget {
  #options;
  #clientId = randomId();
  #socket = null;
  #pc = null;
  #channel = null;
  #stream = null;
  #pinging = null;
  #heartbeat = null;
  #heardAt = 0;
  #resumeToken = null;
  #rejoining = false;
  #serial = 0;
  #closed = false;
  #connected = false;

  /**
   * @param {{url?: string, key?: string, room?: string, name?: string}} [options] `url` is the
   *   service's address and defaults to the page's own.
   */
  constructor(options = {}) {
    super();
    this.#options = options;
  }

  /** Connect with a microphone stream; resolves when messages can be sent, rejects with a VoicePeerError. */
  async connect(stream) {
    this.#setState("connecting");
    this.#stream = stream;
    try {
      await this.#negotiate(await this.#join({ resume: false }));
    } catch (error) {
      this.#free();
      throw error instanceof VoicePeerError ? error
        : new VoicePeerError("failed", String(error?.message ?? error), { cause: error });
    }
    this.#connected = true;
    this.#setState("connected");
  }

  /** Let the service learn the voice of the microphone; `consent` is the speaker's own statement. */
  enrol(consent, name) {
    this.send("enrol.start", name ? { consent, name } : { consent });
  }

  /** Say a text; returns the utterance's id, which all its events carry. */
  speak(text, options = {}) {
    const id = options.utteranceId ?? `u${++this.#serial}-${randomId().slice(0, 8)}`;
    const fields = { utterance_id: id, text, ...options.fields };
    if (encodedBytes("utterance.speak", fields) <= MAX_MESSAGE_BYTES) {
      this.send("utterance.speak", fields);
      return id;
    }
    for (const piece of pieces(text)) {
      this.send("utterance.append", { utterance_id: id, text: piece });
    }
    this.send("utterance.end", { utterance_id: id });
    return id;
  }

  /** Fall silent: one utterance, or all of them. */
  cancel(utteranceId = "*") {
    this.send("utterance.cancel", { utterance_id: utteranceId });
  }

  /** Change settings of the session, for one `{barge_in: true}`: whether speech interrupts ours. */
  configure(fields) {
    this.send("session.configure", fields);
  }

  /** Send any client message of docs/wire.md by its name. */
  send(name, fields = {}) {
    if (this.#channel?.readyState !== "open") {
      throw new VoicePeerError("not_connected", "There is no connection to the service.");
    }
    this.#channel.send(JSON.stringify(envelope(name, fields)));
  }

  /** WebRTC statistics of the call (RTCStatsReport), or null. */
  async stats() {
    return (await this.#pc?.getStats()) ?? null;
  }

  /** Hang up; harmless when the call has ended already. */
  close() {
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#signal({ type: "leave" });
    }
    this.#end("client_left");
  }

  async #join({ resume, resumeToken = null }) {
    const socket = new WebSocket(this.#socketUrl());
    this.#socket = socket;
    await opened(socket);
    const answer = nextMessage(socket, JOIN_TIMEOUT_MS);
    this.#signal({
      type: "join",
      room: this.#options.room ?? "default",
      name: this.#options.name ?? "",
      token: this.#options.key ?? null,
      client_id: this.#clientId,
      resume,
      resume_token: resumeToken,
    });
    const joined = await answer;
    if (joined.type !== "joined") {
      throw new VoicePeerError(joined.code ?? "refused", joined.message ?? joined.reason ?? "The service refused.");
    }
    this.#resumeToken = joined.resume_token ?? null;
    clearInterval(this.#pinging);
    this.#pinging = setInterval(() => this.#signal({ type: "ping" }), PING_EVERY_MS);
    return joined;
  }

  #socketUrl() {
    const url = new URL("ws", this.#options.url ?? document.baseURI);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.hash = "";
    url.search = "";
    return url;
  }

  #negotiate(joined) {
    return withTimeout(this.#offer(joined), CONNECT_TIMEOUT_MS, () =>
      new VoicePeerError("no_connection",
        "No media connection could be made. A firewall may block it: ask for a TURN server."));
  }

  async #offer(joined) {
    const stream = this.#stream;
    const pc = new RTCPeerConnection({ iceServers: joined.ice_servers, bundlePolicy: "max-bundle" });
    this.#pc = pc;
    pc.addTrack(stream.getAudioTracks()[0], stream);
    pc.addEventListener("track", ({ track, streams }) => {
      this.#emit("track", { track, stream: streams[0] ?? new MediaStream([track]) });
    });
    pc.addEventListener("icecandidate", ({ candidate }) => {
      this.#signal({ type: "candidate", ...(candidate?.toJSON() ?? {}) });
    });
    pc.addEventListener("connectionstatechange", () => this.#connectionChanged(pc));
    this.#channel = pc.createDataChannel("rtvi", { ordered: true });
    const ready = this.#channelReady(this.#channel);
    const answered = this.#answered();
    this.#listen(this.#socket);
    const description = await pc.createOffer();
    // The offer goes first: a candidate that came before it would be refused.
    this.#signal({ type: "offer", sdp: description.sdp });
    await pc.setLocalDescription(description);
    await pc.setRemoteDescription({ type: "answer", sdp: await answered });
    await ready;
    this.#beat();
  }

  /** Ping over the data channel, and notice when nothing comes back. */
  #beat() {
    clearInterval(this.#heartbeat);
    this.#heardAt = performance.now();
    this.#heartbeat = setInterval(() => {
      if (this.#channel?.readyState === "open") this.send("ping", { sent_ms: performance.now() });
      if (performance.now() - this.#heardAt > SILENCE_TIMEOUT_MS) this.#lose("connection_lost");
    }, HEARTBEAT_MS);
  }

  #answered() {
    return new Promise((resolve, reject) => {
      this.#socket.addEventListener("message", ({ data }) => {
        const signal = parse(data);
        if (signal?.type === "answer") resolve(signal.sdp);
        else if (signal?.type === "error") reject(new VoicePeerError(signal.code, signal.message));
        else if (signal?.type === "bye") reject(new VoicePeerError("ended", signal.reason));
      });
      this.#socket.addEventListener("close", () =>
        reject(new VoicePeerError("connection_lost", "The service closed the connection.")));
    });
  }

  #channelReady(channel) {
    channel.addEventListener("close", () => {
      if (channel === this.#channel) this.#lose("channel_closed");
    });
    return new Promise((resolve, reject) => {
      channel.addEventListener("open", () => {
        this.send("client-ready", {
          version: RTVI_VERSION,
          about: { library: "voicepeer-js" },
          rtvi_events: false,
        });
      });
      channel.addEventListener("message", ({ data }) => {
        this.#heardAt = performance.now();
        const [name, fields] = openEnvelope(data);
        if (name === "bot-ready") resolve(fields);
        if (name) this.#emit(name, fields);
      });
      channel.addEventListener("close", () =>
        reject(new VoicePeerError("connection_lost", "The service ended the call.")));
    });
  }

  #heard(signal) {
    if (signal?.type === "bye") {
      if (RESUMABLE.has(signal.reason)) this.#lose(signal.reason);
      else this.#end(signal.reason);
    }
    if (signal?.type === "error" && this.#connected) {
      this.#emit("error", { error: signal.message, code: signal.code, fatal: Boolean(signal.fatal) });
    }
  }

  #listen(socket) {
    socket.addEventListener("message", ({ data }) => {
      if (socket === this.#socket) this.#heard(parse(data));
    });
    socket.addEventListener("close", () => {
      if (socket !== this.#socket) return;
      clearInterval(this.#pinging);
      if (!this.#closed && this.#connected && !this.#rejoining) this.#resume();
    });
  }

  /** The media flows without the socket; win it back before the service's grace is over. */
  async #resume() {
    for (const delayMs of RESUME_DELAYS_MS) {
      await sleep(delayMs);
      if (this.#closed || this.#rejoining) return;
      try {
        const joined = await this.#join({ resume: true });
        if (!joined.resumed) break;
        this.#listen(this.#socket);
        return;
      } catch (error) {
        if (error.code !== "unreachable") break;
      }
    }
    this.#end("signaling_lost");
  }

  /** The connection is gone: make a new one on which the session goes on, or end. */
  async #lose(reason) {
    if (this.#closed || this.#rejoining || !this.#connected) return;
    this.#rejoining = true;
    this.#setState("interrupted");
    const went = await this.#rejoin();
    this.#rejoining = false;
    if (this.#closed) return;
    if (!went) this.#end(reason);
    else this.#setState("connected");
  }

  async #rejoin() {
    for (const delayMs of RESUME_DELAYS_MS) {
      // Meanwhile the service may say that the end was meant.
      await sleep(delayMs);
      if (this.#closed || !this.#resumeToken) return false;
      this.#dropConnection();
      try {
        const joined = await this.#join({ resume: false, resumeToken: this.#resumeToken });
        if (!joined.restored) return false;
        await this.#negotiate(joined);
        return true;
      } catch (error) {
        if (!["unreachable", "no_connection", "connection_lost", "ended"].includes(error.code)) return false;
      }
    }
    return false;
  }

  /** Close what is left of a connection; nothing that it still says counts. */
  #dropConnection() {
    const [channel, pc, socket] = [this.#channel, this.#pc, this.#socket];
    this.#channel = this.#pc = this.#socket = null;
    clearInterval(this.#heartbeat);
    channel?.close();
    pc?.close();
    socket?.close(3000);
  }

  #connectionChanged(pc) {
    if (pc !== this.#pc) return;
    if (pc.connectionState === "failed") this.#lose("connection_lost");
    else if (pc.connectionState === "disconnected") this.#setState("interrupted");
    else if (pc.connectionState === "connected" && this.#connected) this.#setState("connected");
  }

  #signal(signal) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(signal));
  }

  #end(reason) {
    if (this.#closed) return;
    const wasConnected = this.#connected;
    this.#free();
    this.#setState("closed");
    if (wasConnected) this.#emit("closed", { reason });
  }

  #free() {
    this.#closed = true;
    this.#connected = false;
    clearInterval(this.#pinging);
    clearInterval(this.#heartbeat);
    this.#channel?.close();
    this.#pc?.close();
    this.#socket?.close(1000);
  }

  #setState(state) {
    this.#emit("state", state);
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function envelope(name, fields) {
  const native = NATIVE.has(name);
  return {
    label: LABEL,
    type: native ? name : "client-message",
    id: randomId().slice(0, 8),
    data: native ? fields : { t: name, d: fields },
  };
}

function openEnvelope(text) {
  const message = parse(text);
  if (message?.label !== LABEL) return [null, {}];
  if (message.type !== "server-message") return [message.type, message.data ?? {}];
  return [message.data?.t ?? null, message.data?.d ?? {}];
}

function encodedBytes(name, fields) {
  return new TextEncoder().encode(JSON.stringify(envelope(name, fields))).length;
}

function* pieces(text) {
  const points = Array.from(text);
  for (let at = 0; at < points.length; at += PIECE_CODE_POINTS) {
    yield points.slice(at, at + PIECE_CODE_POINTS).join("");
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function opened(socket) {
  return new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    for (const event of ["error", "close"]) {
      socket.addEventListener(event, () => reject(
        new VoicePeerError("unreachable", "The service cannot be reached. Is it running?")), { once: true });
    }
  });
}

function nextMessage(socket, timeoutMs) {
  const message = new Promise((resolve, reject) => {
    socket.addEventListener("message", ({ data }) => resolve(parse(data) ?? {}), { once: true });
    socket.addEventListener("close", () => reject(
      new VoicePeerError("unreachable", "The service closed the connection.")), { once: true });
  });
  return withTimeout(message, timeoutMs, () =>
    new VoicePeerError("unreachable", "The service does not answer."));
}

function withTimeout(promise, timeoutMs, makeError) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(makeError()), timeoutMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function sleep(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}

function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
