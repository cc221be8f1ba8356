import { type Exchange, succeeded } from '../http/index.js';
import { type Breach, type Check, describe, type Match, type RequestOptions } from '../run/index.js';
import { type KeyName, otherForms } from '../settings/index.js';
import {
  asObject,
  cursorParameter,
  idOf,
  isFailureEnvelope,
  isRefusal,
  isSuccess,
  itemsIn,
  mayMean,
  type Page,
  pageAfter,
  paths,
  quote,
  readPage,
  settled,
} from '../service/index.js';
import {
  blockUnknown,
  type Caller,
  createUnit,
  headTells,
  isEmptyList,
  isOwnCredential,
  liveOperations,
  plainLead,
  postLead,
  queryNames,
  type Resource,
  rightOf,
  type Scope,
  scopedKeys,
  type ScopedOperation,
  someUnitIds,
  unitsIfReadable,
  unitsOnOffer,
  whyUnknown,
} from '../api/index.js';
import { type Row, row } from '../requirement/index.js';
import type { Selector } from './invariants.js';
import { type Answer, answers } from './selectors.js';

type As = Caller['as'];

/** A live operation, asked for otherwise than plainly. */
interface OperationShape extends ScopedOperation {
  /** The callers that try it; all unless said. */
  readonly most?: number;
  /** Whether an answer gives something away that no rule over the answer alone sees. */
  givesAway?(exchange: Exchange, as: As): Promise<boolean>;
}

/** Somebody who tries an operation. */
export interface Cell {
  readonly caller: Caller;
  readonly operation: OperationShape;
}

/** The cells of callers who have no right to operations. */
export function refusedCells(callers: readonly Caller[], operations: readonly OperationShape[]): Cell[] {
  return operations.flatMap((operation) =>
    callers
      .filter(({ scope }) => rightOf(scope, operation) === 'refused')
      .slice(0, operation.most)
      .map((caller) => ({ caller, operation })),
  );
}

/** Tries all cells; returns those that were shown a list without a record. Rules over all answers of the run judge the rest. */
export async function tryCells(check: Check, cells: readonly Cell[]): Promise<readonly Cell[]> {
  const empty = new Set<Cell>();
  await check.each(cells, async (cell) => {
    const { caller, operation } = cell;
    const exchange = await operation.attempt({ as: caller.as });
    if (isEmptyList(exchange)) empty.add(cell);
    if ((await operation.givesAway?.(exchange, caller.as)) === true)
      check.fail({
        code: 'given-away',
        expected: `${caller.label} not to be able to ${operation.name}`,
        actual: describe(exchange),
        exchanges: [exchange],
      });
  });
  return cells.filter((cell) => empty.has(cell));
}

const keyInQuery = new RegExp(`[?&](${queryNames.join('|')})=`);

/** Answers of production to callers whose credentials are none of the configured keys, or odd forms of one. */
export const answersToNobody: Selector<Answer> = async (check) =>
  (await answers('production')(check)).filter(
    ({ exchange: { request } }) =>
      request.method !== 'HEAD' && !isOwnCredential(request.credential) && !keyInQuery.test(request.path),
  );

/** Nobody without a valid key gets more than a failure envelope. */
export function isRefusedToNobody({ exchange, response }: Answer): Match {
  return {
    pass: isFailureEnvelope(exchange),
    code: 'not-refused',
    expected: `a refusal, in a failure envelope, with ${exchange.request.credential ?? 'no credentials'}`,
    actual: quote(response.text),
  };
}

/** An answer to a key that may not do what was asked. */
interface ScopedAnswer extends Answer {
  readonly scope: Scope;
  readonly resource: Resource;
}

const resources = { unit: 'inventory', lead: 'leads', deal: 'deals' } as const;
const keyOf = ({ headers }: Exchange['request']): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];

