/** How late and how like its speaker the voice is, in numbers and in a plot. */

import { make, one } from "../dom.js";
import { type Figures, PLOT, bars, curve, mean, newest } from "../figures.js";
import { type Page, show } from "../page.js";

const SVG = "http://www.w3.org/2000/svg";

export function numbers(page: Page): void {
  const [latency, similarity] = [one("latency"), one("similarity")];
  show(page, ({ figures }, before) => {
    const { words } = page;
    const [ms, cosine] = [newest(figures, "latencyMs"), newest(figures, "similarity")];
    put(latency, "ms", ms, ms === null ? "" : words.number(ms, 0), words.say("milliseconds"));
    put(similarity, "value", cosine, cosine === null ? "" : words.number(100 * cosine, 0), words.say("percent"));
    if (figures !== before.figures || figures.length === 0) draw(one<SVGSVGElement>("plot"), figures);
    one("plot").setAttribute("aria-label", described(page, figures));
  });
}

function put(place: HTMLElement, name: string, value: number | null, shown: string, unit: string): void {
  if (value === null) {
    place.replaceChildren("–");
    delete place.dataset[name];
  } else {
    place.replaceChildren(`${shown} `, make("small", {}, unit));
    place.dataset[name] = String(Math.round(1_000 * value) / 1_000);
  }
}

function described({ words }: Page, figures: Figures): string {
  if (figures.length === 0) return words.say("plotEmpty");
  const [ms, cosine] = [mean(figures, "latencyMs"), mean(figures, "similarity")];
  return words.say("plotLabel", {
    count: String(figures.length),
    latency: ms === null ? words.say("unknown") : words.number(ms, 0),
    similarity: cosine === null ? words.say("unknown") : `${words.number(100 * cosine, 0)} %`,
  });
}

function draw(svg: SVGSVGElement, figures: Figures): void {
  if (figures.length === 0) return svg.replaceChildren();
  const { width, height } = PLOT;
  const base = shape("line", { class: "base", x1: 0, y1: height, x2: width, y2: height });
  const marks = bars(figures).map((bar) => shape("rect", { class: "bar-mark", rx: 2, ...bar }));
  const points = curve(figures);
  svg.replaceChildren(base, ...marks, ...(points === "" ? [] : [shape("polyline", { class: "curve", points })]));
}

function shape(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
