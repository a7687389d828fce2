/** The service's HTTP API (docs/http.md), as far as the client needs it. */

import { asVoicePeerError, VoicePeerError } from "./errors.js";
import { asFields, type Fields, fits, parseFields, type Shape } from "./shapes.js";

const TIMEOUT_MS = 30_000;

/** What a request with a JSON body is. */
export function jsonBody(body: object): RequestInit {
  return { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

/** Requests with the call's token. */
export class ServiceHttp {
  readonly #base: () => URL;
  readonly #token: () => Promise<string | null>;

  constructor(base: () => URL, token: () => Promise<string | null>) {
    this.#base = base;
    this.#token = token;
  }

  /** The JSON object of a shape that a request is answered with; rejects with a `VoicePeerError`. */
  async json(method: string, path: string, shape: Shape, init: RequestInit = {}): Promise<Fields> {
    const answer = parseFields(await (await this.request(method, path, init)).text());
    if (answer === null || !fits(shape, answer)) throw new VoicePeerError("bad_answer", { detail: path });
    return answer;
  }

  /** An answer of 2xx; rejects with a `VoicePeerError` otherwise. */
  async request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const token = await this.#token();
    if (token) headers.set("Authorization", `Bearer ${token}`);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetch(new URL(path, this.#base()), { cache: "no-store", signal, ...init, method, headers });
    } catch (error) {
      throw asVoicePeerError(error, signal.aborted ? "timeout" : "unreachable");
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

async function refusal(response: Response): Promise<VoicePeerError> {
  const error = asFields(parseFields(await response.text().catch(() => ""))?.["error"]);
  const { code = response.status === 401 ? "unauthorized" : "internal", message = response.statusText } = error ?? {};
  return new VoicePeerError(String(code), { detail: String(message) });
}
