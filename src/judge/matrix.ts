import { type Exchange, succeeded } from '../http/index.js';
import { type Breach, type Check, describe, type RequestOptions } from '../run/index.js';
import { type AddressForm, addressForms, type KeyName } from '../settings/index.js';
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
  pageAfter,
  pageWithNext,
  paths,
  quote,
  settled,
} from '../service/index.js';
import {
  type Asking,
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
  secondForm,
  unitsIfReadable,
  whyUnknown,
} from '../api/index.js';
import { type Row, row } from '../requirement/index.js';
import { invariant, type Selector } from './invariants.js';
import { type Answer, answers } from './selectors.js';

/** The live operations, which the body of a requirement hands to its rows, or such operations in other shapes. */
type Operations = readonly ScopedOperation[];
type Shapes = (check: Check, operations: Operations) => Operations | Promise<Operations>;

/** Somebody who tries an operation, in some way. */
interface Cell {
  readonly caller: Caller;
  readonly operation: ScopedOperation;
  readonly asking: Asking;
}

/** The address forms of the target. The seed and a number of the cell say which comes first, so that cells that try only one take turns. */
function formsFrom(check: Check, turn: number): readonly AddressForm[] {
  const forms = addressForms(check.target);
  const first = (check.run.seed + turn) % forms.length;
  return [...forms.slice(first), ...forms.slice(0, first)];
}

/** The address form of a cell that tries only one. */
export const formOf = (check: Check, turn: number): { readonly form: AddressForm } => ({
  form: formsFrom(check, turn)[0] ?? 'first',
});

/**
 * How a caller tries what is refused: without credentials under each form, else under one in turn; with X-Tenant, and once without it, in an order
 * that the seed selects.
 */
function waysToTry(check: Check, { as }: Caller, turn: number): readonly Asking[] {
  const forms = formsFrom(check, turn);
  const usual = forms.slice(0, as === null ? undefined : 1).map((form) => ({ as, form }));
  if (check.target.tenant === null || (typeof as === 'object' && as !== null)) return usual;
  const unnamed = { as, ...formOf(check, turn), tenant: null };
  return (check.run.seed + turn) % 2 === 0 ? [...usual, unnamed] : [unnamed, ...usual];
}

/** Callers who try an operation: one part of several, so that each of them tries every third one. */
type Callers = (check: Check, part: number, parts: number) => readonly Caller[];

/** Tries what callers have no right to. Returns all that was tried, and what was shown a list without a record; rules over all answers judge the rest. */
async function tryRefused(
  check: Check,
  callers: Callers,
  operations: Operations,
): Promise<{ readonly cells: readonly Cell[]; readonly empty: readonly Cell[] }> {
  const cells = operations.flatMap((operation, at) =>
    callers(check, at, operations.length < 4 ? 1 : 3)
      .filter(({ scope }) => rightOf(scope, operation) === 'refused')
      .flatMap((caller, turn) => waysToTry(check, caller, at + turn).map((asking) => ({ caller, operation, asking })))
      .slice(0, operation.most),
  );
  const empty = new Set<Cell>();
  let isAnswered = cells.length === 0;
  await check.each(cells, async (cell) => {
    const { caller, operation, asking } = cell;
    const exchange = await operation.attempt(asking);
    isAnswered ||= ![undefined, 429].includes(exchange.response?.status);
    if (isEmptyList(exchange)) empty.add(cell);
    const pass = (await operation.givesAway?.(exchange, asking)) !== true;
    const expected = `${caller.label} not to be able to ${operation.name}`;
    check.expect(exchange, (one) => ({ pass, code: 'given-away', expected, actual: describe(one), part: 'status' }));
  });
  if (!isAnswered) check.blocked('no request of somebody without the right to it was answered');
  return { cells, empty: cells.filter((cell) => empty.has(cell)) };
}

/** What these callers have no right to is refused to them. */
export const refused = (says: string, callers: Callers, shapes: Shapes): Row<Operations> =>
  row(says, async (check, operations) => tryRefused(check, callers, await shapes(check, operations)));

