/** How late and how like its speaker the last texts were, for numbers and a plot. Pure. */

/** Of one text; `null` where it was not measured. */
export interface Figure {
  readonly id: string;
  readonly latencyMs: number | null;
  /** Cosine of speaker embeddings, -1 to 1. */
  readonly similarity: number | null;
}

export type Figures = readonly Figure[];

export const MAX_FIGURES = 20;

/** Keep the latency of a text. */
export function heardAfter(all: Figures, id: string, latencyMs: number): Figures {
  return put(all, { id, latencyMs, similarity: find(all, id)?.similarity ?? null });
}

/** Keep the similarity of a text. */
export function likened(all: Figures, id: string, similarity: number): Figures {
  return put(all, { id, latencyMs: find(all, id)?.latencyMs ?? null, similarity });
}

/** The newest of either. */
export function newest(all: Figures, name: "latencyMs" | "similarity"): number | null {
  return all.filter((figure) => figure[name] !== null).at(-1)?.[name] ?? null;
}

/** Mean of all that were measured. */
export function mean(all: Figures, name: "latencyMs" | "similarity"): number | null {
  const known = all.map((figure) => figure[name]).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function find(all: Figures, id: string): Figure | undefined {
  return all.find((figure) => figure.id === id);
}

function put(all: Figures, figure: Figure): Figures {
  const known = find(all, figure.id) !== undefined;
  return known ? all.map((one) => (one.id === figure.id ? figure : one)) : [...all, figure].slice(-MAX_FIGURES);
}

// --- the plot ---------------------------------------------------------------------------------

/** Size of the plot in its own units. */
export const PLOT = { width: 300, height: 72 } as const;
/** The scale of latencies grows in steps, so that bars do not jump at every text. */
const STEPS_MS = [300, 600, 1_200, 2_500, 5_000] as const;
const GAP = 3;

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A bar for each latency, the newest at the right; twenty fill the width. */
export function bars(all: Figures): Bar[] {
  const top = scaleMs(all);
  return all.flatMap(({ latencyMs }, index) => {
    if (latencyMs === null) return [];
    const height = Math.max(2, (PLOT.height * Math.min(latencyMs, top)) / top);
    return [{ x: slot(all, index), y: PLOT.height - height, width: PLOT.width / MAX_FIGURES - GAP, height }];
  });
}

/** Points of the similarity's curve, `x,y` each; 0 is at the bottom and 1 at the top. */
export function curve(all: Figures): string {
  const middle = (PLOT.width / MAX_FIGURES - GAP) / 2;
  return all.flatMap(({ similarity }, index) => {
    if (similarity === null) return [];
    const y = PLOT.height * (1 - Math.min(1, Math.max(0, similarity)));
    return [`${round(slot(all, index) + middle)},${round(y)}`];
  }).join(" ");
}

/** What the height of the plot stands for. */
export function scaleMs(all: Figures): number {
  const most = Math.max(0, ...all.map(({ latencyMs }) => latencyMs ?? 0));
  return STEPS_MS.find((step) => most <= step) ?? most;
}

function slot(all: Figures, index: number): number {
  return (PLOT.width / MAX_FIGURES) * (MAX_FIGURES - all.length + index);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
