/**
 * Participants of a room, written against docs/wire.md alone: each has its call and a second
 * connection that hears the others. Their microphones are tones, so that who hears whom can be read
 * off a spectrum.
 */
(() => {
  const context = new AudioContext();

  class Participant {
    slots = [];
    roster = new Map();
    speaking = [];
    events = [];
    participant = null;
    #waiting = [];
    #analysers = new Map();

    constructor({ name, hz = 0, voices = 3, publish = "mic" }) {
      Object.assign(this, { name, hz, voices, publish });
    }

    async connect() {
      const url = new URL("ws", location.href);
      url.protocol = "ws:";
      this.socket = new WebSocket(url);
      await new Promise((resolve) => this.socket.addEventListener("open", resolve));
      this.socket.addEventListener("message", ({ data }) => this.#signaled(JSON.parse(data)));
      this.#signal({ type: "join", room: "hall", name: this.name });
      await this.#next("joined");
      await this.#call();
      await this.#listen();
      this.send("room.join", { publish: this.publish });
      await this.until(() => this.participant !== null);
    }

    async #call() {
      this.call = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
      const microphone = context.createMediaStreamDestination();
      this.oscillator = new OscillatorNode(context, { frequency: this.hz });
      const gain = new GainNode(context, { gain: 0.3 });
      this.oscillator.connect(gain).connect(microphone);
      this.oscillator.start();
      this.call.addTrack(microphone.stream.getAudioTracks()[0], microphone.stream);
      this.channel = this.call.createDataChannel("rtvi");
      this.channel.addEventListener("message", ({ data }) => this.#told(JSON.parse(data)));
      const open = new Promise((resolve) => this.channel.addEventListener("open", resolve));
      await this.#negotiate(this.call, "call");
      await open;
      this.pinging = setInterval(() => this.send("ping", {}), 1_000);
    }

    async #listen() {
      this.ears = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
      this.ears.addEventListener("track", ({ track, transceiver }) => this.#hear(track, transceiver.mid));
      await this.hearMore(this.voices);
    }

    /** Hear so many voices more; the first time this makes the connection. */
    async hearMore(voices) {
      for (let voice = 0; voice < voices; voice += 1) {
        this.ears.addTransceiver("audio", { direction: "recvonly" });
      }
      await this.#negotiate(this.ears, "room");
    }

    async #negotiate(peer, connection) {
      peer.onicecandidate = ({ candidate }) => {
        this.#signal({ type: "candidate", ...(candidate?.toJSON() ?? {}), connection });
      };
      await peer.setLocalDescription(await peer.createOffer());
      this.#signal({ type: "offer", sdp: peer.localDescription.sdp, connection });
      const answer = await this.#next("answer");
      if (answer.connection !== connection) throw new Error(`an answer for ${answer.connection}`);
      await peer.setRemoteDescription({ type: "answer", sdp: answer.sdp });
    }

    #hear(track, mid) {
      const stream = new MediaStream([track]);
      // Chromium decodes a remote stream only for an element.
      const element = new Audio();
      element.srcObject = stream;
      element.muted = true;
      void element.play();
      const analyser = new AnalyserNode(context, { fftSize: 4_096, smoothingTimeConstant: 0 });
      context.createMediaStreamSource(stream).connect(analyser);
      this.#analysers.set(mid, { analyser, element });
    }

    /** The frequency that sounds loudest in the section that brings somebody, 0 for silence. */
    heardHz(participant) {
      const slot = this.slots.find((one) => one.participant === participant);
      const { analyser } = this.#analysers.get(slot?.mid) ?? {};
      if (!analyser) return 0;
      const levels = new Float32Array(analyser.frequencyBinCount);
      analyser.getFloatFrequencyData(levels);
      const loudest = levels.indexOf(Math.max(...levels));
      return levels[loudest] < -60 ? 0 : (loudest * context.sampleRate) / analyser.fftSize;
    }

    /** Sums over all that it hears, since the connection was made. */
    async received() {
      const sums = { packets: 0, lost: 0 };
      for (const report of (await this.ears.getStats()).values()) {
        if (report.type !== "inbound-rtp") continue;
        sums.packets += report.packetsReceived;
        sums.lost += report.packetsLost;
      }
      return sums;
    }

    send(name, fields) {
      if (this.channel.readyState !== "open") return;
      this.channel.send(JSON.stringify({
        label: "rtvi-ai", type: "client-message", id: "", data: { t: name, d: fields },
      }));
    }

    #told({ type, data }) {
      if (type !== "server-message") return;
      const { t: name, d: fields = {} } = data;
      this.events.push({ name, ...fields });
      if (name === "room.joined") this.participant = fields.participant;
      if (name === "room.roster") {
        for (const one of fields.participants) this.roster.set(one.participant, one);
      }
      if (name === "room.gone") this.roster.delete(fields.participant);
      if (name === "room.slots") this.slots = fields.slots;
      if (name === "room.speaking") this.speaking = fields.participants;
    }

    #signal(signal) {
      if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(signal));
    }

    #signaled(signal) {
      if (signal.type === "error") this.events.push({ name: "signaling error", ...signal });
      this.#waiting.shift()?.(signal);
    }

    async #next(type) {
      const signal = await new Promise((resolve) => this.#waiting.push(resolve));
      if (signal.type !== type) throw new Error(`${type} expected, not ${JSON.stringify(signal)}`);
      return signal;
    }

    async until(condition, withinMs = 10_000) {
      const deadline = performance.now() + withinMs;
      while (!condition()) {
        if (performance.now() > deadline) throw new Error(`${this.name}: never ${condition}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }

    close() {
      clearInterval(this.pinging);
      this.#signal({ type: "leave" });
      this.oscillator.stop();
      for (const peer of [this.call, this.ears]) peer.close();
      this.socket.close();
    }
  }

  window.Participant = Participant;
  window.people = [];
  window.enter = async (options) => {
    const one = new Participant(options);
    await one.connect();
    window.people.push(one);
    return one.participant;
  };
})();