/** As `refused`, for plain operations and the keys of one scope; says what is open: whether a key that writes may also read. */
export const refusedToKeys = (says: string): Row<Operations> =>
  row(says, async (check, operations) => {
    const keys = scopedKeys(check);
    const { cells, empty } = await tryRefused(check, scopedKeys, operations);
    for (const operation of operations)
      for (const { as, scope } of keys.filter((one) => rightOf(one.scope, operation) === 'open')) {
        const exchange = await operation.attempt({ as });
        const answer = operation.succeeded(exchange) ? 'yes' : `no (${exchange.response?.status ?? 'no answer'})`;
        check.observe(`Does ${scope} imply reading (${operation.name})?`, answer);
      }
    // A key that grants no live operation is refused everywhere by right.
    const readers = keys.filter(({ scope }) => operations.some((one) => rightOf(scope, one) === 'granted'));
    await blockUnknown(
      check,
      readers.map(({ as }) => as),
      operations,
    );
    const unclear: Cell[] = [];
    for (const cell of empty) {
      const { caller, operation, asking } = cell;
      if (!isEmptyList(await operation.attempt({ ...asking, as: 'API_KEY' }))) continue;
      unclear.push(cell);
      const question = `Is a key with ${caller.scope ?? ''} refused this: ${operation.name}?`;
      check.observe(question, 'unknown: the list is empty for every key');
    }
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
      part: 'status',
    }),
  );

/** An answer to a key that may not do what was asked. */
interface ScopedAnswer extends Answer {
  readonly scope: Scope;
  readonly resource: Resource;
}

export const resources = { unit: 'inventory', lead: 'leads', deal: 'deals' } as const;
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
    part: 'status',
  }));

const statusOf = ({ response }: Exchange): number => response?.status ?? 500;
const isForbidden = (exchange: Exchange): boolean => [401, 403].includes(statusOf(exchange));

const lists = Object.entries({ inventory: paths.units, deals: paths.deals, leads: paths.leads }) as [
  Resource,
  string,
][];

const sends = (check: Check, request: RequestOptions) => (asking: Asking) => check.send({ ...asking, ...request });

const read = (
  name: string,
  resource: Resource,
  attempt: ScopedOperation['attempt'],
  most?: number,
): ScopedOperation => ({
  name,
  resource,
  writes: false,
  succeeded: (exchange) => isSuccess(exchange) && !isEmptyList(exchange),
  attempt,
  most,
});

/** A page of a list by a cursor that the caller was given, or API_KEY under the same form; the list itself where none leads on. */
async function pageByCursor(check: Check, path: string, asking: Asking, isOwn: boolean): Promise<Exchange> {
  const limits = path === paths.units ? [10, 50] : [2, 10];
  const find = (giver: Asking) => pageWithNext(check, { ...giver, path }, limits);
  const first = await (isOwn
    ? find(asking)
    : check.once(`page of ${path} that leads on, ${asking.form ?? ''} form`, () => find({ ...asking, as: 'API_KEY' })));
  const next = first && (await pageAfter(check, { path, limit: first.limit, ...asking }, first.page));
  return next?.exchange ?? check.send({ path, ...asking });
}

/** The lists by a cursor that the caller was given, or API_KEY. */
async function furtherPages(check: Check, isOwn: boolean, most: number): Promise<ScopedOperation[]> {
  const pages: ScopedOperation[] = [];
  for (const [resource, path] of lists)
    if ((await cursorParameter(check, path)) !== null)
      pages.push(
        read(`list a second page of ${resource}`, resource, (asking) => pageByCursor(check, path, asking, isOwn), most),
      );
  return pages;
}

/** Further pages, by the caller's own cursor: what a scope grants is granted there, too. */
const secondPages: Shapes = (check) => furtherPages(check, true, 1);

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
    most: 1,
    succeeded: (exchange) => check.doubtOf(exchange) !== null || !isLeft(one, exchange),
  }));
};

/** Whether HEAD distinguishes existing from unknown units for this caller: a service that answers 200 to every HEAD reveals nothing. */
export async function headTells(check: Check, options: Asking): Promise<boolean> {
  return isRefusal(await check.send({ ...options, method: 'HEAD', path: paths.unit(check.fresh('unknown unit')) }));
}

