/** A scripted VoicePeer service: the far side of a fake WebSocket and a fake peer connection. */

import { FakeTrack } from "./media.js";

type Fields = Record<string, unknown>;

/** A message that the client sent on the data channel. */
export interface Sent {
  name: string;
  fields: Fields;
  id: string;
}

export class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  readyState = 0;
  sent: Fields[] = [];
  closedWith: number | undefined;

  constructor(readonly url: string | URL) {
    super();
    FakeService.current.sockets.push(this);
    queueMicrotask(() => {
      if (FakeService.current.reachable) this.#open();
      else this.break();
    });
  }

  send(text: string): void {
    const signal = JSON.parse(text) as Fields;
    this.sent.push(signal);
    queueMicrotask(() => FakeService.current.signal(this, signal));
  }

  close(code?: number): void {
    this.closedWith = code;
    this.readyState = 3;
    queueMicrotask(() => this.dispatchEvent(new Event("close")));
  }

  /** The service says something. */
  say(signal: Fields | string): void {
    const data = typeof signal === "string" ? signal : JSON.stringify(signal);
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  /** The connection breaks. */
  break(): void {
    this.readyState = 3;
    this.dispatchEvent(new Event("close"));
  }

  #open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }
}

export class FakeChannel extends EventTarget {
  readyState = "connecting";
  bufferedAmount = 0;

  send(text: string): void {
    if (this.readyState !== "open") throw new DOMException("", "InvalidStateError");
    const { type, id, data } = JSON.parse(text) as { type: string; id: string; data: Fields };
    const wrapped = type === "client-message";
    const sent = { name: wrapped ? data["t"] as string : type, fields: wrapped ? data["d"] as Fields : data, id };
    queueMicrotask(() => FakeService.current.message(this, sent));
  }

  close(): void {
    this.readyState = "closed";
  }

  open(): void {
    this.readyState = "open";
    this.dispatchEvent(new Event("open"));
  }

  /** The service says something of RTVI's own. */
  say(type: string, data: Fields = {}, id = ""): void {
    this.raw(JSON.stringify({ label: "rtvi-ai", type, id, data }));
  }

  /** The service says something of its own. */
  tell(t: string, d: Fields = {}): void {
    this.say("server-message", { t, d });
  }

  raw(data: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  /** It is closed from the other side. */
  break(): void {
    if (this.readyState === "closed") return;
    this.readyState = "closed";
    this.dispatchEvent(new Event("close"));
  }
}

export class FakePeerConnection extends EventTarget {
  /** Whether receivers can be told how long to hold sound back; older browsers cannot. */
  static holdsBack = true;
  connectionState = "new";
  channel = new FakeChannel();
  candidates: unknown[] = [];
  sentTracks: unknown[] = [];
  /** Of the sections that only receive. */
  receivers: Array<{ jitterBufferTarget?: number | null }> = [];
  report = new Map<string, Fields>();

  constructor(readonly configuration: RTCConfiguration) {
    super();
    FakeService.current.connections.push(this);
  }

  addTransceiver(trackOrKind: unknown, { direction }: { direction?: string } = {}): object {
    const receiver = FakePeerConnection.holdsBack ? { jitterBufferTarget: null } : {};
    if (direction === "recvonly") this.receivers.push(receiver);
    else this.sentTracks.push(trackOrKind);
    return { receiver, sender: { replaceTrack: async (track: unknown) => void this.sentTracks.push(track) } };
  }

  getTransceivers(): object[] {
    return this.receivers.map((receiver) => ({ receiver }));
  }

  get sections(): number {
    return this.receivers.length;
  }

  createDataChannel(): FakeChannel {
    return this.channel;
  }

  #answered = 0;

  async createOffer(): Promise<object> {
    return { type: "offer", sdp: this.sections > 0 ? `${this.sections} sections` : "an offer" };
  }

  async setLocalDescription(): Promise<void> {
    const event = new Event("icecandidate");
    this.dispatchEvent(Object.assign(event, { candidate: { toJSON: () => ({ candidate: "a candidate" }) } }));
  }

