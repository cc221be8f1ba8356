import type { AnswerCheck } from './header-finding.js';
import { httpDate } from './http-date.js';
import type { TraceRecord } from '../trace.js';

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
