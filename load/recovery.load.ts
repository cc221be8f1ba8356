import { blockWhereWeak, reportHeaders } from '../src/traffic/report-limits.js';
import { requirement, test } from '../src/suite.js';

test(
  'a 429 invites no cache, and its Retry-After is valid and honest',
  requirement('LIMIT-05', 'MUST', 'RFC 6585 §4, RFC 9110 §10.2.3', { slow: true }),
  async ({ check }) => {
    const found = await reportHeaders(check, 'LIMIT-05');
    blockWhereWeak(check, found);
    if (found.verdicts.every((verdict) => verdict.refusals.length === 0) && check.breaches.length === 0)
      return check.blocked('nothing was refused (see LIMIT-02)');
  },
);

test(
  'limit, remaining and reset tell the truth',
  requirement('LIMIT-07', 'MUST', '§8, draft-ietf-httpapi-ratelimit-headers-06 §3.1, §3.3, §3.4, §4', { slow: true }),
  async ({ check }) => {
    const found = await reportHeaders(check, 'LIMIT-07');
    const judged = found.verdicts.filter((verdict) =>
      verdict.trace.conducted.records.some((record) => record.limit !== undefined && record.reset !== undefined),
    );
    blockWhereWeak(check, found);
    if (judged.length === 0 && check.breaches.length === 0)
      return check.blocked('no answer carried the headers (see LIMIT-06)');
  },
);
