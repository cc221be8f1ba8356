import { type Exchange, succeeded } from '../http/index.js';
import { type Breach, type Check, describe, type RequestOptions } from '../run/index.js';
import { type KeyName, otherForms } from '../settings/index.js';
import {
  asObject,
  cursorParameter,
  idOf,
  isFailureEnvelope,
  isGone,
  isRefusal,
  isSuccess,
  itemsIn,
  kindOf,
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
  isEmptyList,
  isOwnCredential,
  type Key,
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
  whyUnknown,
} from '../api/index.js';
import { type Row, row } from '../requirement/index.js';
import { invariant, type Selector } from './invariants.js';
import { type Answer, answers } from './selectors.js';

/** The live operations, which the body of a requirement hands to its rows, or such operations in other shapes. */
type Operations = readonly ScopedOperation[];
type Shapes = (check: Check, operations: Operations) => Operations | Promise<Operations>;

/** Each operation as the document, or else the specification, names it. */
const plainly: Shapes = (_, operations) => operations;

/** Somebody who tries an operation. */
interface Cell {
  readonly caller: Caller;
  readonly operation: ScopedOperation;
}

/** Tries what callers have no right to; returns all that was tried, and what was shown a list without a record. Rules over all answers of the run judge the rest. */
async function tryRefused(
  check: Check,
  callers: (turn: number | null) => readonly Caller[],
  operations: Operations,
): Promise<{ readonly cells: readonly Cell[]; readonly empty: readonly Cell[] }> {
  const cells = operations.flatMap((operation, turn) =>
    callers(operations.length < 4 ? null : turn)
      .filter(({ scope }) => rightOf(scope, operation) === 'refused')
      .slice(0, operation.most)
      .map((caller) => ({ caller, operation })),
  );
  const empty = new Set<Cell>();
  let isAnswered = cells.length === 0;
  await check.each(cells, async (cell) => {
    const { caller, operation } = cell;
    const exchange = await operation.attempt({ as: caller.as });
    isAnswered ||= ![undefined, 429].includes(exchange.response?.status);
    if (isEmptyList(exchange)) empty.add(cell);
    if ((await operation.givesAway?.(exchange, caller.as)) === true)
      check.fail({
        code: 'given-away',
        expected: `${caller.label} not to be able to ${operation.name}`,
        actual: describe(exchange),
        exchanges: [exchange],
      });
  });
  if (!isAnswered) check.blocked('no request of somebody without the right to it was answered');
  return { cells, empty: cells.filter((cell) => empty.has(cell)) };
}

/** What these callers have no right to is refused to them. Those of a turn try one operation; of all of them, null tries each. */
export const refused = (
  says: string,
  callers: (check: Check, turn: number | null) => readonly Caller[],
  shapes: Shapes,
): Row<Operations> =>
  row(says, async (check, operations) =>
    tryRefused(check, (turn) => callers(check, turn), await shapes(check, operations)),
  );

/** As `refused`, for plain operations and the keys of one scope; says what is open: whether a key that writes may also read. */
export const refusedToKeys = (says: string): Row<Operations> =>
  row(says, async (check, operations) => {
    const keys = scopedKeys(check);
    const { cells, empty } = await tryRefused(check, () => keys, operations);
    for (const operation of operations)
      for (const { as, scope } of keys.filter((one) => rightOf(one.scope, operation) === 'open')) {
        const exchange = await operation.attempt({ as });
        const answer = operation.succeeded(exchange) ? 'yes' : `no (${exchange.response?.status ?? 'no answer'})`;
        check.observe(`Does ${scope} imply reading (${operation.name})?`, answer);
      }
    const wrong: KeyName[] = [];
    // A key that grants no live operation is refused everywhere by right.
    for (const { as, scope } of keys)
      if (operations.some((one) => rightOf(scope, one) === 'granted') && (await whyUnknown(check, as)) !== null)
        wrong.push(as);
    await blockUnknown(check, wrong);
    const unclear: Cell[] = [];
    for (const cell of empty) if (isEmptyList(await cell.operation.attempt({ as: 'API_KEY' }))) unclear.push(cell);
    for (const { caller, operation } of unclear)
      check.observe(
        `Is a key with ${caller.scope ?? ''} refused this: ${operation.name}?`,
        'unknown: the list is empty for every key',
      );
    if (unclear.some(({ operation }) => operation.resource === 'inventory'))
      check.blocked('keys without its scope were shown the unit list, which is empty for all: seed at least one unit');
    if (cells.length === unclear.length)
      check.blocked(
        'nothing outside the scopes of the configured keys could be tried: seed a unit and a deal, or set keys of other scopes',
      );
  });

