import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the code of a breach is stated: as a member, to a matcher or a judge, or as a rule of the lint. */
const statement =
  /\bcode: '([a-z0-9-]+)'|\b(?:matcher|say)\(\s*'([a-z0-9-]+)'|^ +'?([a-z0-9-]+)'?: \['[A-Z]+-\d\d', '(?:fail|warn)'/gm;

/** No input of the reference service has any type, or branches: `src/openapi/diff/compatible.test.ts` takes them away. */
const byUnitTests = ['any-type-gone', 'branch-gone'];

/** Where checks state them, but for the limits, of which `virtual-limits.service.test.ts` judges every fault. */
const rooms = [
  'specs',
  ...['api', 'expect', 'idempotency', 'judge', 'openapi', 'webhooks/judge'].map((room) => `src/${room}`),
];

/** The codes of breaches that the compiled checks state, found in their text: a list for readers, by which nothing is judged. */
export function statedCodes(dist: string): string[] {
  const files = rooms.flatMap((folder) =>
    readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const sources = files.filter((name) => name.endsWith('.js') && !name.includes('test'));
  const found = sources.flatMap((name) => [...readFileSync(join(dist, name), 'utf8').matchAll(statement)]);
  const codes = new Set(found.map(([, member, call, rule]) => member ?? call ?? rule ?? ''));
  return [...codes].filter((code) => !byUnitTests.includes(code)).toSorted();
}
