/** Finds and changes elements of index.html. */

/** The element with a test id; it is there, or index.html and this script do not belong together. */
export function one<T extends Element = HTMLElement>(testId: string, root: ParentNode = document): T {
  return find<T>(`[data-testid="${testId}"]`, root);
}

/** The first element that fits. */
export function find<T extends Element = HTMLElement>(selector: string, root: ParentNode = document): T {
  const element = root.querySelector<T>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

/** A copy of a template's content. */
export function copyOf(template: string): DocumentFragment {
  const { content } = find<HTMLTemplateElement>(`[data-template="${template}"]`);
  return content.cloneNode(true) as DocumentFragment;
}

/** A new element with attributes. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Readonly<Record<string, string>> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A round button with a picture, 24 by 24. */
export function iconButton(testId: string, picture: string, act: () => void, label = ""): HTMLButtonElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", picture);
  svg.setAttribute("class", "icon");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  const button = make("button", {
    type: "button", class: "quiet round", "data-testid": testId, "aria-label": label, title: label,
  }, svg);
  button.addEventListener("click", act);
  return button;
}

/** Set a text; screen readers hear live regions again only if it changes. */
export function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** An option of a select. */
export interface Option {
  value: string;
  label: string;
}

/** Offer these options and keep what was chosen, if it is still there; else `fallback`. */
export function offer(select: HTMLSelectElement, options: readonly Option[], fallback: string): void {
  const signature = JSON.stringify(options);
  if (select.dataset["options"] === signature) return;
  select.dataset["options"] = signature;
  const chosen = select.value;
  select.replaceChildren(...options.map(({ value, label }) => make("option", { value }, label)));
  select.value = options.some(({ value }) => value === chosen) ? chosen : fallback;
}
