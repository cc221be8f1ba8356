import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { SettingsError } from '../../settings/index.js';

/** The internals of an autocannon client that the engine uses. */
export interface EngineClient extends EventEmitter {
  conn: Socket & { readonly authorized?: boolean; readonly authorizationError?: Error | string };
  readonly secure: boolean;
  readonly parser: EngineParser;
  readonly opts: { tlsOptions?: ConnectionOptions };
  readonly pipelinedRequests: { clear(): void; addByteCount(bytes: number): void };
  setRequests(requests: readonly object[]): void;
  destroy(): void;
  _connect(): void;
  _doRequest(): void;
  _resetConnection(): void;
  getRequestBuffer(): Buffer;
}

/** The head of a response as http-parser-js hands it over; `headers` is flat: name, value, name, value. */
export interface ParsedHead {
  readonly statusCode: number;
  readonly headers: readonly string[];
  readonly shouldKeepAlive: boolean;
}

/** http-parser-js: its callbacks hang on numbered slots. */
export interface EngineParser {
  readonly state: string;
  readonly line: string;
  execute(chunk: Buffer): number | Error;
  initialize(type: string): void;
  finish(): Error | undefined;
  [slot: number]: unknown;
}

/** The only version whose insides this engine has been proven against. */
export const enginePinned = '9.0.0';

/** Slots of http-parser-js. */
export const parserSlots = { headersComplete: 2, body: 3, messageComplete: 4 } as const;

const load = createRequire(import.meta.url);

function bodyOf(prototype: Record<string, unknown>, name: string): string {
  const method = prototype[name];
  return typeof method === 'function' ? Function.prototype.toString.call(method) : '';
}

/** Sentences on how the installed autocannon differs from the one that was proven; empty when it does not. */
export function internalsProblems(
  version: unknown,
  prototype: Record<string, unknown>,
  parser: Record<string, unknown>,
): string[] {
  const problems: string[] = [];
  if (version !== enginePinned) problems.push(`its version is ${String(version)}`);
  const expected = [
    ['_connect', 'this._doRequest()'],
    ['_connect', '...this.opts.tlsOptions'],
    ['_connect', 'this.pipelinedRequests.addByteCount(chunk.length)'],
    ['_connect', 'tls.connect(this.opts.port, this.opts.hostname, {'],
    ['_doRequest', 'this.conn.write(this.getRequestBuffer())'],
    ['_doRequest', 'this.pipelinedRequests.insertRequest('],
    ['_resetConnection', 'this._connect()'],
    ['_destroyConnection', 'this.pipelinedRequests.clear()'],
    ['getRequestBuffer', 'this.requestIterator.currentRequest.requestBuffer'],
    ['setRequests', 'this.requestIterator.setRequests('],
    ['destroy', "this.emit('done')"],
  ] as const;
  for (const [name, text] of expected) {
    if (!bodyOf(prototype, name).includes(text)) problems.push(`its client's ${name} no longer holds ${text}`);
  }
  const slots = [parser['kOnHeadersComplete'], parser['kOnBody'], parser['kOnMessageComplete']];
  if (slots.join() !== Object.values(parserSlots).join())
    problems.push(`its parser's callback slots are ${slots.join(', ')}`);
  return problems;
}

let checked = false;

/** Throws SettingsError where the installed autocannon is not the one this engine was proven against. */
export function assertInternals(): void {
  if (checked) return;
  const client = load('autocannon/lib/httpClient.js') as { prototype: Record<string, unknown> };
  const manifest = load('autocannon/package.json') as { version?: unknown };
  const beside = createRequire(load.resolve('autocannon/package.json'));
  const { HTTPParser } = beside('http-parser-js') as { HTTPParser: Record<string, unknown> };
  const problems = internalsProblems(manifest.version, client.prototype, HTTPParser);
  if (problems.length > 0) {
    throw new SettingsError(
      `The load engine needs autocannon ${enginePinned} as published, but ${problems.join('; ')}: install exactly that version (npm ci).`,
    );
  }
  checked = true;
}
