import type { AnswerCheck } from './header-finding.js';
import type { TraceRecord } from '../trace.js';
import { formatCount } from '../violation.js';
import { resetSeconds, retrySeconds } from './judge-form.js';
import { upperBound } from '../request-intervals.js';
import type { PlanNumbers } from '../model.js';

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

/** How long a `Retry-After` asks to wait, in seconds; null where it is invalid, or a date without a `Date` to compare it with. */
export function retryAfterSeconds(raw: string, date: string | undefined): number | null {
  if (/^\d{1,15}$/.test(raw.trim())) return Number(raw.trim());
  const until = httpDate(raw);
  const now = date === undefined ? null : httpDate(date);
  return until === null || now === null ? null : Math.max(0, (until - now) / 1000);
}

/** Whether a `Retry-After` has one of its two forms (RFC 9110 §10.2.3). */
function isRetryAfter(raw: string): boolean {
  return /^\d{1,15}$/.test(raw.trim()) || httpDate(raw) !== null;
}

/** RFC 6585 §4 forbids caches to store a 429; freshness given explicitly invites them to. */
export const cacheableRefusal: AnswerCheck = {
  id: 'LIMIT-05',
  severity: 'fail',
  code: 'cacheable',
  expected: 'a 429 carries no explicit freshness, so that no cache stores it',
  shows: (record) => record.status === 429 && isFresh(record),
  tell: ({ cacheControl, cdnCacheControl, expires }) => {
    if (cdnCacheControl !== undefined && freshness(cdnCacheControl) === true)
      return `CDN-Cache-Control: ${cdnCacheControl}`;
    return cacheControl === undefined ? `Expires: ${expires ?? ''}` : `Cache-Control: ${cacheControl}`;
  },
};

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
function isFresh(record: TraceRecord): boolean {
  if (record.cacheControl === undefined && record.cdnCacheControl === undefined && record.expires === undefined)
    return false;
  if (freshness(record.cdnCacheControl ?? '') === true) return true;
  const said = freshness(record.cacheControl ?? '');
  if (said !== null) return said;
  const until = record.expires === undefined ? null : httpDate(record.expires);
  const now = record.date === undefined ? null : httpDate(record.date);
  return until !== null && now !== null && until > now;
}

function directivesOf(raw: string): Map<string, string> {
  const directives = (raw.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? []).map((part) => part.trim().split('='));
  return new Map(directives.map(([name = '', value = '']) => [name.trim().toLowerCase(), value.trim()]));
}

const breach = { id: 'LIMIT-05', severity: 'fail' } as const;
const advice = { id: 'LIMIT-10', severity: 'warn' } as const;

/** Judges the `Retry-After` of each refusal. The answers are in the order of their requests. */
export function retryAfterChecks(
  inOrder: readonly TraceRecord[],
  { burst: { windowSeconds } }: PlanNumbers,
): AnswerCheck[] {
  const acceptedAfter = acceptances(inOrder);
  return [
    {
      ...breach,
      code: 'odd-retry-after',
      expected: 'Retry-After is a number of seconds or an HTTP date',
      shows: ({ retryAfter }) => retryAfter !== undefined && !isRetryAfter(retryAfter),
      tell: ({ retryAfter }) => `Retry-After: ${retryAfter ?? ''}`,
    },
    {
      ...breach,
      code: 'distant-retry-after',
      expected: `Retry-After is in seconds from now, and no window is longer than ${windowSeconds} s`,
      // Far beyond any window, and requests were accepted before that all the same.
      shows: (record) => (retrySeconds(record) ?? 0) > 10 * windowSeconds + 10 && acceptedAfter(record) !== null,
      tell: (record) =>
        `Retry-After: ${record.retryAfter ?? ''}, although a request was accepted ${formatCount(acceptedAfter(record) ?? 0)} s later`,
    },
    {
      ...advice,
      code: 'no-retry-after',
      expected: 'Retry-After on a 429',
      shows: ({ status, retryAfter }) => status === 429 && retryAfter === undefined,
      tell: () => 'status 429 without Retry-After',
    },
    {
      ...advice,
      code: 'two-instants',
      expected: 'RateLimit-Reset and Retry-After name the same instant',
      shows: (record) => {
        const reset = resetSeconds(record);
        const retry = retrySeconds(record);
        return reset !== null && retry !== null && Math.abs(reset - retry) > 1.5;
      },
      tell: ({ reset, retryAfter }) => `RateLimit-Reset: ${reset ?? ''}, Retry-After: ${retryAfter ?? ''}`,
    },
  ];
}

/** How many seconds after a refusal a request was accepted, or null where none was before the refusal's word was over. */
function acceptances(inOrder: readonly TraceRecord[]): (refusal: TraceRecord) => number | null {
  const accepted = inOrder.filter(({ outcome }) => outcome === 'accepted');
  const sentMs = Float64Array.from(accepted, (record) => record.sentMs);
  return (refusal) => {
    const next = accepted[upperBound(sentMs, refusal.receivedMs)];
    const overMs = refusal.receivedMs + 1000 * (retrySeconds(refusal) ?? 0);
    return next === undefined || next.receivedMs >= overMs ? null : (next.sentMs - refusal.receivedMs) / 1000;
  };
}