/** Further ways to what the plain operations give, shut to whoever is refused those. */
const otherwise: Shapes = async (check) => {
  const { contract } = await check.contract();
  const shapes: ScopedOperation[] = [];
  for (const [resource, path] of lists) {
    const view = (name: string, request: Partial<RequestOptions>): ScopedOperation =>
      read(`${name} ${resource}`, resource, sends(check, { path, ...request }), 2);
    // Where a refusal is answered with 200, too, HEAD shows no difference.
    const givesAway: ScopedOperation['givesAway'] = async (exchange, asking) => {
      if (!succeeded(exchange)) return false;
      const plain = await check.send({ path, ...asking });
      return isRefusal(plain) && !succeeded(plain) && (await headTells(check, asking));
    };
    const filter = path === paths.units ? [['status', 'available'] as const] : [];
    shapes.push(view('list a part of', { query: [...filter, ['limit', '1']] }));
    if (path === paths.units || contract.operation('GET', path) !== null)
      shapes.push({ ...view('ask for HEAD of', { method: 'HEAD' }), givesAway });
  }
  // A cursor is no credential.
  shapes.push(...(await furtherPages(check, false, 2)));
  if (check.target.readOnly) return shapes;
  const [lead, key] = [await plainLead(check), check.fresh('idempotency key')];
  if (isSuccess(await postLead(check, lead, { key })))
    shapes.push({
      ...read('replay a create', 'leads', (asking) => postLead(check, lead, { ...asking, key }), 1),
      writes: true,
    });
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

/** The lists under other spellings of their paths: to whom the plain path shows none, they show no record that is known, and no phone. */
const spelled: Shapes = async (check) => {
  const deals = itemsIn(await check.send({ path: paths.deals })) ?? [];
  const shown = new Set([...(await unitsIfReadable(check)), ...deals].map(idOf).filter((id) => id !== null));
  const isKnown = (record: unknown): boolean =>
    shown.has(idOf(record) ?? '') || asObject(record)?.['phone'] !== undefined;
  return lists.flatMap(([resource, plain]) =>
    spellings(plain).map((path) => ({
      ...read(`list ${path}`, resource, sends(check, { path, surface: 'other', form: 'first' }), 1),
      givesAway: async (exchange, asking) =>
        isSuccess(exchange) &&
        (itemsIn(exchange) ?? []).some(isKnown) &&
        !isSuccess(await check.send({ ...asking, path: plain, form: 'first' })),
    })),
  );
};

/** What operations are tried in. */
export const shapes = {
  /** Each operation as the document, or else the specification, names it. */
  plain: (_: Check, operations: Operations) => operations,
  first: (_: Check, operations: Operations) => operations.slice(0, 1),
  secondPages,
  inOtherTenant,
  otherwise,
  spelled,
} as const;

/** What trying a granted operation tells: a breach, or whether it could be judged. A refusal that no other key is spared has a reason that is not the key's rights. */
async function tryGranted(
  check: Check,
  operation: ScopedOperation,
  { label, as, tenant, scope }: Key,
  form: AddressForm,
  plain: ScopedOperation = operation,
): Promise<Breach | 'judged' | 'unknown' | 'no units'> {
  const isAdmin = as === 'API_KEY';
  const attempt = (): Promise<Exchange> => operation.attempt({ as, form, ...(tenant === undefined ? {} : { tenant }) });
  const exchange = await attempt();
  if (operation.succeeded(exchange)) return 'judged';
  const actual = `${describe(exchange)}: ${quote(exchange.response?.json)}`;
  const where = form === 'second' ? ` ${secondForm}` : '';
  const expected = `${label} to be able to ${operation.name}${where}`;
  const breach = { code: 'not-granted', expected, actual, part: 'status' as const };
  // Full access is refused for want of rights by these statuses, whatever other keys get.
  if (scope === 'admin:*' && isForbidden(exchange)) return { ...breach, exchanges: [exchange] };
  const lesser = scopedKeys(check).find(({ scope }) => rightOf(scope, operation) === 'granted');
  const control = isAdmin ? lesser?.as : 'API_KEY';
  const other = control === undefined ? null : await plain.attempt({ as: control, form });
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
      for (const [at, operation] of (await shapes(check, operations)).entries()) {
        if (rightOf(key.scope, operation) !== 'granted') continue;
        // What is done in the second tenant is tried in the first for a control.
        const plain = operations.find(({ name }) => name === operation.name);
        for (const form of formsFrom(check, at).slice(0, operation.most)) {
          const result = await tryGranted(check, operation, key, form, plain);
          results.push(result);
          if (typeof result === 'object') breaches.push(result);
        }
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
