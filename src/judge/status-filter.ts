import { knownUnits, onlyAvailable, statusOf, unknownStatus, wholeUnits } from '../api/index.js';
import { isListPage, isOfStatus } from '../expect/index.js';
import { boundedParameters } from '../openapi/index.js';
import type { Check } from '../run/index.js';
import { asObject, idOf, listing, paths, quote, readPage, type Walk } from '../service/index.js';
import { firstPages } from './limits.js';

/** The list filtered by status=available, read whole and under other limits; null where nothing can be told of the filter. */
export async function read({ check }: { readonly check: Check }): Promise<Walk | null> {
  const { items } = await knownUnits(check);
  const found = await listing(check, { ...wholeUnits, query: onlyAvailable });
  if (await usesAnotherWord(check, found)) return null;
  const [first] = found.pages;
  if (first !== undefined && !check.expect(first.exchange, isListPage)) return null;
  // Under small limits as far as a list without the filter would show another status.
  const other = items.findIndex((unit) => !['available', null].includes(statusOf(unit)));
  for (const limit of [1, 3, 10]) {
    const { maxPages, ...pages } = firstPages(limit, onlyAvailable);
    await listing(check, { ...pages, maxPages: Math.max(maxPages, Math.min(28, Math.ceil((other + 1) / limit))) });
  }
  for (const limit of [20, 100]) await readPage(check, { query: onlyAvailable, limit });
  return found;
}

/** Whether records use another word than `available` ("In Stock"): then nothing says which word the filter selects, and one that selects none is a warning. */
async function usesAnotherWord(check: Check, filtered: Walk): Promise<boolean> {
  const { items } = await knownUnits(check);
  const shown = [...items, ...filtered.items].map(asObject).filter((unit) => unit !== null);
  if (filtered.items.length === 0 || shown.some((unit) => unit['status'] === 'available')) return false;
  const { contract } = await check.contract();
  const isDeclared = (status: string): boolean => contract.validateUnit({ ...shown[0], status }).length === 0;
  if (isDeclared('available') && !isDeclared(check.fresh('no status'))) return false;
  const wordsOf = (records: readonly unknown[]): Set<string> =>
    new Set(records.map((item) => quote(asObject(item)?.['status'])));
  const selected = new Set(filtered.items.map(idOf));
  const rest = items.filter((item) => !selected.has(idOf(item)));
  const words = wordsOf(filtered.items);
  check.observe('Which status do units show that status=available selects?', [...words].join(', '));
  if (rest.length === 0 && words.size === 1)
    check.blocked('status=available leaves no unit out, so that it cannot be seen at work: seed one of another status');
  if (rest.length === 0 || [...wordsOf(rest)].some((word) => words.has(word)))
    check.warn({
      code: 'not-filtered',
      expected: 'status=available to select units by their status',
      actual: `it lists units with status ${[...words].join(', ')}, ${rest.length === 0 ? 'which are all there are' : 'and leaves out others with one of these'}`,
      exchanges: filtered.pages.map((page) => page.exchange),
    });
  return true;
}

/** The filter by status holds beside whatever else the document lets one ask for; only the status of what is listed is judged. */
export async function combine(check: Check): Promise<void> {
  const { contract } = await check.contract();
  const operation = contract.operation('GET', paths.units);
  if (operation === null) return;
  const paging = ['limit', 'status', contract.cursorParameter('GET', paths.units)];
  // Values of units that are not available find those where the filter by status is lost.
  const { items } = await knownUnits(check);
  const others = items.filter((record) => statusOf(record) !== 'available');
  const parameters = boundedParameters(contract.document, operation, others);
  for (const { name, value } of parameters.filter((one) => !paging.includes(one.name)).slice(0, 3)) {
    const query = [
      ['status', 'available'],
      [name, value],
    ] as const;
    const page = await readPage(check, { query, limit: 50 });
    const wrong = page.items?.find((item) => ![null, 'available'].includes(statusOf(item)));
    if (wrong !== undefined) check.expect(page, isOfStatus('available'), wrong);
  }
}

/** Blocks where the filter could show or exclude nothing: every unit is available, and an unknown status filters nothing either. */
export async function seeAtWork(check: Check, { items }: Walk): Promise<void> {
  if (items.length === 0) return check.blocked('the tenant has no available unit: seed at least one');
  if ((await knownUnits(check)).items.some((item) => asObject(item)?.['status'] !== 'available')) return;
  const query = [['status', unknownStatus(check)]] as const;
  if (((await readPage(check, { query, limit: 50 })).items ?? []).length === 0) return;
  check.blocked('every unit is available, so that the filter cannot be seen at work: seed one of another status');
}