  async setRemoteDescription(): Promise<void> {
    if (!FakeService.current.mediaWorks) return;
    queueMicrotask(() => {
      if (this.connectionState === "closed") return;
      if (this.sections === 0) {
        this.dispatchEvent(Object.assign(new Event("track"), { track: new FakeTrack("remote"), transceiver: { mid: "0" } }));
      }
      for (; this.#answered < this.sections; this.#answered += 1) {
        const mid = String(this.#answered);
        this.dispatchEvent(Object.assign(new Event("track"), { track: new FakeTrack(`section ${mid}`), transceiver: { mid } }));
      }
      this.become("connected");
      if (this.sections === 0) this.channel.open();
    });
  }

  async addIceCandidate(candidate: unknown): Promise<void> {
    this.candidates.push(candidate);
  }

  async getStats(): Promise<Map<string, Fields>> {
    return this.report;
  }

  close(): void {
    this.connectionState = "closed";
    this.channel.readyState = "closed";
  }

  become(state: string): void {
    if (this.connectionState === "closed") return; // No event comes of a connection that was closed here.
    this.connectionState = state;
    this.dispatchEvent(new Event("connectionstatechange"));
  }
}

/** What is at the other end; one at a time. */
export class FakeService {
  static current: FakeService;

  reachable = true;
  mediaWorks = true;
  /** How `join` is answered. */
  onJoin: (join: Fields) => Fields = (join) => ({ restored: typeof join["resume_token"] === "string" });
  /** How an offer is answered, where it is not as usual; `{}` is no answer at all. */
  onOffer: (offer: Fields) => Fields | undefined = () => undefined;
  /** Fields of `bot-ready` besides what has to be there. */
  ready: Fields = {};
  /** How a request is answered: fields, an error code, or nothing. */
  answers: Record<string, (fields: Fields) => Fields | string | undefined> = {};
  sockets: FakeSocket[] = [];
  connections: FakePeerConnection[] = [];
  messages: Sent[] = [];
  #serial = 0;

  constructor() {
    FakeService.current = this;
  }

  get socket(): FakeSocket {
    return this.sockets.at(-1) as FakeSocket;
  }

  get pc(): FakePeerConnection {
    return this.connections.at(-1) as FakePeerConnection;
  }

  /** Of the call; those that hear a room have none that matters. */
  get channel(): FakeChannel {
    return (this.connections.filter(({ sections }) => sections === 0).at(-1) as FakePeerConnection).channel;
  }

  /** Connections that hear a room, also those that are over. */
  get ears(): FakePeerConnection[] {
    return this.connections.filter(({ sections }) => sections > 0);
  }

  /** Joins so far. */
  get joins(): Fields[] {
    return this.sockets.flatMap(({ sent }) => sent).filter(({ type }) => type === "join");
  }

  /** Fields of all messages of a name that have come. */
  got(name: string): Fields[] {
    return this.messages.filter((one) => one.name === name).map(({ fields }) => fields);
  }

  signal(socket: FakeSocket, signal: Fields): void {
    if (signal["type"] === "join") socket.say(this.#joined(this.onJoin(signal)));
    if (signal["type"] === "offer") {
      const { connection } = signal;
      socket.say(this.onOffer(signal) ?? { type: "answer", sdp: "an answer", ...(connection !== undefined && { connection }) });
    }
  }

  message(channel: FakeChannel, sent: Sent): void {
    this.messages.push(sent);
    if (sent.name === "client-ready") return this.#greet(channel);
    if (sent.name === "ping") return channel.tell("pong", { sent_ms: 0 });
    const answer = (this.answers[sent.name] ?? (() => ({})))(sent.fields);
    if (sent.id === "" || answer === undefined) return;
    if (typeof answer === "string") channel.say("error-response", { error: "no", code: answer }, sent.id);
    else channel.say("server-response", { t: sent.name, d: answer }, sent.id);
  }

  #joined(fields: Fields): Fields {
    if (typeof fields["type"] === "string") return fields;
    this.#serial += 1;
    return { type: "joined", session_id: `s${this.#serial}`, ice_servers: [], resume_token: `t${this.#serial}`, ...fields };
  }

  #greet(channel: FakeChannel): void {
    channel.say("bot-ready", {
      session_id: `s${this.#serial}`, engine: "fake", provider: "cpu", precision: "fp32", languages: ["en-us"], ...this.ready,
    });
  }
}
