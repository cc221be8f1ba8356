import { type Exchange, succeeded } from '../../http/index.js';
import { type Check, describe, type RequestOptions } from '../../run/index.js';
import { type KeyName, otherForms } from '../../settings/index.js';
import {
  asObject,
  cursorParameter,
  idOf,
  isRefusal,
  isSuccess,
  itemsIn,
  type Page,
  pageAfter,
  paths,
  readPage,
} from '../../service/index.js';
import { headTells } from '../head-access.js';
import { postLead } from '../leads/leads.js';
import { plainLead } from '../leads/lead-factory.js';
import { type Resource, type ScopedOperation } from '../operations.js';
import { someUnitIds, unitsIfReadable } from '../units/known-units.js';
import { grants, isOwnReading, type Scope } from './scopes.js';

/** A live operation, asked for otherwise than plainly. */
export interface OperationShape extends ScopedOperation {
  /** The callers that try it; all unless said. */
  readonly most?: number;
  /** Whether a success tells that the caller was given anything. */
  tells?(as: Caller['as']): Promise<boolean>;
}

/** Somebody who asks, and what to call them; without a scope, nothing is granted. */
export interface Caller {
  readonly label: string;
  readonly as: NonNullable<RequestOptions['as']> | null;
  readonly scope?: Scope;
}

/** Whoever is not granted an operation plainly is refused it in another shape, too. */
export async function judgeRefusedShapes(
  check: Check,
  callers: readonly Caller[],
  shapes: readonly OperationShape[],
): Promise<void> {
  const cells = shapes.flatMap((shape) =>
    callers
      .filter(({ scope }) => scope === undefined || !(grants(scope, shape) || isOwnReading(scope, shape)))
      .slice(0, shape.most)
      .map(({ label, as }) => ({ shape, label, as })),
  );
  await check.each(cells, async ({ shape, label, as }) => {
    const exchange = await shape.attempt({ as });
    if (shape.succeeded(exchange) && (await shape.tells?.(as)) !== false)
      check.fail({
        expected: `${label} not to be able to ${shape.name}`,
        actual: describe(exchange),
        exchanges: [exchange],
      });
  });
}

type Send = (options: Pick<RequestOptions, 'as'>) => Promise<Exchange>;

const lists = Object.entries({ inventory: paths.units, deals: paths.deals, leads: paths.leads }) as [
  Resource,
  string,
][];

const showsRecords = (exchange: Exchange): boolean => isSuccess(exchange) && (itemsIn(exchange) ?? []).length > 0;

const read = (name: string, resource: Resource, attempt: Send, more: Partial<OperationShape> = {}): OperationShape => ({
  name,
  resource,
  writes: false,
  succeeded: showsRecords,
  attempt,
  ...more,
});

/** The second page of a list (pages of ten, a limit that every service accepts), or its first where that leads nowhere, by the cursor that `from` is given. */
async function secondPage(
  check: Check,
  path: string,
  from: KeyName,
  as: RequestOptions['as'] = from,
): Promise<Exchange> {
  const options = { path, ...(path === paths.units ? { limit: 10 } : {}) };
  const ask = (): Promise<Page> => readPage(check, { ...options, as: from });
  const first = as === from ? await ask() : await check.once(`first page of ${path} as ${from}`, ask);
  const second = await pageAfter(check, { ...options, as }, first);
  return (second ?? (as === from ? first : await readPage(check, { ...options, as }))).exchange;
}

const inSecondForm = (check: Check): OperationShape[] =>
  otherForms(check.target).flatMap((form) =>
    lists.map(([resource, path]) =>
      read(`list ${resource} at API_BASE_URL`, resource, (options) => check.send({ ...options, path, form })),
    ),
  );

