/**
 * Makes a page of the service a participant of a room, by the client that the service has. The
 * microphone is a tone, so that who hears whom can be read off a spectrum.
 */
async ({ hz, ...options }) => {
  const { VoicePeer } = await import("/client.js");
  const context = new AudioContext();
  await context.resume();
  const microphone = context.createMediaStreamDestination();
  const oscillator = new OscillatorNode(context, { frequency: hz });
  oscillator.connect(new GainNode(context, { gain: 0.2 })).connect(microphone);
  oscillator.start();

  const [track] = microphone.stream.getAudioTracks();
  const peer = window.peer = new VoicePeer({ language: "en", microphone: track, ...options });
  window.told = [];
  peer.on("error", ({ code, detail }) => told.push(`error ${code}: ${detail}`));
  peer.on("closed", ({ reason }) => told.push(`closed: ${reason}`));
  peer.on("room.left", ({ reason }) => told.push(`left: ${reason}`));
  peer.on("resumption", (resumption) => sessionStorage.setItem("resume", JSON.stringify(resumption)));

  const analysers = new WeakMap();

  const analyserOf = (track) => {
    if (!analysers.has(track)) {
      const analyser = new AnalyserNode(context, { fftSize: 4_096, smoothingTimeConstant: 0 });
      context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
      analysers.set(track, analyser);
    }
    return analysers.get(track);
  };

  /** The one who is called so; `undefined` where nobody is. */
  window.find = (name) => peer.room.view.participants.find((one) => one.name === name);

  /** The frequency that sounds loudest of somebody, 0 for silence. */
  window.heardHz = (name) => {
    const track = find(name)?.track;
    if (!track) return 0;
    const analyser = analyserOf(track);
    const levels = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(levels);
    const loudest = levels.indexOf(Math.max(...levels));
    return levels[loudest] < -60 ? 0 : (loudest * context.sampleRate) / analyser.fftSize;
  };

  /** What has come of somebody since the section was made (W3C webrtc-stats). */
  window.received = async (name) => {
    const id = find(name)?.track?.id;
    for (const pc of ears.peers) {
      for (const report of (await pc.getStats()).values()) {
        if (report.type === "inbound-rtp" && report.trackIdentifier === id) return report;
      }
    }
    return null;
  };

  return peer.connect();
}
