/** Texts cut so that each piece fits into a message. Pure. */

/** 6 bytes each at most, as a JSON escape: under 15,000 with what is around them. */
const PIECE_CODE_POINTS = 2_000;

/** The text in pieces of at most 2,000 code points; none for an empty text. */
export function* pieces(text: string): Generator<string> {
  const points = Array.from(text);
  for (let at = 0; at < points.length; at += PIECE_CODE_POINTS) {
    yield points.slice(at, at + PIECE_CODE_POINTS).join("");
  }
}

/** Whether a text goes as one piece. */
export function isShort(text: string): boolean {
  return text.length <= PIECE_CODE_POINTS;
}

/** Offsets in UTF-16 units of a text's code points; it may grow. Each look-up costs what lies between. */
export class CodePoints {
  #points = 0;
  #units = 0;

  /** The offset of code point `point` in `text`, at most its length. */
  unitOf(text: string, point: number): number {
    if (point < this.#points) this.#points = this.#units = 0;
    while (this.#points < point && this.#units < text.length) {
      this.#units += (text.codePointAt(this.#units) as number) > 0xffff ? 2 : 1;
      this.#points += 1;
    }
    return this.#units;
  }
}
