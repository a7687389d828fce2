/** Waits for a service that is still loading its models. */

import { sleep, withTimeout } from "./deferred.js";
import { VoicePeerError } from "./errors.js";
import { asFields, parseFields } from "./shapes.js";

const GIVE_UP_AFTER_MS = 120_000;
const MOST_MS = 5_000;
const ANSWER_WITHIN_MS = 15_000;
/** Refusals of a service that come before it says how it is. */
const REFUSALS: ReadonlySet<unknown> = new Set(["at_capacity", "origin_not_allowed", "rate_limit_exceeded"]);
/** How proxies say that the service behind them cannot be reached. */
const NOTHING_BEHIND: ReadonlySet<number> = new Set([502, 503, 504]);

/** What `/readyz` has said. */
interface Told {
  status: string;
  reason: string;
  retryMs: number;
}

/**
 * Resolves when the service takes calls; `told` hears each time why it does not yet.
 *
 * Rejects with a `VoicePeerError`: at once `no_service` where something else answers, `unreachable` or
 * `timeout` where nothing does, and what a service refuses; `not_ready` when it takes too long.
 */
export async function waitForService(
  service: URL, told: (reason: string) => void, signal: AbortSignal,
): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    const late = () => new VoicePeerError("timeout");
    const { status, reason, retryMs } = await withTimeout(ask(service, signal), ANSWER_WITHIN_MS, late);
    if (status === "ready") return;
    if (status === "at_capacity") throw new VoicePeerError("at_capacity");
    if (performance.now() > giveUpAt) throw new VoicePeerError("not_ready", { detail: reason });
    told(reason);
    await sleep(retryMs);
  }
}

async function ask(service: URL, signal: AbortSignal): Promise<Told> {
  const url = new URL("readyz", service);
  const answer = await fetch(url, { cache: "no-store", signal }).catch(() => null);
  const body = parseFields(await answer?.text().catch(() => ""));
  if (signal.aborted) throw new VoicePeerError("client_left");
  if (answer === null) throw await unheard(service, fetch(url, { cache: "no-store", mode: "no-cors", signal }));
  const { status, reason } = body ?? {};
  const isOurs = typeof status === "string" && (answer.ok ? status === "ready" : answer.status === 503);
  if (!isOurs) throw somethingElse(service, answer.status, body?.["error"]);
  const retryS = Number(answer.headers.get("Retry-After")) || 2;
  return { status, reason: typeof reason === "string" ? reason : "", retryMs: Math.min(MOST_MS, 1000 * retryS) };
}

/** What answers is not `/readyz` of a service: a refusal of one, a proxy, or a stranger. */
function somethingElse(service: URL, status: number, error: unknown): VoicePeerError {
  const { code, message } = asFields(error) ?? {};
  if (REFUSALS.has(code)) return new VoicePeerError(String(code), { detail: String(message ?? "") });
  const detail = `${service.href} (${status})`;
  return new VoicePeerError(NOTHING_BEHIND.has(status) ? "unreachable" : "no_service", { detail });
}

/**
 * Browsers keep the answer from a page that it does not allow (Fetch, section 3.3), and do not tell that
 * from no answer: `probe` asks without wanting to read anything.
 */
async function unheard(service: URL, probe: Promise<unknown>): Promise<VoicePeerError> {
  const isThere = await probe.then(() => true, () => false);
  if (!isThere) return new VoicePeerError("unreachable", { detail: service.href });
  const detail = `${service.href} answers, but not to this page: does server.allowed_origins name ${location.origin}?`;
  return new VoicePeerError("origin_not_allowed", { detail });
}
