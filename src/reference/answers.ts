import type { ApiFailure } from './api-failure.js';
import type { Behaviour, Exchange, Surface, World } from './instance.js';
import type { VariantOptionValue } from './variant-options.js';

/** The media type of a production answer of this instance. */
export function mediaTypeOf(behaviour: Behaviour, failed: boolean): string {
  if (behaviour.option('media-type') === 'json') return 'application/json';
  return failed ? 'application/problem+json' : 'application/vnd.dealer.v1+json';
}

/** The media type of production answers, with the charset as this service writes it. */
export function contentType(world: World, type = 'application/json'): string {
  const charset = world.option('charset');
  return charset === 'none' ? type : charset === 'upper' ? `${type}; charset=UTF-8` : `${type}; charset=utf-8`;
}

const isProduction = (surface: Surface): boolean => ['production', 'second-form', 'sandbox'].includes(surface);

interface More {
  readonly headers?: Record<string, string>;
  readonly failure?: ApiFailure;
  /** The whole Content-Type, where it is another than that of this instance. */
  readonly type?: string;
}

/** Sends a value as JSON, and a text as it is. */
export function send(exchange: Exchange, status: number, body: unknown, more: More = {}): void {
  const { response, surface, world } = exchange;
  const { headers = {}, failure } = more;
  const json = isProduction(surface) ? mediaTypeOf(world, failure !== undefined) : undefined;
  const honest = { status, type: more.type ?? contentType(world, json), headers, body };
  const answer = world.apply('answer', honest, exchange, failure ?? null);
  const asIs = typeof answer.body === 'string' || Buffer.isBuffer(answer.body);
  // A text, as Node sends a buffer apart from the headers.
  const sent = asIs ? (answer.body as string | Buffer) : JSON.stringify(answer.body);
  const headersToSend = { ...answer.headers, 'Content-Type': answer.type, 'Content-Length': Buffer.byteLength(sent) };
  response.writeHead(answer.status, headersToSend).end(sent);
}

/** Sends `{ ok: true, data }`. */
export function succeed(exchange: Exchange, status: number, data: object, headers: Record<string, string> = {}): void {
  const isLong = exchange.world.option('extra-fields') === 'some';
  const meta = isLong ? { meta: { requestId: exchange.requestId } } : {};
  send(exchange, status, { ok: true, data, ...meta }, { headers });
}

type ErrorShape = VariantOptionValue<'error-shape'>;
const errorObjects: Readonly<Record<ErrorShape, (failure: ApiFailure) => Record<string, unknown>>> = {
  'code-message': ({ code, message, issues }) => ({ code, message, ...(issues.length > 0 ? { details: issues } : {}) }),
  'type-title': ({ code, message, issues, status }) => ({
    ...{ type: `https://docs.example.com/errors/${code}`, title: message, status },
    ...(issues.length > 0 ? { detail: issues.join('; ') } : {}),
  }),
  message: ({ message }) => ({ message }),
  issues: ({ code, message, issues }) => ({ code, message, issues: issues.map((text) => ({ text })) }),
};

/** The body of a refusal. */
export function failureBody(failure: ApiFailure, world: World): unknown {
  const { option } = world;
  const meta = option('extra-fields') === 'some' ? { meta: { documentation: 'https://docs.example.com' } } : {};
  return { ok: false, error: errorObjects[option('error-shape')](failure), ...meta };
}

/** Sends `{ ok: false, error }`. */
export function refuse(exchange: Exchange, thrown: ApiFailure): void {
  const { surface, world } = exchange;
  const failure = world.apply('failure', thrown, exchange);
  // The specification gives these a status: 429, and 404 on what is not live.
  const isFree = !['rate_limited', 'not_live'].includes(failure.code) && failure.status < 500;
  const covered = isProduction(surface) || ['method_not_allowed', 'not_found'].includes(failure.code);
  const is200 = world.option('failure-status') === '200' && isFree && covered;
  const { headers } = failure;
  send(exchange, is200 ? 200 : failure.status, failureBody(failure, world), { headers, failure });
}