/** Answers to keys that asked for what their scopes do not name. Whether who may read is shown a create by a replay is open, so that it counts as a reading. */
export const answersBeyondScope: Selector<ScopedAnswer> = async (check) => {
  const scopes = new Map<string | null, Scope>(scopedKeys(check.target).map(({ name, scope }) => [name, scope]));
  const used = new Set<string>();
  return (await answers('production')(check)).flatMap((answer) => {
    const { request } = answer.exchange;
    const [scope, key] = [scopes.get(request.credential), keyOf(request)];
    const isReplay = key !== undefined && used.has(key);
    if (key !== undefined && isSuccess(answer.exchange)) used.add(key);
    const kind = /\/v1\/(unit|lead|deal)s(?:\/[^/?]+)?\/?(?:\?|$)/.exec(request.path)?.[1];
    if (scope === undefined || kind === undefined || ['HEAD', 'OPTIONS'].includes(request.method)) return [];
    const resource = resources[kind as keyof typeof resources];
    const writes = request.method !== 'GET' && !isReplay;
    return rightOf(scope, { resource, writes }) === 'refused' ? [{ ...answer, scope, resource }] : [];
  });
};

/** No success but an empty list, which gives nothing away. */
export function isWithinScope({ exchange, scope, resource }: ScopedAnswer): Match {
  return {
    pass: !isSuccess(exchange) || isEmptyList(exchange),
    code: 'beyond-scope',
    expected: `a ${scope} key to be refused ${exchange.request.method} of ${resource}`,
    actual: 'it was not',
  };
}

type Send = ScopedOperation['attempt'];

const lists = Object.entries({ inventory: paths.units, deals: paths.deals, leads: paths.leads }) as [
  Resource,
  string,
][];

const sends =
  (check: Check, request: RequestOptions): Send =>
  (options) =>
    check.send({ ...options, ...request });

const read = (name: string, resource: Resource, attempt: Send, most?: number): OperationShape => ({
  name,
  resource,
  writes: false,
  succeeded: (exchange) => isSuccess(exchange) && (itemsIn(exchange) ?? []).length > 0,
  attempt,
  ...(most === undefined ? {} : { most }),
});
const write = (name: string, attempt: Send): OperationShape => ({ ...read(name, 'leads', attempt, 1), writes: true });

/** The second page of a list (pages of ten, a limit that every service accepts), or its first where that leads nowhere, by the cursor that `from` is given. */
async function secondPage(check: Check, path: string, from: KeyName, as: RequestOptions['as'] = from) {
  const options = { path, ...(path === paths.units ? { limit: 10 } : {}) };
  const ask = (): Promise<Page> => readPage(check, { ...options, as: from });
  const first = as === from ? await ask() : await check.once(`first page of ${path} as ${from}`, ask);
  const second = await pageAfter(check, { ...options, as }, first);
  return (second ?? (as === from ? first : await readPage(check, { ...options, as }))).exchange;
}

const inSecondForm = (check: Check): OperationShape[] =>
  otherForms(check.target).flatMap((form) =>
    lists.map(([resource, path]) => read(`list ${resource} at API_BASE_URL`, resource, sends(check, { path, form }))),
  );

/** What a scope grants beside the plain operations: further pages, by the caller's own cursor, and lists in the second address form. */
async function grantedShapes(check: Check): Promise<OperationShape[]> {
  const pages: OperationShape[] = [];
  for (const [resource, path] of lists)
    if ((await cursorParameter(check, path)) !== null)
      pages.push(
        read(`list the second page of ${resource}`, resource, ({ as }) => secondPage(check, path, as as KeyName)),
      );
  return [...pages, ...inSecondForm(check)];
}

/**
 * What full access to the second tenant grants in it, beside what API_KEY may do in its own. None where nothing is admitted: that is no key with full
 * access, and the settings have to change.
 */
async function otherTenantShapes(check: Check): Promise<OperationShape[]> {
  const { contract } = await check.contract();
  const own = ({ as }: { readonly as?: As }) =>
    as === 'OTHER_API_KEY' ? ({ as, tenant: check.target.otherTenant } as const) : {};
  const declared = lists.filter(([, path]) => path !== paths.leads || contract.operation('GET', path) !== null);
  const shapes: OperationShape[] = [];
  for (const [resource, path] of declared) {
    const { query, headers } = await check.required({ path });
    // A required value may be the id of a record of the first tenant: then a failure under 200 may mean that there is none.
    const isForbidden = (one: Exchange): boolean =>
      query.length + headers.length > 0 ? [401, 403].includes(one.response?.status ?? 0) : mayMean(one, 401, 403);
    shapes.push({
      ...read(`list ${resource}`, resource, (options) => check.send({ path, ...own(options) })),
      succeeded: (exchange) => !isForbidden(exchange),
    });
  }
  let isAdmitted = false;
  for (const [, path] of declared)
    isAdmitted ||= isSuccess(await check.send({ path, ...own({ as: 'OTHER_API_KEY' }) }));
  const caller = own({ as: 'OTHER_API_KEY' });
  if (!isAdmitted || check.target.readOnly || (await unitsOnOffer(check, caller)).length === 0)
    return isAdmitted ? shapes : [];
  let isFull = false;
  const lead = write('create a lead for a unit of its tenant', async (options) => {
    const made = await postLead(check, await plainLead(check, own(options)), own(options));
    if (own(options).as === undefined || !isRefusal(made) || !mayMean(made, 409)) return made;
    // Each of its units may have as many leads as it takes: then only a new one tells.
    const unit = await createUnit(check, caller.as, caller.tenant);
    isFull ||= unit === null;
    return unit === null ? made : postLead(check, await plainLead(check, caller, unit), caller);
  });
  const isOpen = ({ response }: Exchange): boolean => isFull || [402, 429].includes(response?.status ?? 0);
  return [...shapes, { ...lead, succeeded: (exchange) => !isRefusal(exchange) || isOpen(exchange) }];
}

