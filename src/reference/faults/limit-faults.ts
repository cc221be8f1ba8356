import { fault } from './fault.js';

const numbers = { 'LIMIT-08': 'the number is not the plan’s' };
const open = {
  'LIMIT-08': 'the number is not the plan’s',
  'LIMIT-04': 'nothing is refused',
  'LIMIT-07': 'the advertised numbers are not kept',
};
const early = { 'LIMIT-08': 'the number is not the plan’s', 'LIMIT-07': 'the advertised numbers are not kept' };
const refusal = { 'ENV-03': 'a refusal is an envelope', 'ENV-01': 'there is no ok' };

/** Faults of the rate limits. */
export const limitFaults = [
  fault('burst-minus-one', 'LIMIT-01', 'the burst limit of the plans is one lower', { also: early }),
  fault('burst-minus-tenth', 'LIMIT-01', 'the burst limit of the plans is 10 % lower', { also: early }),
  fault('burst-minus-fifth', 'LIMIT-01', 'the burst limit of the plans is 20 % lower', { also: early }),
  fault('sustained-minus-one', 'LIMIT-01', 'the sustained limit of the plans is one lower', { also: early }),
  fault('sustained-minus-tenth', 'LIMIT-01', 'the sustained limit of the plans is 10 % lower', { also: early }),
  fault('sustained-minus-fifth', 'LIMIT-01', 'the sustained limit of the plans is 20 % lower', { also: early }),
  fault('window-half-longer', 'LIMIT-01', 'the windows are half as long again', { also: early }),
  fault('ban-after-refusal', 'LIMIT-01', 'a refusal blocks its key for three windows', {
    also: { ...early, 'LIMIT-05': 'it lasts longer than Retry-After says' },
  }),
  fault('one-in-fifty-refused', 'LIMIT-01', 'one request in fifty is refused without reason', {
    also: { 'LIMIT-07': 'requests are refused while some remain', 'LIMIT-08': 'the plan’s number is not given' },
  }),
  fault('burst-missing', 'LIMIT-02', 'the burst limit of the plans is not enforced', { also: open }),
  fault('burst-plus-one', 'LIMIT-02', 'the burst limit of the plans is one higher', { also: early }),
  fault('burst-plus-tenth', 'LIMIT-02', 'the burst limit of the plans is 10 % higher', { also: early }),
  fault('burst-plus-fifth', 'LIMIT-02', 'the burst limit of the plans is 20 % higher', { also: early }),
  fault('limits-missing', 'LIMIT-02', 'nothing is ever refused', {
    also: { ...open, 'LIMIT-03': 'the sustained limit is not enforced either' },
  }),
  fault('tenant-counted-by-key', 'LIMIT-02', 'each key of a tenant has the limits that are sold for all of them', {
    also: { ...numbers, 'LIMIT-03': 'so has it the sustained limit' },
    needs: { 'limit-subject': 'tenant' },
    pins: { LIMIT_SCOPE: 'tenant' },
  }),
  fault('burst-by-path', 'LIMIT-02', 'the limits of the plans are counted anew for every path and query', {
    also: { ...open, 'LIMIT-03': 'the sustained limit is counted anew, too' },
  }),
  fault('limits-by-operation', 'LIMIT-02', 'each list of the plans has the limits of the plan for itself', {
    also: { ...open, 'LIMIT-03': 'the sustained limit is counted for each list, too' },
  }),
  fault('writes-uncounted', 'LIMIT-02', 'creates of the plans are not counted, and never refused'),
  fault('sustained-missing', 'LIMIT-03', 'the sustained limit of the plans is not enforced', { also: early }),
  fault('sustained-plus-one', 'LIMIT-03', 'the sustained limit of the plans is one higher', { also: early }),
  fault('sustained-plus-tenth', 'LIMIT-03', 'the sustained limit of the plans is 10 % higher', { also: early }),
  fault('sustained-plus-fifth', 'LIMIT-03', 'the sustained limit of the plans is 20 % higher', { also: early }),
  fault('refusal-503', 'LIMIT-04', 'what exceeds a limit answers 503', {
    also: { 'ENV-06': 'a 5xx is a breach wherever it is seen', 'ENV-05': '503 is not declared' },
  }),
  fault('refusal-403', 'LIMIT-04', 'what exceeds a limit answers 403', { also: { 'LIMIT-10': 'there is no 429' } }),
  fault('refusal-sometimes-403', 'LIMIT-04', 'one refusal in nine is a 403, envelope and all'),
  fault('refusal-redirect', 'LIMIT-04', 'what exceeds a limit answers 302', {
    also: { 'LIMIT-10': 'there is no 429', 'ENV-05': '302 is not declared' },
  }),
  fault('refusal-bare', 'LIMIT-04', 'a 429 comes without the envelope', {
    also: { ...refusal, 'ENV-04': 'the declared body is an envelope' },
  }),
  fault('refusal-text', 'LIMIT-04', 'a 429 is plain text', {
    also: { ...refusal, 'ENV-04': 'the declared content type is JSON' },
  }),
  fault(
    'refusal-sometimes-overload-page',
    'LIMIT-04',
    'one refusal in nine is the page of an overloaded proxy, status 503',
    {
      also: { ...refusal, 'ENV-06': 'a 5xx is a breach wherever it is seen', 'ENV-05': '503 is not declared' },
    },
  ),
  fault('refusal-cacheable', 'LIMIT-05', 'a 429 may be cached for a minute'),
  fault('refusal-cacheable-at-the-edge', 'LIMIT-05', 'a 429 invites the caches of a CDN to keep it'),
  fault('refusal-expires-later', 'LIMIT-05', 'a 429 expires a minute later'),
  fault('retry-after-words', 'LIMIT-05', 'Retry-After says "soon"', {
    also: { 'LIMIT-10': 'Retry-After is no number to compare' },
  }),
  fault('retry-after-milliseconds', 'LIMIT-05', 'Retry-After is in milliseconds', {
    also: { 'LIMIT-10': 'it disagrees with the reset' },
  }),
  fault('retry-after-past-date', 'LIMIT-05', 'Retry-After is a date that has passed', {
    also: { 'LIMIT-10': 'it disagrees with the reset' },
  }),
  fault('retry-after-zero', 'LIMIT-05', 'Retry-After is always 0', {
    also: { 'LIMIT-10': 'it disagrees with the reset' },
  }),
  fault('headers-missing', 'LIMIT-06', 'there are no RateLimit headers', {
    also: {
      'LIMIT-07': 'nothing is advertised',
      'LIMIT-10': 'nothing is advertised',
      'ENV-08': 'the headers are declared',
    },
  }),
  fault('headers-missing-on-refusal', 'LIMIT-06', 'a 429 has no RateLimit headers', {
    also: {
      'ENV-08': 'the headers are declared',
      'LIMIT-10': 'nothing is advertised',
      'LIMIT-07': 'nothing is advertised',
    },
  }),
  fault('headers-missing-on-success', 'LIMIT-06', 'accepted requests have no RateLimit headers', {
    also: { 'ENV-08': 'the headers are declared', 'LIMIT-07': 'nothing is advertised' },
  }),
  fault(
    'headers-missing-on-failure',
    'LIMIT-06',
    'a 404 or another failure of a limited key has no RateLimit headers',
    {
      also: { 'ENV-08': 'the headers are declared' },
    },
  ),
  fault('headers-under-older-names', 'LIMIT-06', 'the headers are called X-RateLimit-…', {
    also: {
      'ENV-08': 'the headers are declared',
      'LIMIT-07': 'nothing is advertised',
      'LIMIT-10': 'nothing is advertised',
    },
  }),
  fault('reset-missing', 'LIMIT-06', 'RateLimit-Reset is missing', {
    also: {
      'ENV-08': 'the headers are declared',
      'LIMIT-07': 'no reset is advertised',
      'LIMIT-10': 'no reset is advertised',
    },
  }),
  fault('reset-time-stamp', 'LIMIT-06', 'RateLimit-Reset is a time stamp', {
    also: { 'LIMIT-07': 'the reset lies decades ahead', 'LIMIT-10': 'Retry-After disagrees with it' },
  }),
  fault('reset-fraction', 'LIMIT-06', 'RateLimit-Reset has decimal places', {
    also: { 'ENV-08': 'the header is declared as an integer', 'LIMIT-10': 'Retry-After disagrees with it' },
  }),
  fault('limit-in-words', 'LIMIT-06', 'RateLimit-Limit says 600/min', {
    also: {
      'ENV-08': 'the header is declared otherwise',
      'LIMIT-07': 'the limit cannot be read',
      'LIMIT-08': 'the limit cannot be read',
    },
  }),
  fault('remaining-negative', 'LIMIT-07', 'RateLimit-Remaining of a refusal is negative', {
    also: {
      'LIMIT-06': 'a negative number is not well-formed either',
      'ENV-08': 'the header is declared as not negative',
    },
  }),
  fault('remaining-frozen', 'LIMIT-07', 'RateLimit-Remaining never falls', {
    also: { 'LIMIT-10': 'a refusal with requests remaining' },
  }),
  fault('remaining-counts-up', 'LIMIT-07', 'RateLimit-Remaining tells what is spent'),
  fault('remaining-above-limit', 'LIMIT-07', 'RateLimit-Remaining begins above the limit'),
  fault('remaining-on-refusal', 'LIMIT-07', 'a refusal says that half the limit remains', {
    also: { 'LIMIT-10': 'a refusal with requests remaining' },
  }),
  fault('reset-constant', 'LIMIT-07', 'RateLimit-Reset is always 1', {
    also: { 'LIMIT-10': 'Retry-After disagrees with it' },
  }),
  fault('reset-whole-window', 'LIMIT-07', 'RateLimit-Reset is always the length of the whole window', {
    also: { 'LIMIT-10': 'Retry-After disagrees with it' },
  }),
  fault('limit-of-no-plan', 'LIMIT-07', 'RateLimit-Limit is a number that no plan has', { also: numbers }),
  fault('independent-gets-franchise', 'LIMIT-08', 'an Independent key has the Franchise numbers', {
    also: {
      'LIMIT-02': 'the burst limit is exceeded',
      'LIMIT-03': 'the sustained limit is exceeded',
      'LIMIT-07': 'the limit advertised is another plan’s',
    },
  }),
  fault('franchise-gets-independent', 'LIMIT-08', 'a Franchise key has the Independent numbers', {
    also: { 'LIMIT-01': 'requests within the plan are refused', 'LIMIT-07': 'the limit advertised is another plan’s' },
  }),
  fault('plans-counted-together', 'LIMIT-08', 'the keys of all plans are counted together', {
    also: {
      'LIMIT-01': 'requests within the plan are refused',
      'LIMIT-07': 'the numbers of one key move with another',
    },
  }),
  fault('keys-counted-together', 'LIMIT-08', 'the keys of a tenant share limits that are sold for each key', {
    also: { 'LIMIT-01': 'requests within a key’s own limits are refused' },
    pins: { LIMIT_SCOPE: 'key' },
  }),
  fault('demo-unlimited', 'LIMIT-08', 'the demo list has no limit', {
    also: {
      'LIMIT-02': 'the limit of the demo is not enforced',
      'LIMIT-07': 'the advertised numbers are not kept',
      'LIMIT-04': 'nothing is refused',
    },
  }),
  fault('demo-plus-tenth', 'LIMIT-08', 'the demo list has a limit 10 % higher', {
    also: { 'LIMIT-02': 'the limit of the demo is exceeded', 'LIMIT-07': 'the limit advertised is another' },
  }),
  fault('sandbox-unlimited', 'LIMIT-08', 'the sandbox has no limit', {
    also: {
      'LIMIT-02': 'the limit of the sandbox is not enforced',
      'LIMIT-07': 'the advertised numbers are not kept',
      'LIMIT-04': 'nothing is refused',
    },
  }),
  fault('sandbox-half', 'LIMIT-08', 'the sandbox has half its limit', {
    also: { 'LIMIT-01': 'requests within the limit are refused', 'LIMIT-07': 'the limit advertised is another' },
  }),
  fault('limit-told-twice-as-high', 'LIMIT-08', 'RateLimit-Limit is twice the number that is sold and kept', {
    also: { 'LIMIT-07': 'the limit advertised is another' },
  }),
  fault('retry-after-missing', 'LIMIT-10', 'a 429 has no Retry-After (warned of)'),
  fault('retry-after-disagrees', 'LIMIT-10', 'Retry-After is longer than the reset by ten seconds (warned of)'),
] as const;

