/** Questions before something happens that cannot be taken back, or needs a name. */

import { find, one, write } from "../dom.js";
import type { Questions } from "../library.js";
import { type Words, problemText } from "../words.js";

export function dialogs(words: Words): Questions {
  const confirm = one<HTMLDialogElement>("confirm");
  const rename = one<HTMLDialogElement>("rename");
  const field = one<HTMLInputElement>("rename-name");
  one("rename-cancel").addEventListener("click", () => rename.close("no"));
  return {
    async mayDelete(name) {
      write(one("confirm-title"), words.say("deleteTitle", { name }));
      write(one("confirm-text"), words.say("deleteText"));
      write(one("confirm-yes"), words.say("deleteYes"));
      return await answer(confirm, one("confirm-no")) === "yes";
    },
    async name(old, take) {
      field.value = old;
      const fault = one("rename-fault");
      fault.hidden = true;
      const ask = async (event: Event) => {
        event.preventDefault();
        const name = field.value.trim();
        if (name === "") return field.focus();
        const problem = name === old ? null : await take(name);
        if (problem === null) return rename.close("yes");
        fault.hidden = false;
        write(fault, problemText(words.language, { ...problem, about: "rename" }));
        field.focus();
      };
      const form = find("form", rename);
      form.addEventListener("submit", ask);
      await answer(rename, field);
      form.removeEventListener("submit", ask);
    },
  };
}

/** Ask, with the focus on what does no harm; `""` when it was closed by Esc. */
function answer(dialog: HTMLDialogElement, first: HTMLElement): Promise<string> {
  dialog.returnValue = "";
  dialog.showModal();
  first.focus();
  if (first instanceof HTMLInputElement) first.select();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}
