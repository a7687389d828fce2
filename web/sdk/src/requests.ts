/** Requests that the service answers, by their ids. */

import { type Deferred, deferred } from "./deferred.js";
import type { Opened } from "./envelope.js";
import { VoicePeerError } from "./errors.js";

interface Pending {
  answer: Deferred<Record<string, unknown>>;
  timer: ReturnType<typeof setTimeout>;
}

/** Longer than it takes to come back after a lost connection, for which requests wait. */
const TIMEOUT_MS = 75_000;

/** What has been asked and not been answered. */
export class Requests {
  readonly #pending = new Map<string, Pending>();
  #serial = 0;

  /** Ask by `send`, which is given the id to ask under. Rejects with a `VoicePeerError`. */
  async ask(send: (id: string) => void): Promise<Record<string, unknown>> {
    this.#serial += 1;
    const id = `r${this.#serial}`;
    const answer = deferred<Record<string, unknown>>();
    const timer = setTimeout(() => this.#settle(id)?.reject(new VoicePeerError("timeout")), TIMEOUT_MS);
    this.#pending.set(id, { answer, timer });
    try {
      send(id);
    } catch (error) {
      this.#settle(id)?.reject(error);
    }
    return answer.promise;
  }

  /** Take an answer or a refusal; whether somebody waited for it. */
  take({ id, kind, fields }: Opened): boolean {
    const answer = this.#settle(id);
    if (kind === "answer") answer?.resolve(fields);
    else answer?.reject(refusal(fields));
    return answer !== undefined;
  }

  /** Nothing that was asked so far is answered any more. */
  lost(): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new VoicePeerError("connection_lost"));
  }

  #settle(id: string): Deferred<Record<string, unknown>> | undefined {
    const pending = this.#pending.get(id);
    clearTimeout(pending?.timer);
    this.#pending.delete(id);
    return pending?.answer;
  }
}

/** An error of the service, out of the fields of its message. */
export function refusal(fields: Record<string, unknown>): VoicePeerError {
  const { error, code, utterance_id: utteranceId } = fields;
  return new VoicePeerError(typeof code === "string" ? code : "internal", {
    detail: typeof error === "string" ? error : "",
    utteranceId: typeof utteranceId === "string" ? utteranceId : undefined,
  });
}
