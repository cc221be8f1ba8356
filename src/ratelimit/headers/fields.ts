/** One member of a RateLimit list: its number and the numbers of its parameters (`w`, `burst`, `q`). */
export interface QuotaItem {
  readonly count: number;
  readonly largest: number;
}

const integer = /^\d{1,15}$/;
/** A quoted string, with what it escapes (RFC 9110, section 5.6.4). */
const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
/** Parameters hold a string, bytes, a boolean, or a number or token. */
const value = String.raw`${quoted}|:[A-Za-z0-9+/]*={0,2}:|\?[01]|[\w.+:/%*!#$&'^|~\x60-]+`;
const parameter = new RegExp(String.raw`^[A-Za-z*][\w.*-]*(?:=(?:${value}))?$`);
const name = new RegExp(`^${quoted}$`);

/** A non-negative integer alone, as in `RateLimit-Remaining` and `RateLimit-Reset`; null for anything else. */
export function wholeNumber(raw: string): number | null {
  const text = raw.trim();
  return integer.test(text) ? Number(text) : null;
}

/**
 * `RateLimit-Limit` or `RateLimit-Policy` of any draft that kept the fields apart: `600`, `600, 600;w=60` (00–03), `600;w=60, 100;w=1`
 * (04–06), also the later `"name";q=600;w=60`; null where it is none of them.
 */
export function quotaItems(raw: string): readonly QuotaItem[] | null {
  const known = parsed.get(raw);
  if (known !== undefined) return known;
  const items = parse(raw);
  if (parsed.size >= mostParsed) parsed.clear();
  parsed.set(raw, items);
  return items;
}

/** A service says the same few things again and again. */
const parsed = new Map<string, readonly QuotaItem[] | null>();
const mostParsed = 1_000;

function parse(raw: string): readonly QuotaItem[] | null {
  const items = splitOutsideQuotes(raw, ',').map(quotaItem);
  const usable = items.filter((item) => item !== null);
  return usable.length === items.length && usable.length > 0 ? usable : null;
}

function quotaItem(text: string): QuotaItem | null {
  const [head = '', ...parameters] = splitOutsideQuotes(text, ';');
  if (!parameters.every((each) => parameter.test(each))) return null;
  const values = new Map(parameters.map((each) => [each.split('=')[0] ?? '', Number(each.split('=')[1])]));
  const named = name.test(head);
  const count = named ? values.get('q') : wholeNumber(head);
  if (count === undefined || count === null || !Number.isInteger(count) || count < 0) return null;
  const extra = [...values].filter(([key, value]) => key !== 'w' && Number.isFinite(value)).map(([, value]) => value);
  return { count, largest: Math.max(count, ...extra) };
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts = text.match(new RegExp(`(?:${quoted}|[^"${separator}])+`, 'g')) ?? [];
  const empty =
    text.trim() === '' ||
    new RegExp(`(^|${separator})\\s*(${separator}|$)`).test(text.replace(new RegExp(quoted, 'g'), 'q'));
  return empty ? [''] : parts.map((part) => part.trim());
}

/** Accepts a counting unit only where chance would produce these counts less than once in this many traces. */
const byChance = 1e6;

/** The largest number that divides all counts: a service may round to tens, or charge two for each request. */
export function countingUnit(said: Iterable<number>): number {
  const counts = new Set(said);
  let unit = 0;
  for (let count of counts) while (count > 0) [unit, count] = [count, unit % count];
  return unit > 1 && unit ** counts.size >= byChance ? unit : 1;
}