const keyInQuery = new RegExp(`[?&](${queryNames.join('|')})=`);

/** Nobody without a valid key, or with odd forms of one, gets more from production than a failure envelope. */
export const refusesNobody = (says: string): Row =>
  invariant(
    says,
    async (check) =>
      (await answers('production')(check)).filter(
        ({ exchange: { request } }) =>
          request.method !== 'HEAD' && !isOwnCredential(request.credential) && !keyInQuery.test(request.path),
      ),
    ({ exchange, response }) => ({
      pass: isFailureEnvelope(exchange),
      code: 'not-refused',
      expected: `a refusal, in a failure envelope, with ${exchange.request.credential ?? 'no credentials'}`,
      actual: quote(response.text),
    }),
  );

/** An answer to a key that may not do what was asked. */
interface ScopedAnswer extends Answer {
  readonly scope: Scope;
  readonly resource: Resource;
}

const resources = { unit: 'inventory', lead: 'leads', deal: 'deals' } as const;
const keyOf = ({ headers }: Exchange['request']): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];

/** Answers to keys that asked for what their scopes do not name. Whether who may read is shown a create by a replay is open, so that it counts as a reading. */
const answersBeyondScope: Selector<ScopedAnswer> = async (check) => {
  const scopes = new Map<string | null, Scope>(scopedKeys(check).map(({ as, scope }) => [as, scope]));
  const used = new Set<string>();
  return (await answers('production')(check)).flatMap((answer) => {
    const { request } = answer.exchange;
    const [scope, key] = [scopes.get(request.credential), keyOf(request)];
    const isReplay = key !== undefined && used.has(key);
    if (key !== undefined && isSuccess(answer.exchange)) used.add(key);
    const kind = kindOf(answer.exchange);
    if (scope === undefined || kind === null || ['HEAD', 'OPTIONS'].includes(request.method)) return [];
    const resource = resources[kind];
    const writes = request.method !== 'GET' && !isReplay;
    return rightOf(scope, { resource, writes }) === 'refused' ? [{ ...answer, scope, resource }] : [];
  });
};

/** A key of one scope has no success beyond it but an empty list, which gives nothing away. */
export const staysInScope = (says: string): Row =>
  invariant(says, answersBeyondScope, ({ exchange, scope, resource }) => ({
    pass: !isSuccess(exchange) || isEmptyList(exchange),
    code: 'beyond-scope',
    expected: `a ${scope} key to be refused ${exchange.request.method} of ${resource}`,
    actual: 'it was not',
  }));

const statusOf = ({ response }: Exchange): number => response?.status ?? 500;
const isForbidden = (exchange: Exchange): boolean => [401, 403].includes(statusOf(exchange));

type Send = ScopedOperation['attempt'];

const lists = Object.entries({ inventory: paths.units, deals: paths.deals, leads: paths.leads }) as [
  Resource,
  string,
][];

const sends =
  (check: Check, request: RequestOptions): Send =>
  (options) =>
    check.send({ ...options, ...request });

const read = (name: string, resource: Resource, attempt: Send, most?: number): ScopedOperation => ({
  name,
  resource,
  writes: false,
  succeeded: (exchange) => isSuccess(exchange) && !isEmptyList(exchange),
  attempt,
  most,
});
const write = (name: string, attempt: Send): ScopedOperation => ({ ...read(name, 'leads', attempt, 1), writes: true });

/** The second page of a list (pages of ten, a limit that every service accepts), or its first where that leads nowhere, by the cursor that `from` is given. */
async function secondPage(check: Check, path: string, from: KeyName, as: RequestOptions['as'] = from) {
  const options = { path, ...(path === paths.units ? { limit: 10 } : {}) };
  const ask = (): Promise<Page> => readPage(check, { ...options, as: from });
  const first = as === from ? await ask() : await check.once(`first page of ${path} as ${from}`, ask);
  const second = await pageAfter(check, { ...options, as }, first);
  return (second ?? (as === from ? first : await readPage(check, { ...options, as }))).exchange;
}

const inSecondForm = (check: Check): ScopedOperation[] =>
  otherForms(check.target).flatMap((form) =>
    lists.map(([resource, path]) => read(`list ${resource} at API_BASE_URL`, resource, sends(check, { path, form }))),
  );

