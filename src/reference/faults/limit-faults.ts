import type { FaultHooks, LimitNumber, LimitNumbers, LimitedBy, Ruling } from '../instance.js';
import { laterFields } from '../limit-headers.js';
import { always, bare, refusal, status, success } from './change.js';
import { fault, type Fault } from './fault.js';

const isPlan = (by: LimitedBy): boolean => by === 'independent' || by === 'franchise' || by === 'enterprise';
const longest = (list: readonly LimitNumber[]): number => Math.max(...list.map(({ seconds }) => seconds));
type Test = (one: LimitNumber, list: readonly LimitNumber[]) => boolean;
const isLong: Test = ({ seconds }, list) => seconds === longest(list);
const isShort: Test = (one, list) => !isLong(one, list);

/** Changes the numbers of what is limited; an empty list of numbers is no limit. */
const limitsOf = (
  which: (by: LimitedBy) => boolean,
  change: (list: readonly LimitNumber[], all: LimitNumbers) => readonly LimitNumber[],
): FaultHooks => ({
  limitNumbers: (all) =>
    Object.fromEntries(
      Object.entries(all).map(([by, list]) => [by, which(by as LimitedBy) ? change(list, all) : list]),
    ) as LimitNumbers,
});
const scaled = (which: (by: LimitedBy) => boolean, scale: (count: number) => number, test: Test = always): FaultHooks =>
  limitsOf(which, (list) =>
    list.map((one) => (test(one, list) ? { ...one, count: Math.max(1, scale(one.count)) } : one)),
  );
/** Changes the counts of the plans a little: of the long window, or of the others. */
const resized = (requirement: string, window: 'burst' | 'sustained', sign: 1 | -1): Fault[] => {
  const by = (part: number) => (count: number) => (sign > 0 ? Math.ceil : Math.floor)(count * (1 + sign * part));
  const sizes = [
    ['one', 'one', (count: number) => count + sign],
    ['tenth', '10 %', by(0.1)],
    ['fifth', '20 %', by(0.2)],
  ] as const;
  return sizes.map(([size, words, scale]) =>
    fault(
      `${window}-${sign > 0 ? 'plus' : 'minus'}-${size}`,
      requirement,
      `the ${window} limit of the plans is ${words} ${sign > 0 ? 'higher' : 'lower'}`,
      scaled(isPlan, scale, window === 'burst' ? isLong : isShort),
    ),
  );
};
const only =
  (name: LimitedBy) =>
  (by: LimitedBy): boolean =>
    by === name;

/** Judges requests otherwise, which are counted as usual. */
const judges = (
  judge: (allowed: boolean, by: LimitedBy, nowMs: number, list: readonly LimitNumber[]) => boolean,
): FaultHooks => ({
  limiter: (limiter, by, list) => ({
    ...limiter,
    decide: (nowMs) => {
      const decision = limiter.decide(nowMs);
      return { ...decision, allowed: judge(decision.allowed, by, nowMs, list) };
    },
  }),
});
/** Lets everything pass that is limited so. */
const passes = (which: (by: LimitedBy) => boolean): FaultHooks => judges((allowed, by) => allowed || which(by));
/** Counts requests of the plans under another name. */
const counted = (name: (usual: string, request: string, source: string) => string): FaultHooks => ({
  limiterName: (usual, by, request, source) => (isPlan(by) ? name(usual, request, source) : usual),
});

/** Answers one refusal in nine otherwise. */
const oneInNine = (change: Partial<{ status: number; type: string; body: unknown }>) => (): FaultHooks => {
  let refused = 0;
  return refusal('rate_limited', (answer) => {
    refused += 1;
    if (refused % 9 === 0) Object.assign(answer, change);
  });
};

type Headers = Record<string, string>;
const headers = (change: (ruling: Ruling, seconds: number, headers: Headers) => Headers): FaultHooks => ({
  limitHeaders: (usual, ruling, seconds) => ({ ...usual, ...change(ruling, seconds, usual) }),
});
const remaining = (value: (ruling: Ruling) => number): FaultHooks =>
  headers((ruling) => ({ 'RateLimit-Remaining': String(value(ruling)) }));
const reset = (value: (ruling: Ruling, seconds: number) => string): FaultHooks =>
  headers((ruling, seconds) => ({ 'RateLimit-Reset': value(ruling, seconds) }));
