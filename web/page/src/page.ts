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
  /** Begin a call, or go on with that of before a reload. */
  start(key: string): void;
}

/** Show the state now, after every change, and in another language. */
export function show(page: Page, render: (state: PageState, before: PageState) => void): void {
  page.store.watch(render);
  page.words.watch(() => render(page.store.state, page.store.state));
}