/** Further pages, by the caller's own cursor, and lists in the second address form: what a scope grants is granted there, too. */
const elsewhere: Shapes = async (check) => {
  const pages: ScopedOperation[] = [];
  for (const [resource, path] of lists)
    if ((await cursorParameter(check, path)) !== null)
      pages.push(
        read(`list the second page of ${resource}`, resource, ({ as }) => secondPage(check, path, as as KeyName)),
      );
  return [...pages, ...inSecondForm(check)];
};

/**
 * The operations on records of the second tenant. None where nothing is admitted: that is no key with full access, and the settings have to change.
 * A record may be gone, and a body be wrong in that tenant: only a refusal for want of rights tells, or one of a plain lead that is not of its vehicle.
 */
const inOtherTenant: Shapes = async (check) => {
  const caller = { as: 'OTHER_API_KEY', tenant: check.target.otherTenant } as const;
  const operations = await liveOperations(check, caller);
  let isAdmitted = false;
  for (const one of operations.filter(({ writes }) => !writes)) isAdmitted ||= isSuccess(await one.attempt(caller));
  const isLeft = (one: ScopedOperation, exchange: Exchange): boolean =>
    one.name === 'create a lead'
      ? isRefusal(exchange) && !mayMean(exchange, 402, 409, 429)
      : isForbidden(exchange) || (!one.writes && mayMean(exchange, 401, 403) && !isGone(exchange));
  return (isAdmitted ? operations : []).map((one) => ({
    ...one,
    succeeded: (exchange) => check.doubtOf(exchange) !== null || !isLeft(one, exchange),
  }));
};

/** Whether HEAD distinguishes existing from unknown units for this caller: a service that answers 200 to every HEAD reveals nothing. */
export async function headTells(check: Check, options: Pick<RequestOptions, 'as' | 'tenant'>): Promise<boolean> {
  return isRefusal(await check.send({ ...options, method: 'HEAD', path: paths.unit(check.fresh('unknown unit')) }));
}

/** Further ways to what the plain operations give, shut to whoever is refused those. */
const otherwise: Shapes = async (check) => {
  const { readOnly } = check.target;
  const { contract } = await check.contract();
  const part = [['status', 'available'] as const, ['limit', '1'] as const];
  const givesAway: ScopedOperation['givesAway'] = async (exchange, as) =>
    succeeded(exchange) &&
    isRefusal(await check.send({ path: exchange.request.path, as })) &&
    (await headTells(check, { as }));
  const shapes = [...inSecondForm(check)];
  for (const [resource, path] of lists) {
    const view = (name: string, request: Partial<RequestOptions>): ScopedOperation =>
      read(`${name} ${resource}`, resource, sends(check, { path, ...request }), 2);
    if (resource !== 'deals') shapes.push(view('list a part of', { query: part }));
    if (path === paths.units || contract.operation('GET', path) !== null)
      shapes.push({ ...view('ask for HEAD of', { method: 'HEAD' }), givesAway });
  }
  // A cursor is no credential.
  if ((await cursorParameter(check)) !== null)
    shapes.push(read('list a second page', 'inventory', ({ as }) => secondPage(check, paths.units, 'API_KEY', as)));
  for (const form of otherForms(check.target))
    for (const id of await someUnitIds(check, 1))
      shapes.push(read('get a unit at API_BASE_URL', 'inventory', sends(check, { path: paths.unit(id), form }), 2));
  if (readOnly) return shapes;
  for (const form of otherForms(check.target))
    shapes.push(
      write('create a lead at API_BASE_URL', async (options) =>
        postLead(check, await plainLead(check), { ...options, form }),
      ),
    );
  const [lead, key] = [await plainLead(check), check.fresh('idempotency key')];
  if (isSuccess(await postLead(check, lead, { key })))
    shapes.push(read('replay a create', 'leads', (options) => postLead(check, lead, { ...options, key }), 1));
  return shapes;
};

