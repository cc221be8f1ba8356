import type { Exchange } from './exchange.js';

/** Describes a body that is not JSON: media type, size and first characters; empty for JSON. */
function unlikeJson({ response, request }: Exchange): string {
  if (response === null || response.json !== undefined || request.method === 'HEAD') return '';
  const bytes = response.body.length;
  if (bytes === 0) return ' with an empty body';
  const type = response.headers.find(([name]) => name === 'content-type')?.[1].split(';')[0] ?? 'no content type';
  const start = response.text?.replace(/\s+/g, ' ').slice(0, 60) ?? null;
  return ` with ${bytes} bytes of ${type}${start === null ? ', no UTF-8' : `: ${JSON.stringify(start)}`}`;
}

/** `GET /api/v1/units?limit=5 → 200`, for sentences; with what came instead where that was no JSON. */
export function describe(exchange: Exchange): string {
  const answer =
    exchange.response === null
      ? (exchange.failure?.kind ?? 'no answer')
      : `${exchange.response.status}${unlikeJson(exchange)}`;
  const path = exchange.request.path.length > 120 ? `${exchange.request.path.slice(0, 117)}…` : exchange.request.path;
  return `${exchange.request.method} ${path} → ${answer}`;
}

/** `401 key_unknown`: the status and what the service calls it. */
export function ownWords({ response }: Exchange): string {
  const error = (response?.json as { error?: unknown } | null | undefined)?.error;
  const { code, message } = (typeof error === 'object' && error !== null ? error : { code: error }) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const said = typeof code === 'string' ? code : typeof message === 'string' ? message : '';
  return `${response?.status ?? ''} ${said.slice(0, 120)}`.trim();
}