/** Changes the number of RateLimit-Limit. */
const limit = (value: (limit: number) => number): FaultHooks =>
  headers((ruling, _, usual) => ({
    'RateLimit-Limit': String(usual['RateLimit-Limit']).replace(/^\d+/, String(value(ruling.limit))),
  }));
const onRefusal = (more: (seconds: number) => Headers): FaultHooks =>
  headers(({ allowed }, seconds) => (allowed ? {} : more(seconds)));
const retryAfter = (value: (seconds: number) => string): FaultHooks =>
  headers((_, seconds, usual) => (usual['Retry-After'] === undefined ? {} : { 'Retry-After': value(seconds) }));
const names = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const without = (left: readonly string[], when: (ruling: Ruling) => boolean = () => true): FaultHooks => ({
  limitHeaders: (usual, ruling) =>
    when(ruling) ? Object.fromEntries(Object.entries(usual).filter(([name]) => !left.includes(name))) : usual,
});
const olderNames = (usual: Headers): Headers =>
  Object.fromEntries(Object.entries(usual).map(([name, value]) => [name.replace(/^RateLimit/, 'X-RateLimit'), value]));
const inAMinute = (sign: 1 | -1 = 1): string => new Date(Date.now() + sign * 60_000).toUTCString();
const text = { type: 'text/plain; charset=utf-8', body: 'Too Many Requests' };
const page = { status: 503, type: 'text/html; charset=utf-8', body: '<h1>503 Service Unavailable</h1>' };