/** Ways to write a path that a router may take for the plain one, and what guards the plain one may not. */
const spellings = (path: string): string[] => [
  `${path}/`,
  `/${path}`,
  `${path};a=b`,
  path.replace(/\/(.)(?=[^/]*$)/, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`),
  path.toUpperCase(),
];

/** The lists under other spellings of their paths: they show no record that is known, and no phone. */
const spelled: Shapes = async (check) => {
  const deals = itemsIn(await check.send({ path: paths.deals })) ?? [];
  const shown = new Set([...(await unitsIfReadable(check)), ...deals].map(idOf).filter((id) => id !== null));
  const isKnown = (record: unknown): boolean =>
    shown.has(idOf(record) ?? '') || asObject(record)?.['phone'] !== undefined;
  return lists.flatMap(([resource, plain]) =>
    spellings(plain).map((path) => ({
      ...read(`list ${path}`, resource, sends(check, { path, surface: 'other' }), 1),
      givesAway: (exchange) => Promise.resolve(isSuccess(exchange) && (itemsIn(exchange) ?? []).some(isKnown)),
    })),
  );
};

/** What operations are tried in. */
export const shapes = {
  plain: plainly,
  first: ((_, operations) => operations.slice(0, 1)) as Shapes,
  elsewhere,
  inOtherTenant,
  otherwise,
  spelled,
} as const;

/** What trying a granted operation tells: a breach, or whether it could be judged. A refusal that no other key is spared has a reason that is not the key's rights. */
async function tryGranted(
  check: Check,
  operation: ScopedOperation,
  { label, as, tenant }: Key,
  plain: ScopedOperation = operation,
): Promise<Breach | 'judged' | 'unknown' | 'no units'> {
  const isAdmin = as === 'API_KEY';
  const attempt = (): Promise<Exchange> => operation.attempt({ as, ...(tenant === undefined ? {} : { tenant }) });
  const exchange = await attempt();
  if (operation.succeeded(exchange)) return 'judged';
  const actual = `${describe(exchange)}: ${quote(exchange.response?.json)}`;
  const breach = { code: 'not-granted', expected: `${label} to be able to ${operation.name}`, actual };
  // Full access is refused for want of rights by these statuses, whatever other keys get.
  if (isAdmin && isForbidden(exchange)) return { ...breach, exchanges: [exchange] };
  const lesser = scopedKeys(check).find(({ scope }) => rightOf(scope, operation) === 'granted');
  const control = isAdmin ? lesser?.as : 'API_KEY';
  const other = control === undefined ? null : await plain.attempt({ as: control });
  if (other === null || !plain.succeeded(other)) {
    // The unit list of a tenant without units tells nothing of what a key may see.
    const isEmpty = operation.resource === 'inventory' && isEmptyList(isAdmin ? exchange : (other ?? exchange));
    return isEmpty && (await unitsIfReadable(check)).length === 0 ? 'no units' : 'unknown';
  }
  // Without an answer, or with a 5xx, a write may have been done all the same, and what has been done may not be done twice.
  const isUnclear = operation.writes && statusOf(exchange) >= 500;
  // Other values may be taken for a create; a record that was just made may be shown a little later, and by one of several machines before another.
  const isFinal = operation.writes && !isUnclear && (isForbidden(exchange) || exchange.request.method !== 'POST');
  const again = isFinal ? exchange : await settled(check, attempt, (one) => operation.succeeded(one));
  if (operation.succeeded(again)) return 'judged';
  if (isUnclear && !isForbidden(again) && statusOf(again) < 500) return 'unknown';
  return { ...breach, exchanges: [other, exchange] };
}

/** These keys can do what they are granted; blocked, for the reason `unless`, where nothing of that can be judged. */
export const granted = (
  says: string,
  keys: (check: Check) => readonly Key[],
  shapes: Shapes,
  unless?: string,
): Row<Operations> =>
  row(says, async (check, operations) => {
    const results: unknown[] = [];
    const wrong: KeyName[] = [];
    for (const key of keys(check)) {
      const breaches: Breach[] = [];
      for (const operation of await shapes(check, operations)) {
        if (rightOf(key.scope, operation) !== 'granted') continue;
        // What is done in the second tenant is tried in the first for a control.
        const plain = operations.find(({ name }) => name === operation.name);
        const result = await tryGranted(check, operation, key, plain);
        results.push(result);
        if (typeof result === 'object') breaches.push(result);
      }
      if (breaches.length > 0 && key.scope !== 'admin:*' && (await whyUnknown(check, key.as)) !== null)
        wrong.push(key.as);
      else for (const breach of breaches) check.fail(breach);
    }
    await blockUnknown(check, wrong);
    if (unless === undefined) return;
    if (results.includes('no units'))
      check.blocked('the tenant has no units, so that reading them cannot be tried: seed at least one unit');
    if (results.every((one) => one === 'unknown')) check.blocked(unless);
  });
