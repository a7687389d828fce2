/** A ring of rays: how many are lit tells how far it is, how long they are how loud it is. */

const SVG = "http://www.w3.org/2000/svg";
export const RAYS = 72;
const CENTRE = 120;
const INNER = 88;
const LENGTH = 14;
const SWING = 16;

/** Where a ray begins and ends, in the viewBox of 240 by 240; the first points up, the next are clockwise. */
export function ray(index: number, level: number): { x1: number; y1: number; x2: number; y2: number } {
  const angle = (2 * Math.PI * index) / RAYS;
  const outer = INNER + LENGTH + SWING * level * pattern(index);
  const [x, y] = [Math.sin(angle), -Math.cos(angle)];
  return { x1: CENTRE + INNER * x, y1: CENTRE + INNER * y, x2: CENTRE + outer * x, y2: CENTRE + outer * y };
}

/** How many rays are lit. */
export function litRays(share: number): number {
  return Math.round(RAYS * Math.min(1, Math.max(0, share)));
}

/** How loud something is for the eye: 0 at -60 dBFS, 1 at -10. */
export function loudness(dbfs: number): number {
  return Math.min(1, Math.max(0, (dbfs + 60) / 50));
}

/** Three waves that never meet, so that it looks like sound and not like a gear. */
function pattern(index: number): number {
  const angle = (2 * Math.PI * index) / RAYS;
  return 0.5 + 0.22 * Math.sin(5 * angle) + 0.17 * Math.sin(11 * angle + 1) + 0.11 * Math.sin(17 * angle + 2);
}

/** Draws it into an `<svg>`. */
export class Ring {
  readonly #rays: SVGLineElement[];
  #lit = -1;
  #level = -1;

  constructor(svg: SVGSVGElement) {
    this.#rays = Array.from({ length: RAYS }, () => document.createElementNS(SVG, "line"));
    this.#rays.forEach((line, index) => line.style.setProperty("--at", String(((index * 29) % RAYS) / RAYS)));
    svg.replaceChildren(...this.#rays);
    this.level = 0;
    this.share = 0;
  }

  /** 0 to 1. */
  set share(share: number) {
    const lit = litRays(share);
    if (lit === this.#lit) return;
    this.#lit = lit;
    this.#rays.forEach((line, index) => line.classList.toggle("lit", index < lit));
  }

  /** 0 to 1; falls slower than it rises, as eyes like it. */
  set level(level: number) {
    const next = level > this.#level ? level : Math.max(level, this.#level - 0.06);
    if (Math.abs(next - this.#level) < 0.005) return;
    this.#level = next;
    this.#rays.forEach((line, index) => {
      const { x1, y1, x2, y2 } = ray(index, next);
      line.setAttribute("x1", x1.toFixed(1));
      line.setAttribute("y1", y1.toFixed(1));
      line.setAttribute("x2", x2.toFixed(1));
      line.setAttribute("y2", y2.toFixed(1));
    });
  }
}
