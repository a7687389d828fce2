/** The key or token that a call shows to the service. */
import { VoicePeerError } from "./errors.js";
import type { TokenSource } from "./options.js";
/**
 * What fetches the token. It rejects with `token_failed` where that fails or takes longer than 30 s: it
 * is the network's, as far as anybody can tell; and with `misuse` for what is no token.
 */
export declare function tokenOf(source: TokenSource | null): () => Promise<string | null>;
/**
 * A refusal of what the application had fetched, which its visitor cannot mend by entering a key: it
 * tells the service's reason. All other errors stay as they are.
 */
export declare function refusalOf(error: VoicePeerError, source: TokenSource | null): VoicePeerError;
