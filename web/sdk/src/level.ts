/** How loud a sound is, without recording it. */

/** What counts as silence. */
export const SILENCE_DBFS = -120;

/** RMS level of samples in dB relative to full scale; -120 is silence. */
export function levelDbfs(samples: Float32Array): number {
  let power = 0;
  for (const sample of samples) power += sample * sample;
  return Math.max(SILENCE_DBFS, 10 * Math.log10(power / Math.max(1, samples.length) + 1e-12));
}

/** Listens to a node of a Web Audio graph. */
export class LevelMeter {
  readonly #node: AudioNode;
  readonly #analyser: AnalyserNode;
  readonly #samples: Float32Array<ArrayBuffer>;

  /** `window` samples, a power of two, are looked at: 1024 are 21 ms at 48 kHz. */
  constructor(node: AudioNode, window = 1024) {
    this.#node = node;
    this.#analyser = node.context.createAnalyser();
    this.#analyser.fftSize = window;
    this.#samples = new Float32Array(window);
    node.connect(this.#analyser);
  }

  /** The last samples; the array is used again by the next call. */
  samples(): Float32Array {
    this.#analyser.getFloatTimeDomainData(this.#samples);
    return this.#samples;
  }

  /** Level of the last samples, in dB relative to full scale. */
  dbfs(): number {
    return levelDbfs(this.samples());
  }

  /** Stop listening. */
  close(): void {
    this.#node.disconnect(this.#analyser);
  }
}