/** Faults of the rate limits. */
// prettier-ignore
export const limitFaults: readonly Fault[] = [
  ...resized('LIMIT-01', 'burst', -1),
  ...resized('LIMIT-01', 'sustained', -1),
  fault('window-half-longer', 'LIMIT-01', 'the windows are half as long again', limitsOf(isPlan, (list) => list.map(({ count, seconds }) => ({ count, seconds: seconds * 1.5 })))),
  fault('ban-after-refusal', 'LIMIT-01', 'a refusal blocks its key for three windows', () => {
    const untilMs = new Map<LimitedBy, number>();
    return judges((allowed, by, nowMs, list) => {
      const isBanned = (untilMs.get(by) ?? 0) > nowMs;
      if (isPlan(by) && !allowed && !isBanned) untilMs.set(by, nowMs + 3_000 * longest(list));
      return allowed && !isBanned;
    });
  }),
  fault('one-in-fifty-refused', 'LIMIT-01', 'one request in fifty is refused without reason', () => {
    let count = 0;
    return judges((allowed, by) => allowed && !(isPlan(by) && (count += 1) % 50 === 0));
  }),
  fault('burst-missing', 'LIMIT-02', 'the burst limit of the plans is not enforced', limitsOf(isPlan, (list) => list.filter((one) => isShort(one, list)))),
  fault('limits-missing', 'LIMIT-02', 'nothing is ever refused', passes(() => true)),
  fault('burst-by-path', 'LIMIT-02', 'the limits of the plans are counted anew for every path and query', counted((name, request) => `${name} ${request}`)),
  fault('limits-by-operation', 'LIMIT-02', 'each list of the plans has the limits of the plan for itself', counted((name, request) => `${name} ${request.split(/[ ?]/)[1] ?? ''}`)),
  fault('limits-by-source', 'LIMIT-02', 'each server counts alone, and a client always meets the same one, by its address: several machines together exceed the limits (load judge)',
    counted((name, _, source) => `${name} at ${source}`)),
  fault('writes-uncounted', 'LIMIT-02', 'creates of the plans are not counted, and never refused', { limiter: (limiter, by) => ({
    ...limiter,
    decide: (nowMs, request = '') => isPlan(by) && request.startsWith('POST ') ? { ...(limiter.windows[0]?.look(nowMs) ?? limiter.decide(nowMs)), allowed: true } : limiter.decide(nowMs),
  }) }),
  ...resized('LIMIT-02', 'burst', 1),
  fault('sustained-missing', 'LIMIT-03', 'the sustained limit of the plans is not enforced', limitsOf(isPlan, (list) => list.filter((one) => isLong(one, list)))),
  ...resized('LIMIT-03', 'sustained', 1),
  fault('refusal-503', 'LIMIT-04', 'what exceeds a limit answers 503', status('rate_limited', 503)),
  fault('refusal-403', 'LIMIT-04', 'what exceeds a limit answers 403', status('rate_limited', 403)),
  fault('refusal-sometimes-403', 'LIMIT-04', 'one refusal in nine is a 403, envelope and all', oneInNine({ status: 403 })),
  fault('refusal-redirect', 'LIMIT-04', 'what exceeds a limit answers 302', status('rate_limited', 302)),
  fault('refusal-bare', 'LIMIT-04', 'a 429 comes without the envelope', bare('rate_limited')),
  fault('refusal-text', 'LIMIT-04', 'a 429 is plain text', refusal('rate_limited', (answer) => Object.assign(answer, text))),
  fault('refusal-sometimes-overload-page', 'LIMIT-04', 'one refusal in nine is the page of an overloaded proxy, status 503', oneInNine(page)),
  fault('refusal-cacheable', 'LIMIT-05', 'a 429 may be cached for a minute', onRefusal(() => ({ 'Cache-Control': 'public, max-age=60' }))),
  fault('refusal-cacheable-at-the-edge', 'LIMIT-05', 'a 429 invites the caches of a CDN to keep it', onRefusal(() => ({ 'CDN-Cache-Control': 'max-age=60' }))),
  fault('refusal-expires-later', 'LIMIT-05', 'a 429 expires a minute later',
    { limitHeaders: ({ 'Cache-Control': control, ...usual }) => (control === undefined ? usual : { ...usual, Expires: inAMinute() }) }),
  fault('retry-after-words', 'LIMIT-05', 'Retry-After says "soon"', retryAfter(() => 'soon')),
  fault('retry-after-milliseconds', 'LIMIT-05', 'Retry-After is in milliseconds', retryAfter((seconds) => String(seconds * 1_000))),
  fault('retry-after-past-date', 'LIMIT-05', 'Retry-After is a date that has passed', retryAfter(() => inAMinute(-1))),
  fault('retry-after-unreachable-day', 'LIMIT-05', 'Retry-After is 31 February', retryAfter(() => 'Mon, 31 Feb 2028 08:49:37 GMT')),
  fault('retry-after-zero', 'LIMIT-05', 'Retry-After is always 0', retryAfter(() => '0')),
  fault('headers-missing-on-demo-refusal', 'LIMIT-06', 'a 429 of the demo or the sandbox has no RateLimit headers',
    without(names, ({ allowed, policies }) => !allowed && policies.length === 1)),
  fault('headers-missing', 'LIMIT-06', 'there are no RateLimit headers', without(names)),
  fault('headers-missing-on-refusal', 'LIMIT-06', 'a 429 has no RateLimit headers', without(names, ({ allowed }) => !allowed)),
  fault('headers-missing-on-success', 'LIMIT-06', 'accepted requests have no RateLimit headers', without(names, ({ allowed }) => allowed)),
  fault('headers-missing-on-failure', 'LIMIT-06', 'a 404 or another failure of a limited key has no RateLimit headers',
    { answer: (_, { response }, failure) => { if (failure !== null && failure.code !== 'rate_limited') for (const name of names) response.removeHeader(name); } }, { depth: 'gate' }),
  fault('headers-missing-on-create', 'LIMIT-06', 'a lead that is created has no RateLimit headers',
    success('createLead', (_, { response }) => names.forEach((name) => response.removeHeader(name))), { depth: 'gate' }),
  fault('headers-under-older-names', 'LIMIT-06', 'the headers are called X-RateLimit-…', { limitHeaders: olderNames }),
  fault('headers-of-a-later-draft', 'LIMIT-06', 'one field RateLimit stands in place of the three, as later drafts have it',
    { limitHeaders: (usual, ruling, seconds) => ({ ...Object.fromEntries(Object.entries(usual).filter(([name]) => !names.includes(name))), ...laterFields(ruling, ruling.remaining, seconds) }) }),
  fault('reset-missing', 'LIMIT-06', 'RateLimit-Reset is missing', without(['RateLimit-Reset'])),
  fault('reset-time-stamp', 'LIMIT-06', 'RateLimit-Reset is a time stamp', reset((_, seconds) => String(Math.floor(Date.now() / 1_000) + seconds))),
  fault('reset-fraction', 'LIMIT-06', 'RateLimit-Reset has decimal places', reset(({ resetSeconds }) => resetSeconds.toFixed(3))),
  fault('limit-in-words', 'LIMIT-06', 'RateLimit-Limit says 600/min',
    headers(({ limit, windowSeconds }) => ({ 'RateLimit-Limit': `${limit}/${windowSeconds === 1 ? 's' : 'min'}` }))),
  fault('remaining-above-limit-on-lists-of-deals', 'LIMIT-07', 'RateLimit-Remaining is above the limit where deals are listed',
    success('listDeals', (_, { response }) => response.setHeader('RateLimit-Remaining', '1000000')), { depth: 'gate' }),
  fault('remaining-negative', 'LIMIT-07', 'RateLimit-Remaining of a refusal is negative', onRefusal(() => ({ 'RateLimit-Remaining': '-1' }))),
  fault('remaining-on-refusal', 'LIMIT-07', 'a refusal says that half the limit remains',
    headers(({ allowed, limit }) => (allowed ? {} : { 'RateLimit-Remaining': String(Math.ceil(limit / 2)) }))),
  fault('reset-constant', 'LIMIT-07', 'RateLimit-Reset is always 1', reset(() => '1')),
  fault('reset-whole-window', 'LIMIT-07', 'RateLimit-Reset is always the length of the whole window', reset(({ windowSeconds }) => String(Math.ceil(windowSeconds)))),
  fault('reset-milliseconds', 'LIMIT-07', 'RateLimit-Reset is in milliseconds', reset((_, seconds) => String(seconds * 1_000)), { depth: 'gate' }),
  fault('demo-tells-of-a-plan', 'LIMIT-07', 'RateLimit-Limit of the demo is the number of a plan',
    success('demoUnits', (_, { response }) => response.setHeader('RateLimit-Limit', '600')), { depth: 'gate' }),
  fault('limit-of-no-plan', 'LIMIT-07', 'RateLimit-Limit is a number that no plan has', limit((number) => number * 3 + 7)),
  fault('remaining-frozen', 'LIMIT-07', 'RateLimit-Remaining never falls', remaining(({ limit }) => limit)),
  fault('remaining-frozen-below-limit', 'LIMIT-07', 'RateLimit-Remaining is always one below the limit', remaining(({ limit }) => limit - 1), { depth: 'gate' }),
  fault('remaining-counts-up', 'LIMIT-07', 'RateLimit-Remaining tells what is spent', remaining(({ allowed, limit, remaining }) => (allowed ? limit - remaining : remaining))),
  fault('remaining-above-limit', 'LIMIT-07', 'RateLimit-Remaining begins above the limit', remaining(({ remaining }) => Math.ceil(remaining * 1.25) + 1)),
  fault('independent-gets-franchise', 'LIMIT-08', 'an Independent key has the Franchise numbers', limitsOf(only('independent'), (_, { franchise }) => franchise)),
  fault('franchise-gets-independent', 'LIMIT-08', 'a Franchise key has the Independent numbers', limitsOf(only('franchise'), (_, { independent }) => independent)),
  fault('plans-counted-together', 'LIMIT-08', 'the keys of all plans are counted together', counted(() => 'plans')),
  fault('demo-unlimited', 'LIMIT-08', 'the demo list has no limit', passes(only('demo'))),
  fault('demo-plus-tenth', 'LIMIT-08', 'the demo list has a limit 10 % higher', scaled(only('demo'), (count) => Math.ceil(count * 1.1))),
  fault('sandbox-unlimited', 'LIMIT-08', 'the sandbox has no limit', passes(only('sandbox'))),
  fault('sandbox-half', 'LIMIT-08', 'the sandbox has half its limit', scaled(only('sandbox'), (count) => Math.ceil(count * 0.5))),
  fault('limit-told-twice-as-high', 'LIMIT-08', 'RateLimit-Limit is twice the number that is sold and kept', limit((number) => number * 2)),
  fault('later-field-disagrees', 'LIMIT-10', 'the field RateLimit of later drafts says more than RateLimit-Remaining (warned of)',
    headers((ruling, seconds) => laterFields(ruling, ruling.remaining + 7, seconds))),
  fault('retry-after-missing', 'LIMIT-10', 'a 429 has no Retry-After (warned of)', {}, { needs: { 'retry-after': 'absent' } }),
  fault('retry-after-rounded-down', 'LIMIT-10', 'Retry-After is rounded down, and ends before requests are accepted again (warned of)',
    retryAfter((seconds) => String(seconds - 1))),
  fault('retry-after-disagrees', 'LIMIT-10', 'Retry-After is longer than the reset by ten seconds (warned of)', retryAfter((seconds) => String(seconds + 10))),
];
