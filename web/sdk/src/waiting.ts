/** Waits for a service that is still loading its models. */

import { sleep } from "./deferred.js";
import { VoicePeerError } from "./errors.js";
import { parseFields } from "./shapes.js";

const GIVE_UP_AFTER_MS = 120_000;
const MOST_MS = 5_000;

/**
 * Resolves when the service takes calls; `told` hears each time why it does not yet.
 *
 * Rejects with a `VoicePeerError`: `at_capacity` at once, others when it takes too long.
 */
export async function waitForService(
  service: URL, told: (reason: string) => void, signal: AbortSignal,
): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    const answer = await fetch(new URL("readyz", service), { cache: "no-store", signal }).catch(() => null);
    if (signal.aborted) throw new VoicePeerError("client_left");
    if (answer === null) throw new VoicePeerError("unreachable");
    if (answer.ok) return;
    const { status, reason } = parseFields(await answer.text()) ?? {};
    if (status === "at_capacity") throw new VoicePeerError("at_capacity");
    if (performance.now() > giveUpAt) throw new VoicePeerError("not_ready", { detail: String(reason) });
    told(String(reason ?? ""));
    await sleep(Math.min(MOST_MS, 1000 * (Number(answer.headers.get("Retry-After")) || 2)));
  }
}
