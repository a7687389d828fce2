import type { VoicePeerError } from "@voicepeer/client";

type Listener = (detail: unknown) => void;

/** The client as a script: tests say what it answers and what happens. */
export class ScriptedPeer {
  static last: ScriptedPeer;
  readonly asked: unknown[][] = [];
  readonly refused = new Map<string, VoicePeerError>();
  readonly microphone = { state: "on", start: async () => { this.asked.push(["microphone"]); return this.microphone.state === "on"; } };
  utterances: { id: string }[] = [];
  listed: object[] = [];
  came = { restored: false, voiceLost: false };
  readonly voices = {
    list: async () => this.listed,
    use: (id: string) => this.ask("use", id),
    rename: (id: string, name: string) => this.ask("rename", id, name),
    delete: (id: string) => this.ask("delete", id),
    import: async (file: object) => { await this.ask("import", file); return { name: "Ada" }; },
  };
  readonly room = {
    me: null as { publish: string } | null,
    join: (options: object) => this.ask("room.join", options),
    publish: (what: string) => this.ask("room.publish", what),
    leave: () => this.ask("room.leave"),
    withdrawFromRecording: (id: string) => this.ask("room.withdraw", id),
  };
  readonly #listeners = new Map<string, Listener[]>();

  constructor(readonly options: object) {
    ScriptedPeer.last = this;
  }

  on(name: string, listener: Listener): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  happen(name: string, detail: unknown = {}): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(detail);
  }

  async connect(): Promise<object> {
    const error = this.refused.get("connect");
    if (error !== undefined) throw error;
    this.happen("bot-ready", { engine: "fake", provider: "cpu", precision: "", languages: ["en"], emotions: ["neutral"] });
    return this.came;
  }

  enrol(consent: object): object {
    this.asked.push(["enrol", consent]);
    return { stop: () => this.asked.push(["enrol.stop"]), usable: new Promise(() => undefined), ready: this.refused.has("enrol") ? Promise.reject(this.refused.get("enrol")) : new Promise(() => undefined) };
  }

  speak(text: string, delivery: object): object {
    const error = this.refused.get("speak");
    if (error !== undefined) throw error;
    this.asked.push(["speak", text, delivery]);
    return { id: `u${this.asked.length}` };
  }

  cancel(): void { this.asked.push(["cancel"]); }
  close(): void { this.asked.push(["close"]); }
  detach(): void { this.asked.push(["detach"]); }
  control(controls: object): Promise<void> { return this.ask("control", controls); }
  configure(settings: object): Promise<void> { return this.ask("configure", settings); }

  private async ask(what: string, ...details: unknown[]): Promise<void> {
    this.asked.push([what, ...details]);
    const error = this.refused.get(what);
    if (error !== undefined) throw error;
  }
}
