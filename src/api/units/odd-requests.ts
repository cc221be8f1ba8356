import {
  allOf,
  hasStatus,
  isBelow500,
  isEnvelope,
  isFailure,
  isNoSuccess,
  isRefused,
  isSuccessOrRefusal,
} from '../../expect/index.js';
import { type Exchange, percentEncode } from '../../http/index.js';
import { type Check, type Matcher, randomFrom, type RequestOptions, seedFor } from '../../run/index.js';
import { paths } from '../../service/index.js';
import { someUnitIds } from './known-units.js';
import { unknownStatus } from './status-filter.js';

/** A request, what its answer must be, and what it should be then. */
interface AnswerRow extends RequestOptions {
  readonly holds?: Matcher<Exchange>;
  readonly better?: Matcher<Exchange> | false;
}

/** Sends the request of each row, and holds its answer against what it must be and should be. */
const expectAnswers = (check: Check, rows: readonly AnswerRow[]): Promise<void> =>
  check.each(rows, async ({ holds, better, ...request }) => {
    const exchange = await check.send(request);
    if (holds && check.expect(exchange, holds) && better) check.recommend(exchange, better);
  });

const unknownUnit = (id: string): AnswerRow => ({
  path: paths.unit(id),
  holds: isFailure,
  better: hasStatus(404, 'for an id that no unit has'),
});

const browserTypes = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** An id that no unit has is answered with a failure. */
export const anUnknownUnit = (check: Check): Promise<void> =>
  expectAnswers(check, [unknownUnit(check.fresh('unknown unit'))]);

/** So are ids that are like one that a unit has, or unlike any. */
export async function unknownUnits(check: Check): Promise<void> {
  const [known] = await someUnitIds(check, 1);
  const made = check.fresh('unknown unit');
  const like =
    known === undefined ? [] : [`${known}-${made.slice(0, 8)}`, /^\d+$/.test(known) ? '99999999999' : `${known}x`];
  const random = randomFrom(seedFor(check.run.seed, 'ids for the server'));
  const at = 1 + Math.floor(random() * (made.length - 1));
  const room = 7_000 - check.target.baseUrl.length - (check.target.keys.API_KEY ?? '').length;
  // As long as servers take an address.
  const length = Math.min(3_000 + Math.floor(random() * 3_001), room);
  const long = length < 3_000 ? [] : [made.repeat(200).slice(0, length)];
  const path = paths.unit(check.fresh('unit for a browser'));
  const browser = { path, headers: [['accept', browserTypes]] as const, holds: isFailure };
  return expectAnswers(check, [
    ...[made, ...like, `${made}'"`, `${made}%`, `${made}\u{1f697}`, made.repeat(9)].map(unknownUnit),
    // An HTTP server may refuse these before the application sees them, or cut an id at NUL, which leaves the list; ENV judges how.
    ...[`${made.slice(0, at)}\0${made.slice(at)}`, ...long].map((id) => ({ path: paths.unit(id), holds: isNoSuccess })),
    { path: paths.unit('\0') },
    // A browser prefers pages and takes anything; to it, too, any failure is an envelope.
    browser,
    { ...browser, as: null },
  ]);
}

/** Sends query strings that no list can make sense of, or that are easily misread; a limit that is no number of records should be refused. */
export async function unusableQueries(check: Check): Promise<void> {
  const { contract } = await check.contract();
  const cursor = contract.cursorParameter('GET', paths.units) ?? check.target.cursorParam;
  const values = (name: string, ...texts: readonly string[]): string[] =>
    texts.map((text) => `${name}=${percentEncode(text)}`);
  const noLimits = values('limit', '0', '-1', 'many', '1.5');
  const queries = [
    ...noLimits,
    ...values('limit', '1000000000', '', '9'.repeat(20)),
    ...values('status', unknownStatus(check), '', "'; drop table units; --", '\0'),
    ...['limit=10&limit=20', 'status=available&status=sold', 'status%5B%24ne%5D=available', 'status=%zz', 'limit=%'],
    ...(cursor === null ? [] : values(percentEncode(cursor), 'garbage', '', 'eyJpZCI6bnVsbH0=', '\u{1f697}', '-1')),
  ];
  const rowOf = (query: string): AnswerRow => ({
    path: `${paths.units}?${query}`,
    holds: allOf(isBelow500, isEnvelope, isSuccessOrRefusal),
    better: noLimits.includes(query) && isRefused(`for ${query}`),
  });
  await expectAnswers(check, queries.map(rowOf));
}
