/** Measures how loud a MediaStream is, without recording it. */
export class LevelMeter {
  /** @param {AudioContext} context @param {MediaStream} stream */
  constructor(context, stream) {
    this.source = context.createMediaStreamSource(stream);
    this.analyser = context.createAnalyser();
    this.analyser.fftSize = 1024;
    this.samples = new Float32Array(this.analyser.fftSize);
    this.source.connect(this.analyser);
  }

  /** RMS level of the last 21 ms (at 48 kHz), in dB relative to full scale; -120 is silence. */
  dbfs() {
    this.analyser.getFloatTimeDomainData(this.samples);
    let power = 0;
    for (const sample of this.samples) power += sample * sample;
    return Math.max(-120, 10 * Math.log10(power / this.samples.length + 1e-12));
  }

  stop() {
    this.source.disconnect();
  }
}
