import { type Exchange, header } from '../http/index.js';

const dayOf = (ms: number): string => (Number.isNaN(ms) ? 'no date' : new Date(ms).toISOString().slice(0, 10));

/**
 * The paths whose answers carry `Deprecation` (RFC 9745, section 2: a date such as `@1688169599`) or `Sunset` (RFC 8594, section 3: an
 * HTTP date), with what they say; each once.
 */
export function announcedEnds(exchanges: readonly Exchange[]): string[] {
  const said = exchanges.flatMap((exchange) => {
    const [deprecation, sunset] = [header(exchange, 'deprecation'), header(exchange, 'sunset')];
    const seconds = /^@(-?\d+)$/.exec(deprecation ?? '')?.[1];
    const words = [
      ...(deprecation === undefined ? [] : [`Deprecation: ${deprecation} (${dayOf(Number(seconds ?? NaN) * 1000)})`]),
      ...(sunset === undefined ? [] : [`Sunset: ${sunset} (${dayOf(Date.parse(sunset))})`]),
    ];
    const path = exchange.request.path.replace(/\?.*/, '');
    return words.length === 0 ? [] : [`${exchange.request.method} ${path}: ${words.join(', ')}`];
  });
  return [...new Set(said)];
}
