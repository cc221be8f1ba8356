import type { TraceRecord } from '../trace.js';

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
  const item = listItem(text);
  if (item === null) return null;
  const numbers = [...item.parameters].map(([key, raw]) => [key, Number(raw)] as const);
  const count = item.isNamed ? new Map(numbers).get('q') : wholeNumber(item.head);
  if (count === undefined || count === null || !Number.isInteger(count) || count < 0) return null;
  const extra = numbers.filter(([key, number]) => key !== 'w' && Number.isFinite(number)).map(([, number]) => number);
  return { count, largest: Math.max(count, ...extra) };
}

/** One member of a list with its parameters as written; null where a parameter has another form. */
function listItem(text: string): { head: string; isNamed: boolean; parameters: Map<string, string> } | null {
  const [head = '', ...rest] = splitOutsideQuotes(text, ';');
  if (!rest.every((each) => parameter.test(each))) return null;
  const parameters = rest.map((each): [string, string] => {
    const at = each.indexOf('=');
    return at < 0 ? [each, ''] : [each.slice(0, at), each.slice(at + 1)];
  });
  return { head, isNamed: name.test(head), parameters: new Map(parameters) };
}

/** One member of the single field `RateLimit`: what remains under a policy, and the seconds until there is more, where said. */
export interface ServiceLimit {
  readonly remaining: number;
  readonly resetSeconds: number | null;
}

/** The single field that replaced the three after draft 07, and its policies. */
export const laterDraft = 'draft-ietf-httpapi-ratelimit-headers-10';

/** `RateLimit: "burst";r=50;t=30` (draft 10, section 4); null where it is anything else. */
export function serviceLimits(raw: string): readonly ServiceLimit[] | null {
  const items = splitOutsideQuotes(raw, ',').map(listItem);
  const limits = items.map((item): ServiceLimit | null => {
    const [remaining, reset] = ['r', 't'].map((key) => item?.parameters.get(key));
    const count = wholeNumber(remaining ?? '');
    const seconds = wholeNumber(reset ?? '');
    const isWhole = item?.isNamed === true && count !== null && (reset === undefined || seconds !== null);
    return isWhole ? { remaining: count, resetSeconds: seconds } : null;
  });
  return limits.every((limit) => limit !== null) ? limits : null;
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts = text.match(new RegExp(`(?:${quoted}|[^"${separator}])+`, 'g')) ?? [];
  const empty =
    text.trim() === '' ||
    new RegExp(`(^|${separator})\\s*(${separator}|$)`).test(text.replace(new RegExp(quoted, 'g'), 'q'));
  return empty ? [''] : parts.map((part) => part.trim());
}

/** What an answer says is left, where the field is present and well-formed. */
export const leftOf = ({ remaining }: TraceRecord): number | null => wholeNumber(remaining ?? '');

/** The quota that an answer says it counts: the largest of the numbers it names, so that nothing is held against a smaller window. */
export function quotaOf(record: TraceRecord): number | null {
  const items = [record.limit, record.policy].flatMap((raw) => (raw === undefined ? [] : (quotaItems(raw) ?? [])));
  return items.length === 0 ? null : Math.max(...items.map(({ largest }) => largest));
}

/** Seconds since 1970 have passed this since 2001; no window is that long. */
const timeStamp = 1e9;

/** The seconds until reset, where the field is present and well-formed. */
export function resetSeconds({ reset = '' }: Pick<TraceRecord, 'reset'>): number | null {
  const value = wholeNumber(reset);
  return value === null || value >= timeStamp ? null : value;
}

const days = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const longDays = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const time = '[0-2]\\d:[0-5]\\d:[0-6]\\d';

/** RFC 9110 §5.6.7: the fixed form, and the two obsolete ones that must still be read. */
const forms = [
  new RegExp(`^(?:${days}), \\d{2} (?:${months}) \\d{4} ${time} GMT$`),
  new RegExp(`^(?:${longDays}), \\d{2}-(?:${months})-\\d{2} ${time} GMT$`),
  new RegExp(`^(?:${days}) (?:${months}) [ \\d]\\d ${time} \\d{4}$`),
];

/** Milliseconds of an HTTP date, or null where the text is none. */
export function httpDate(raw: string): number | null {
  const text = raw.trim();
  const form = forms.findIndex((each) => each.test(text));
  if (form < 0) return null;
  const atMs = Date.parse(form === 2 ? `${text} GMT` : text);
  // `Date.parse` reads 31 February as a day of March.
  const day = Number(/\b\d{1,2}\b/.exec(text)?.[0]);
  return Number.isNaN(atMs) || new Date(atMs).getUTCDate() !== day ? null : atMs;
}

/** How long before an HTTP date an answer was made, in milliseconds; null where it does not say. */
function untilMs(raw: string, { date = '' }: TraceRecord): number | null {
  const [until, now] = [httpDate(raw), httpDate(date)];
  return until === null || now === null ? null : until - now;
}

/** The seconds that a refusal asks to wait; null where `Retry-After` is invalid, or a date without a `Date` to compare it with. */
export function retrySeconds(record: TraceRecord): number | null {
  const { retryAfter = '' } = record;
  const ms = untilMs(retryAfter, record);
  return wholeNumber(retryAfter) ?? (ms === null ? null : Math.max(0, ms / 1000));
}

/** Whether a `Retry-After` has one of its two forms (RFC 9110 §10.2.3). */
export const isRetryAfter = (raw: string): boolean => wholeNumber(raw) !== null || httpDate(raw) !== null;

/** Whether a list of directives makes an answer fresh; null where they do not say. */
function freshness(raw: string): boolean | null {
  const directives = directivesOf(raw);
  // With names of fields, `no-cache` and `private` speak of those fields alone (RFC 9111, section 5.2.2).
  if (directives.has('no-store') || directives.get('no-cache') === '') return false;
  const shared = directives.get('private') === '' ? undefined : directives.get('s-maxage');
  const ages = [directives.get('max-age'), shared].filter((age) => age !== undefined);
  return ages.length === 0 ? null : ages.some((age) => /^"?\d+"?$/.test(age) && Number(age.replaceAll('"', '')) > 0);
}

/** A targeted cache field overrides Cache-Control in shared caches that support it (RFC 9213). */
export function isFresh(record: TraceRecord): boolean {
  const { cacheControl = '', cdnCacheControl = '', expires = '' } = record;
  return freshness(cdnCacheControl) === true || (freshness(cacheControl) ?? (untilMs(expires, record) ?? 0) > 0);
}

function directivesOf(raw: string): Map<string, string> {
  const directives = (raw.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? []).map((part) => part.trim().split('='));
  return new Map(directives.map(([name = '', value = '']) => [name.trim().toLowerCase(), value.trim()]));
}

/** Accepts a counting unit only where chance would produce these counts less than once in this many traces. */
const byChance = 1e6;

/** The largest number that divides all counts: a service may round to tens, or charge two for each request. */
export function countingUnit(said: Iterable<number>): number {
  const counts = new Set<number>();
  let unit = 0;
  for (let count of said) {
    if (counts.has(count)) continue;
    counts.add(count);
    while (count > 0) [unit, count] = [count, unit % count];
    if (unit === 1) return 1;
  }
  return unit > 1 && unit ** counts.size >= byChance ? unit : 1;
}
