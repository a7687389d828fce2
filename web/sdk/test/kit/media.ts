/** Stand-ins for the browser's media: tracks, devices, audio contexts. They do what a test tells them. */

export class FakeTrack extends EventTarget {
  enabled = true;
  muted = false;
  readyState: "live" | "ended" = "live";

  constructor(readonly label = "Built-in", readonly deviceId = "built-in", readonly kind = "audio") {
    super();
  }

  getSettings(): MediaTrackSettings {
    return { deviceId: this.deviceId };
  }

  stop(): void {
    this.readyState = "ended";
  }

  /** The device goes away. */
  end(): void {
    this.readyState = "ended";
    this.dispatchEvent(new Event("ended"));
  }
}

export class FakeStream {
  constructor(private readonly tracks: FakeTrack[] = []) {}

  readonly getAudioTracks = (): FakeTrack[] => this.tracks;
}

/** `navigator.mediaDevices` with microphones that can be plugged in and out. */
export class FakeDevices extends EventTarget {
  microphones = [{ deviceId: "built-in", label: "Built-in" }];
  /** Name of the DOMException with which a microphone is refused. */
  refusal: string | null = null;
  asked: MediaTrackConstraints[] = [];
  opened: FakeTrack[] = [];

  async getUserMedia({ audio }: { audio: MediaTrackConstraints }): Promise<FakeStream> {
    this.asked.push(audio);
    if (this.refusal !== null) throw new DOMException("", this.refusal);
    const wanted = (audio.deviceId as { exact?: string } | undefined)?.exact;
    const found = this.microphones.find(({ deviceId }) => wanted === undefined || deviceId === wanted);
    if (found === undefined) throw new DOMException("", wanted ? "OverconstrainedError" : "NotFoundError");
    const track = new FakeTrack(found.label, found.deviceId);
    this.opened.push(track);
    return new FakeStream([track]);
  }

  async enumerateDevices(): Promise<object[]> {
    return [
      ...this.microphones.map((one) => ({ ...one, kind: "audioinput" })),
      { deviceId: "speakers", label: "Speakers", kind: "audiooutput" },
    ];
  }

  /** Plug devices in or out. */
  plug(...ids: string[]): void {
    this.microphones = ids.map((id) => ({ deviceId: id, label: `Microphone ${id}` }));
    this.dispatchEvent(new Event("devicechange"));
  }
}

class FakeNode {
  constructor(readonly context: FakeAudioContext) {}

  connect(): void {}

  disconnect(): void {}
}

class FakeAnalyser extends FakeNode {
  fftSize = 2048;

  getFloatTimeDomainData(samples: Float32Array): void {
    this.context.fill(samples);
  }
}

export class FakeAudioContext extends EventTarget {
  static all: FakeAudioContext[] = [];
  /** What a new context begins as. */
  static blocked = false;
  /** Labels of tracks that no context can take. */
  static refused: string[] = [];

  readonly sampleRate = 48_000;
  state: string = FakeAudioContext.blocked ? "suspended" : "running";
  /** What is heard, wherever it is listened to. */
  fill: (samples: Float32Array) => void = (samples) => samples.fill(0.01);

  constructor() {
    super();
    FakeAudioContext.all.push(this);
  }

  createAnalyser(): FakeAnalyser {
    return new FakeAnalyser(this);
  }

  createMediaStreamSource({ getAudioTracks }: FakeStream): FakeNode {
    if (FakeAudioContext.refused.includes(getAudioTracks()[0]?.label ?? "")) throw new DOMException("", "NotSupportedError");
    return new FakeNode(this);
  }

  createMediaStreamDestination(): FakeNode & { stream: FakeStream } {
    return Object.assign(new FakeNode(this), { stream: new FakeStream([new FakeTrack("speech")]) });
  }

  async resume(): Promise<void> {
    if (!FakeAudioContext.blocked) this.become("running");
  }

  async close(): Promise<void> {
    this.state = "closed";
  }

  become(state: string): void {
    if (this.state === state || this.state === "closed") return;
    this.state = state;
    this.dispatchEvent(new Event("statechange"));
  }
}
