/** Questions before something happens that cannot be taken back, or needs a name. */

import { one, write } from "../dom.js";
import type { Questions } from "../library.js";
import type { Words } from "../words.js";

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
    async name(old) {
      field.value = old;
      const said = await answer(rename, field);
      return said === "yes" && field.value.trim() !== "" ? field.value.trim() : null;
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
