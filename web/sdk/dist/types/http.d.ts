/** The service's HTTP API (docs/http.md), as far as the client needs it. */
/** Requests with the call's token. */
export declare class ServiceHttp {
    #private;
    constructor(base: URL, token: () => Promise<string | null>);
    /** The JSON that a request is answered with; rejects with a `VoicePeerError`. */
    json(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
    /** An answer of 2xx; rejects with a `VoicePeerError` otherwise. */
    request(method: string, path: string, init?: RequestInit): Promise<Response>;
}
