import type { Exchange, HeaderLine, Surface } from '../http/exchange.js';
import type { Credential } from '../http/client.js';
import type { KeyName } from '../settings/target.js';

/** One request as a check words it; paths are below `{base_url}`. */
export interface RequestOptions {
  readonly method?: string;
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  /** A configured key by its setting's name, a made-up credential, or null for none; API_KEY unless said. */
  readonly as?: KeyName | Credential | null;
  /** X-Tenant; the configured tenant unless said, null for no header. */
  readonly tenant?: string | null;
  readonly headers?: readonly HeaderLine[];
  readonly json?: unknown;
  readonly body?: Buffer;
  readonly surface?: Surface;
  readonly base?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly raw?: boolean;
  /** The body goes out in small pieces with pauses, so that an answer before its end is read before more is sent. */
  readonly slowly?: boolean;
  /** Called with each try whose answer was lost, before the request is sent again. */
  readonly onLost?: (exchange: Exchange) => void;
}
