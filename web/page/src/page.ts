/** What every view is given. */

import type { Call } from "./call.js";
import type { Library } from "./library.js";
import type { PageEvent, PageState } from "./state.js";
import type { Store } from "./store.js";
import type { Words } from "./words.js";

export interface Page {
  readonly store: Store<PageState, PageEvent>;
  readonly words: Words;
  readonly library: Library;
  /** The call of the moment. */
  call(): Call | null;
  /** Begin a call, or go on with that of before a reload; or only join others, by the microphone. */
  start(key: string, joinOnly?: boolean): void;
  /** Be in the room, and where nobody is invited yet have the link to it copied. */
  enter(): Promise<void>;
  /** Put the address that others join by into the clipboard. */
  copyLink(): Promise<void>;
}

/** Show the state now, after every change, and in another language. */
export function show(page: Page, render: (state: PageState, before: PageState) => void): void {
  page.store.watch(render);
  page.words.watch(() => render(page.store.state, page.store.state));
}
