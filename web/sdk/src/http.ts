/** The service's HTTP API (docs/http.md), as far as the client needs it. */

import { asVoicePeerError, VoicePeerError } from "./errors.js";

const TIMEOUT_MS = 30_000;

/** Requests with the call's token. */
export class ServiceHttp {
  readonly #base: URL;
  readonly #token: () => Promise<string | null>;

  constructor(base: URL, token: () => Promise<string | null>) {
    this.#base = base;
    this.#token = token;
  }

  /** The JSON that a request is answered with; rejects with a `VoicePeerError`. */
  async json(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const init = body === undefined ? {} : {
      body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
    };
    return await (await this.request(method, path, init)).json() as Record<string, unknown>;
  }

  /** An answer of 2xx; rejects with a `VoicePeerError` otherwise. */
  async request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const token = await this.#token();
    if (token) headers.set("Authorization", `Bearer ${token}`);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetch(new URL(path, this.#base), { cache: "no-store", signal, ...init, method, headers });
    } catch (error) {
      throw asVoicePeerError(error, signal.aborted ? "timeout" : "unreachable");
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

async function refusal(response: Response): Promise<VoicePeerError> {
  const body: unknown = await response.json().catch(() => null);
  const { error } = (body ?? {}) as { error?: { code?: unknown; message?: unknown } };
  const code = typeof error?.code === "string" ? error.code : response.status === 401 ? "unauthorized" : "internal";
  return new VoicePeerError(code, { detail: typeof error?.message === "string" ? error.message : response.statusText });
}
