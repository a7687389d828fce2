/** Hands over all that it is given, in chunks; silence where nothing is connected. */
class Ears extends AudioWorkletProcessor {
  #chunk;
  #filled = 0;
  #frame = currentFrame;

  constructor({ processorOptions }) {
    super();
    this.#chunk = new Float32Array(processorOptions.chunkFrames);
  }

  process([input]) {
    if (this.#filled === 0) this.#frame = currentFrame;
    const block = input[0] ?? new Float32Array(128);
    this.#chunk.set(block, this.#filled);
    this.#filled += block.length;
    if (this.#filled === this.#chunk.length) {
      this.port.postMessage({ frame: this.#frame, pcm: this.#chunk });
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor("ears", Ears);