/** Further ways to what the plain operations give, shut to whoever is refused those. */
export async function refusedShapes(check: Check): Promise<OperationShape[]> {
  const { readOnly } = check.target;
  const { contract } = await check.contract();
  const units = await someUnitIds(check, 1);
  const query = [
    ['status', 'available'],
    ['limit', '1'],
  ] as const;
  const givesAway = async (exchange: Exchange, as: As): Promise<boolean> =>
    succeeded(exchange) &&
    isRefusal(await check.send({ path: exchange.request.path, as })) &&
    (await headTells(check, { as }));
  const lead = readOnly ? {} : await plainLead(check);
  const key = check.fresh('idempotency key');
  const isMade = !readOnly && isSuccess(await postLead(check, lead, { key }));
  const some = lists.filter(([, path]) => path === paths.units || contract.operation('GET', path) !== null);
  return [
    ...inSecondForm(check),
    ...lists
      .filter(([resource]) => resource !== 'deals')
      .map(([resource, path]) => read(`list a part of ${resource}`, resource, sends(check, { path, query }), 2)),
    ...some.map(([resource, path]) => ({
      ...read(`ask for HEAD of ${resource}`, resource, sends(check, { method: 'HEAD', path }), 2),
      givesAway,
    })),
    // A cursor is no credential.
    ...((await cursorParameter(check)) === null
      ? []
      : [read('list a second page', 'inventory', ({ as }) => secondPage(check, paths.units, 'API_KEY', as))]),
    ...otherForms(check.target).flatMap((form) => [
      ...units.map((id) =>
        read('get a unit at API_BASE_URL', 'inventory', sends(check, { path: paths.unit(id), form }), 2),
      ),
      ...(readOnly
        ? []
        : [
            write('create a lead at API_BASE_URL', async (options) =>
              postLead(check, await plainLead(check), { ...options, form }),
            ),
          ]),
    ]),
    ...(isMade ? [read('replay a create', 'leads', (options) => postLead(check, lead, { ...options, key }), 1)] : []),
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
  const shown = new Set([...(await unitsIfReadable(check)), ...deals].map(idOf).filter((id) => id !== null));
  const givesAway = (exchange: Exchange): Promise<boolean> =>
    Promise.resolve(
      isSuccess(exchange) &&
        (itemsIn(exchange) ?? []).some(
          (record) => shown.has(idOf(record) ?? '') || asObject(record)?.['phone'] !== undefined,
        ),
    );
  return lists.flatMap(([resource, path]) =>
    spellings(path).map((spelled) => ({
      ...read(`list ${spelled}`, resource, sends(check, { path: spelled, surface: 'other' }), 1),
      givesAway,
    })),
  );
}

/** What trying a granted operation tells: the breach that it shows, if any. */
interface Trial {
  readonly result: 'judged' | 'unknown' | 'no units';
  readonly breach?: Breach;
}

/** Whether a key can do what it is granted. A refusal that no other key is spared has a reason that is not the key's rights. */
async function tryGranted(check: Check, operation: OperationShape, { label, as }: Key): Promise<Trial> {
  const isAdmin = as === 'API_KEY';
  const lesser = scopedKeys(check.target).find((one) => rightOf(one.scope, operation) === 'granted');
  const control = isAdmin ? lesser?.name : 'API_KEY';
  const exchange = await operation.attempt({ as });
  if (operation.succeeded(exchange)) return { result: 'judged' };
  const actual = `${describe(exchange)}: ${quote(exchange.response?.json)}`;
  const breach = { code: 'not-granted', expected: `${label} to be able to ${operation.name}`, actual };
  // Full access is refused for want of rights by these statuses, whatever other keys get.
  if (isAdmin && [401, 403].includes(exchange.response?.status ?? 0))
    return { result: 'unknown', breach: { ...breach, exchanges: [exchange] } };
  const granted = control === undefined ? null : await operation.attempt({ as: control });
  if (control === undefined || granted === null || !operation.succeeded(granted)) {
    // The unit list of a tenant without units tells nothing of what a key may see.
    const isEmpty = operation.resource === 'inventory' && isEmptyList(isAdmin ? exchange : (granted ?? exchange));
    return { result: isEmpty && (await unitsIfReadable(check)).length === 0 ? 'no units' : 'unknown' };
  }
  const statusOf = ({ response }: Exchange): number => response?.status ?? 500;
  const isForbidden = (one: Exchange): boolean => [401, 403].includes(statusOf(one));
  // Without an answer, or with a 5xx, a write may have been done all the same, and what has been done may not be done twice.
  const isUnclear = operation.writes && statusOf(exchange) >= 500;
  // Other values may be taken for a create; a record that was just made may be shown a little later, and by one of several machines before another.
  const isFinal = operation.writes && !isUnclear && (isForbidden(exchange) || exchange.request.method !== 'POST');
  const attempt = (): Promise<Exchange> => operation.attempt({ as });
  const again = isFinal ? exchange : await settled(check, attempt, (one) => operation.succeeded(one));
  const result = isAdmin ? 'unknown' : 'judged';
  if (operation.succeeded(again)) return { result };
  if (isUnclear && !isForbidden(again) && statusOf(again) < 500) return { result: 'unknown' };
  return { result, breach: { ...breach, exchanges: [granted, exchange] } };
}

/** A configured key and its scope. */
export interface Key extends Caller {
  readonly as: KeyName;
  readonly scope: Scope | 'admin:*';
}

/** The configured keys of one scope each. */
export function keysOf({ target }: Check): Key[] {
  return scopedKeys(target).map(({ name, scope }) => ({ label: `a ${scope} key`, as: name, scope }));
}

/** The keys with full access to a tenant. */
export function adminKeys({ target }: Check): Key[] {
  const scope = 'admin:*';
  const other = { label: 'OTHER_API_KEY, with full access to its tenant,', as: 'OTHER_API_KEY', scope } as const;
  return [
    { label: 'the admin:* key', as: 'API_KEY', scope },
    ...(target.keys.OTHER_API_KEY === undefined ? [] : [other]),
  ];
}

/** Keys can do what they are granted; blocked, for the reason `unless`, where nothing of that can be judged. */
export const granted = (says: string, keys: (check: Check) => readonly Key[], unless: string): Row =>
  row(says, (check) => tryAllGranted(check, keys(check), unless));

async function tryAllGranted(check: Check, keys: readonly Key[], unless: string): Promise<void> {
  const results: Trial['result'][] = [];
  const wrong: KeyName[] = [];
  for (const key of keys) {
    const { as, scope } = key;
    const trials: Trial[] = [];
    // A fresh set of operations for each key: deleting a unit succeeds once only.
    const shapes =
      as === 'OTHER_API_KEY'
        ? await otherTenantShapes(check)
        : [...(await liveOperations(check)), ...(as === 'API_KEY' ? [] : await grantedShapes(check))];
    for (const operation of shapes.filter((one) => rightOf(scope, one) === 'granted'))
      trials.push(await tryGranted(check, operation, key));
    if (as !== 'OTHER_API_KEY') results.push(...trials.map(({ result }) => result));
    const breaches = trials.flatMap(({ breach }) => breach ?? []);
    if (breaches.length > 0 && scope !== 'admin:*' && (await whyUnknown(check, as)) !== null) wrong.push(as);
    else for (const breach of breaches) check.fail(breach);
  }
  await blockUnknown(check, wrong);
  if (results.includes('no units'))
    check.blocked('the tenant has no units, so that reading them cannot be tried: seed at least one unit');
  if (!results.includes('judged')) check.blocked(unless);
}
