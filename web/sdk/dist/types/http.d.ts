/** The service's HTTP API (docs/http.md), as far as the client needs it. */
import { type Fields, type Shape } from "./shapes.js";
/** What a request with a JSON body is. */
export declare function jsonBody(body: object): RequestInit;
/** Requests with the call's token. */
export declare class ServiceHttp {
    #private;
    constructor(base: () => URL, token: () => Promise<string | null>);
    /** The JSON object of a shape that a request is answered with; rejects with a `VoicePeerError`. */
    json(method: string, path: string, shape: Shape, init?: RequestInit): Promise<Fields>;
    /** An answer of 2xx; rejects with a `VoicePeerError` otherwise. */
    request(method: string, path: string, init?: RequestInit): Promise<Response>;
}