/** What a scope grants beside the plain operations: further pages, by the caller's own cursor, and lists in the second address form. */
export async function grantedShapes(check: Check): Promise<OperationShape[]> {
  const pages: OperationShape[] = [];
  for (const [resource, path] of lists)
    if ((await cursorParameter(check, path)) !== null)
      pages.push(
        read(`list the second page of ${resource}`, resource, ({ as }) => secondPage(check, path, as as KeyName)),
      );
  return [...pages, ...inSecondForm(check)];
}

/** Further ways to what the plain operations give, shut to whoever is refused those. */
export async function refusedShapes(check: Check): Promise<OperationShape[]> {
  const { contract } = await check.contract();
  const [unit] = await someUnitIds(check, 1);
  const query = [
    ['status', 'available'],
    ['limit', '1'],
  ] as const;
  const part = ([resource, path]: [Resource, string]): OperationShape =>
    read(`list a part of ${resource}`, resource, (options) => check.send({ ...options, path, query }), { most: 2 });
  const head = ([resource, path]: [Resource, string]): OperationShape =>
    read(`ask for HEAD of ${resource}`, resource, (options) => check.send({ ...options, method: 'HEAD', path }), {
      most: 2,
      succeeded,
      tells: async (as) => isRefusal(await check.send({ path, as })) && (await headTells(check, { as })),
    });
  const shapes = [
    ...lists.filter(([resource]) => resource !== 'deals').map(part),
    ...lists.filter(([, path]) => path === paths.units || contract.operation('GET', path) !== null).map(head),
    ...inSecondForm(check),
  ];
  // A cursor is no credential.
  if ((await cursorParameter(check)) !== null)
    shapes.push(
      read('list the second page of inventory', 'inventory', ({ as }) => secondPage(check, paths.units, 'API_KEY', as)),
    );
  for (const form of otherForms(check.target)) {
    if (unit !== undefined)
      shapes.push(
        read(
          'get a unit at API_BASE_URL',
          'inventory',
          (options) => check.send({ ...options, path: paths.unit(unit), form }),
          { most: 2, succeeded: isSuccess },
        ),
      );
    if (!check.target.readOnly)
      shapes.push({
        name: 'create a lead at API_BASE_URL',
        resource: 'leads',
        writes: true,
        most: 1,
        succeeded: isSuccess,
        attempt: async (options) => postLead(check, await plainLead(check), { ...options, form }),
      });
  }
  return [...shapes, ...(await replays(check))];
}

/** The answer kept under a used key. Whether who reads leads may be shown one by a replay is left open, so it counts as a reading. */
async function replays(check: Check): Promise<OperationShape[]> {
  if (check.target.readOnly) return [];
  const lead = await plainLead(check);
  const key = check.fresh('idempotency key');
  if (!isSuccess(await postLead(check, lead, { key }))) return [];
  return [
    read('replay the creation of a lead', 'leads', (options) => postLead(check, lead, { ...options, key }), {
      most: 1,
      succeeded: isSuccess,
    }),
  ];
}

/** Ways to write a path that a router may take for the plain one, and what guards the plain one may not. */
const spellings = (path: string): string[] => [
  `${path}/`,
  `/${path}`,
  `${path};a=b`,
  path.replace(/\/(.)(?=[^/]*$)/, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`),
  path.toUpperCase(),
];

/** The lists under other spellings of their paths, asked for without a key: they show no record that is known, and no phone. */
export async function spelledShapes(check: Check): Promise<OperationShape[]> {
  const deals = itemsIn(await check.send({ path: paths.deals })) ?? [];
  const known = new Set([...(await unitsIfReadable(check)), ...deals].map(idOf).filter((id) => id !== null));
  const showsKnown = (exchange: Exchange): boolean =>
    (itemsIn(exchange) ?? []).some(
      (record) => known.has(idOf(record) ?? '') || asObject(record)?.['phone'] !== undefined,
    );
  return lists.flatMap(([resource, path]) =>
    spellings(path).map((spelled) =>
      read(`list ${spelled}`, resource, () => check.send({ path: spelled, as: null, surface: 'other' }), {
        most: 1,
        succeeded: showsKnown,
      }),
    ),
  );
}
