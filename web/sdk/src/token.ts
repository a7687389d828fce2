/** The key or token that a call shows to the service. */

import { withTimeout } from "./deferred.js";
import { asVoicePeerError, VoicePeerError } from "./errors.js";
import { misuse, named } from "./misuse.js";
import type { TokenSource } from "./options.js";

const FETCHED_WITHIN_MS = 30_000;

/**
 * What fetches the token. It rejects with `token_failed` where that fails or takes longer than 30 s: it
 * is the network's, as far as anybody can tell; and with `misuse` for what is no token.
 */
export function tokenOf(source: TokenSource | null): () => Promise<string | null> {
  return async () => {
    const token: unknown = typeof source === "function" ? await fetched(source) : source;
    if (token !== null && token !== undefined && typeof token !== "string") {
      throw misuse("token", `a key is a string, not ${named(token)}`);
    }
    return token || null;
  };
}

/**
 * A refusal of what the application had fetched, which its visitor cannot mend by entering a key: it
 * tells the service's reason. All other errors stay as they are.
 */
export function refusalOf(error: VoicePeerError, source: TokenSource | null): VoicePeerError {
  if (error.code !== "unauthorized" || typeof source !== "function") return error;
  return new VoicePeerError("token_refused", { detail: error.detail, cause: error });
}

async function fetched(source: () => unknown): Promise<unknown> {
  const late = () => new VoicePeerError("token_failed", { detail: `no token within ${FETCHED_WITHIN_MS / 1000} s` });
  try {
    return await withTimeout((async () => source())(), FETCHED_WITHIN_MS, late);
  } catch (error) {
    throw asVoicePeerError(error, "token_failed");
  }
}
