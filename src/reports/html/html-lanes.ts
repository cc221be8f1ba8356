import type { Exchange } from '../../http/index.js';
import { at } from '../../openapi/index.js';
import type { Finding } from '../../requirement/index.js';
import { letters } from './html-ids.js';
import { html, Markup } from './html-markup.js';

/**
 * A lane for each request, from when it was sent until it was answered, with its key and the id that it was shown where the finding points to
 * one, marked where the key had shown another. Null unless some were under way together. Ids have the letters that they have in `actual`.
 */
export function lanesMarkup({ actual, part }: Finding, exchanges: readonly Exchange[]): Markup | null {
  const lanes = [...exchanges].sort((a, b) => a.sentAtMs - b.sentAtMs);
  if (!lanes.some((one, nth) => lanes.slice(0, nth).some((other) => other.receivedAtMs > one.sentAtMs))) return null;
  const [from, to] = [lanes[0]?.sentAtMs ?? 0, Math.max(...lanes.map(({ receivedAtMs }) => receivedAtMs))];
  const [keyLetter, recordLetter] = [letters(''), letters(actual)];
  const firstOf = new Map<string, string>();
  const rows = lanes.map(({ seq, request, response, failure, sentAtMs, receivedAtMs }) => {
    const [, key = ''] = request.headers.find(([name]) => name.toLowerCase() === 'idempotency-key') ?? [];
    const id = part?.pointer === undefined ? undefined : at(response?.json, part.pointer);
    const record = typeof id === 'string' || typeof id === 'number' ? String(id) : '';
    if (record !== '' && !firstOf.has(key)) firstOf.set(key, record);
    const kind = record !== '' && key !== '' && firstOf.get(key) !== record ? 'odd' : '';
    const named = [
      ...(key === '' ? [] : [`key ${keyLetter(key)}`]),
      String(response?.status ?? failure?.kind),
      ...(record === '' ? [] : [`record ${recordLetter(record)}`]),
    ];
    const [x, width] = [sentAtMs - from, receivedAtMs - sentAtMs].map((ms) => ((100 * ms) / (to - from)).toFixed(2));
    const bar = `<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect x="${x}" width="${width}" height="10"/></svg>`;
    return html`<li class="${kind}"><span>${named.join(', ')}</span>${new Markup(bar)}<span class="quiet"><a href="#exchange-${seq}">${seq}</a>, ${(sentAtMs - from).toFixed(1)} to ${(receivedAtMs - from).toFixed(1)} ms</span></li>`;
  });
  return html`<div class="command"><div class="bar"><span>Requests under way together</span></div><ul class="lanes">${rows}</ul></div>`;
}
