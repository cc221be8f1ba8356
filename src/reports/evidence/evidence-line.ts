import { createHash } from 'node:crypto';
import {
  decodeJson,
  decodeText,
  type Exchange,
  type RecordedRequest,
  type RecordedResponse,
} from '../../http/index.js';

/** Bodies shorter than this are written again rather than referred to, in bytes. */
const shortestShared = 64;

/** A body on a line: text where it is UTF-8, else base64; `id` names it for later lines of the same segment, `same` refers back. */
type StoredBody =
  | null
  | { readonly text: string; readonly id?: number }
  | { readonly base64: string; readonly id?: number }
  | { readonly same: number };

/** The hash of the original bytes of a redacted body, so that equality can still be judged. */
interface Hashed {
  readonly bodySha256?: string;
}

/** One line of evidence, as written. */
interface StoredExchange extends Omit<Exchange, 'request' | 'response'> {
  readonly request: Omit<RecordedRequest, 'body' | 'path'> &
    Hashed & { readonly path?: string; readonly body: StoredBody };
  readonly response: (Omit<RecordedResponse, 'body' | 'text' | 'json'> & Hashed & { readonly body: StoredBody }) | null;
}

function pathOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Turns exchanges into lines of one segment; a body seen before in the segment is written once. */
export function createLineWriter(): (exchange: Exchange) => string {
  const known = new Map<string, number>();
  const store = (body: Buffer | null): StoredBody => {
    if (body === null) return null;
    const text = decodeText(body);
    const content = text === null ? { base64: body.toString('base64') } : { text };
    if (body.length < shortestShared) return content;
    const digest = createHash('sha256').update(body).digest('base64');
    const same = known.get(digest);
    if (same !== undefined) return { same };
    known.set(digest, known.size);
    return { id: known.size - 1, ...content };
  };
  return (exchange) => {
    const { path, ...request } = exchange.request;
    const stored: StoredExchange = {
      ...exchange,
      request: { ...request, ...(pathOf(request.url) === path ? {} : { path }), body: store(request.body) },
      response: exchange.response === null ? null : withoutParsed(exchange.response, store(exchange.response.body)),
    };
    return `${JSON.stringify(stored)}\n`;
  };
}

function withoutParsed(response: RecordedResponse & Hashed, body: StoredBody): NonNullable<StoredExchange['response']> {
  const { status, headers, bodySha256 } = response;
  return { status, headers, body, ...(bodySha256 === undefined ? {} : { bodySha256 }) };
}

/** A body and what is read out of it; equal ones of a segment share it. */
type Decoded = Pick<RecordedResponse, 'body' | 'text' | 'json'>;

function decoded(body: Buffer): Decoded {
  const text = decodeText(body);
  return { body, text, json: decodeJson(text) };
}

/** Turns the lines of one segment back into exchanges, in order; throws where a line is no exchange. */
export function createLineReader(): (line: string) => Exchange {
  const known = new Map<number, Decoded>();
  const restore = (stored: StoredBody): Decoded | null => {
    if (stored === null) return null;
    if ('same' in stored) {
      const body = known.get(stored.same);
      if (body === undefined) throw new Error(`refers to body ${stored.same}, which no earlier line holds`);
      return body;
    }
    const body = decoded('text' in stored ? Buffer.from(stored.text) : Buffer.from(stored.base64, 'base64'));
    if (stored.id !== undefined) known.set(stored.id, body);
    return body;
  };
  return (line) => {
    const stored = JSON.parse(line) as StoredExchange;
    if (
      typeof stored !== 'object' ||
      stored === null ||
      typeof stored.seq !== 'number' ||
      typeof stored.request?.url !== 'string'
    ) {
      throw new Error('is not an exchange');
    }
    const path = stored.request.path ?? pathOf(stored.request.url) ?? '';
    const request = { ...stored.request, path, body: restore(stored.request.body)?.body ?? null };
    if (stored.response === null) return { ...stored, request, response: null };
    return {
      ...stored,
      request,
      response: { ...stored.response, ...(restore(stored.response.body) ?? decoded(Buffer.alloc(0))) },
    };
  };
}