/** Faults of the version in the path. */
export const versionFaults = [
  fault('second-form-absent', 'VER-01', 'the second address form answers 404', {
    also: {
      'AUTH-01': 'its operations are refused for another reason',
      'ENV-08': 'what answers there knows no limits',
      'ENV-05': 'nor the declared statuses',
    },
  }),
  fault('second-form-bare', 'VER-01', 'the second address form answers without the envelope', {
    also: {
      'ENV-01': 'an answer without ok is one under any address',
      'ENV-02': 'so is a success without the envelope',
      'ENV-03': 'and a failure',
      'ENV-04': 'the declared body is another',
    },
  }),
  fault('second-form-refusal-bare', 'VER-01', 'the second address form refuses without the envelope', {
    also: {
      'ENV-01': 'there is no ok',
      'ENV-03': 'a refusal is an envelope',
      'ENV-04': 'the declared body is another',
    },
  }),
  fault('second-form-other-data', 'VER-01', 'the second address form shows other units', {
    also: { 'AUTH-04': 'they are another tenant’s' },
  }),
  fault('second-form-list-stale', 'VER-01', 'the second address form lists the units that were there at the start'),
  fault('second-form-list-keeps-old', 'VER-01', 'the second address form lists every unit as it was before any change'),
  fault('second-form-list-empty', 'VER-01', 'the second address form lists no units'),
  fault('second-form-filter-ignored', 'VER-01', 'the second address form lists units of every status'),
  fault('second-form-deals-empty', 'VER-01', 'the second address form lists no deals'),
  fault('second-form-leads-apart', 'VER-01', 'no single lead can be read under the second address form'),
  fault('second-form-without-lead-list', 'VER-01', 'leads cannot be listed under the second address form', {
    needs: { 'document-statuses': 'default' },
  }),
  fault('second-form-refuses-leads', 'VER-01', 'the second address form takes no leads'),
  fault('second-form-without-deals', 'VER-01', 'the second address form has no deals'),
  fault('second-form-list-differs', 'VER-01', 'a listed unit shows another mileage under the second address form'),
  fault('second-form-unit-differs', 'VER-01', 'a unit shows another price under the second address form'),
] as const;
