import { matcher, type Matcher } from '../run/index.js';
import { quote } from '../service/index.js';

/** Every record of a page; reports the first that is not as expected, and how many others are not. */
export function everyItem(item: Matcher<unknown>): Matcher<readonly unknown[]> {
  return (records) => {
    const wrong = records.flatMap((record, at) => (item(record).pass ? [] : [{ at, match: item(record) }]));
    const [first] = wrong;
    if (first === undefined)
      return { pass: true, code: item(undefined).code, expected: item(undefined).expected, actual: 'so they are' };
    const more = wrong.length > 1 ? ` (and ${wrong.length - 1} more on this page)` : '';
    return { ...first.match, actual: `item ${first.at}: ${first.match.actual}${more}` };
  };
}

/** At most `limit` units. */
export function holdsAtMost(limit: number): Matcher<readonly unknown[]> {
  return matcher(
    'too-many',
    limit === 1 ? 'at most 1 unit' : `at most ${limit} units`,
    (records) => records.length <= limit,
    (records) => `${records.length} units`,
  );
}

/** No id twice. */
export const hasUniqueIds: Matcher<readonly (string | null)[]> = (ids) => {
  const twice = ids.find((id, at) => id !== null && ids.indexOf(id) !== at);
  return {
    pass: twice === undefined,
    code: 'id-twice',
    expected: 'ids that are unique',
    actual: `the id ${quote(twice)} occurs twice`,
  };
};

/** Nothing: `expected` says of what there must be none. */
export function isEmpty(
  code: string,
  expected: string,
  actual: (found: readonly string[]) => string,
): Matcher<readonly string[]> {
  return matcher(code, expected, (found) => found.length === 0, actual);
}
