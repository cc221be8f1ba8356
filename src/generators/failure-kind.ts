import type { Exchange } from '../http/index.js';
import { isRecord } from './schema/schema.js';

/** The words of an error without what changes from request to request: numbers, ids, quoted values. */
export function skeleton(text: string): string {
  return text
    .replace(/(["'`“‘])(?:(?!\1).){0,200}\1/gu, '…')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '…')
    .replace(/[^\p{L}\s:._-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 80);
}

/** Distinguishes failures: the class of the status, and the shape of the error text. */
export function failureKind(exchange: Exchange): string {
  if (exchange.response === null) return `no answer (${exchange.failure?.kind ?? 'other'})`;
  const { status, json } = exchange.response;
  const error = isRecord(json) ? json['error'] : null;
  const parts = isRecord(error) ? [error['code'], error['type'], error['message']] : [];
  const text = parts.find((part) => typeof part === 'string') ?? '';
  return `${Math.floor(status / 100)}xx ${skeleton(text)}`.trim();
}
