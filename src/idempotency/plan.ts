import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { follow } from '../openapi/index.js';
import { type Check, randomFrom, seedFor } from '../run/index.js';
import type { Exchange } from '../http/index.js';
import { isSuccess, paths } from '../service/index.js';
import { isBusy } from './lead-answer.js';
import { type BodyForm, type LeadBody, leadOf, type Route, unitBodies } from './lead-body.js';
import { type Create, type Entry, home, type KeyForm, type Party, type RequestLog } from './request-log.js';

/** One create of a plan. */
export interface PlannedCreate {
  /** Which of the plan's keys; equal numbers are one key. */
  readonly key: number;
  readonly form?: KeyForm;
  readonly body?: BodyForm;
  /** The key whose bodies it takes, where that is another one. */
  readonly of?: number;
  readonly by?: Party;
  readonly route?: Route;
  /** How often it is sent, again only where it succeeded. */
  readonly times?: number;
  /** How long it waits, in parts of the time that a create took before; for creates at the same time. */
  readonly late?: number;
}

/** A step: one create, or several sent at the same time. */
export type Command = readonly PlannedCreate[];

/** One create after another. */
export const inTurn = (...creates: readonly PlannedCreate[]): Command[] => creates.map((one) => [one]);

/** So many creates with keys and bodies of their own, four at a time. */
export function manyOthers(count: number, route: Route = 'leads'): Command[] {
  const together = route === 'units' ? 1 : 4;
  const create = (at: number): PlannedCreate => ({
    key: (route === 'units' ? 5000 : 1000) + at,
    body: 'one of many',
    route,
  });
  return Array.from({ length: Math.ceil(count / together) }, (_, step) =>
    Array.from({ length: Math.min(together, count - step * together) }, (__, at) => create(step * together + at)),
  );
}

/** The place of the version in a UUID. */
const versionPlace = 14;

/** The places in a UUID where a character can change and leave a version 4 UUID, those first that each tell another way of cutting a key short. */
export const nearPlaces: readonly number[] = (() => {
  const telling = [35, 9, 0, 7, 20, 19, 24, 12, 31, 17, 15];
  const fixed = [...telling, 8, 13, versionPlace, 18, 23];
  return [...telling, ...Array.from({ length: 36 }, (_, at) => at).filter((at) => !fixed.includes(at))];
})();

/** A key in which the two most telling places hold a letter and a digit: a service may compare only one of the two. */
function freshKey(check: Check): string {
  for (;;) {
    const key = check.fresh('planned key');
    if (/^.{9}\d.*[a-f]$/.test(key)) return key;
  }
}

/** The key written in the given form; another character is a letter for a letter, or a digit for a digit. */
export function writeKey(check: Check, key: string, form: KeyForm): string {
  const replaced = (place: number, text: string): string => key.slice(0, place) + text + key.slice(place + 1);
  if (typeof form === 'object') {
    if ('version' in form) return replaced(versionPlace, String(form.version));
    const old = key[form.near] ?? '';
    const isDigit = (one: string): boolean => /\d/.test(one);
    const alphabet = form.near === 19 ? '89ab' : '0123456789abcdef';
    const others = Array.from(alphabet).filter((one) => one !== old && isDigit(one) === isDigit(old));
    const pick = randomFrom(seedFor(check.run.seed, `near ${form.near}`))();
    return replaced(form.near, others[Math.floor(pick * others.length)] ?? '0');
  }
  const forms = {
    usual: () => key,
    capitals: () => key.toUpperCase(),
    quoted: () => `"${key}"`,
    'no UUID': () => `not a uuid ${key.slice(0, 8)}`,
    // Longer than most columns for keys.
    long: () => key.repeat(15).slice(0, 257 + Math.floor(randomFrom(seedFor(check.run.seed, 'long key'))() * 256)),
  };
  return forms[form]();
}

/** How many volleys may use connections that were opened in advance: idle ones are closed after a few seconds. */
const volleysPerOpening = 8;

/** The time that a create took in this log, in milliseconds. */
function usualMs({ entries }: RequestLog): number {
  const took = entries.map(({ exchange }) => exchange).filter(isSuccess);
  return Math.min(200, Math.max(2, Math.min(...took.map((one) => one.receivedAtMs - one.sentAtMs), 500)));
}

/** Carries out plans, whose keys and bodies are the same in all of them; what it hands back are the entries of one plan. */
export function playerOf(log: RequestLog): (plan: readonly Command[]) => Promise<Entry[]> {
  const { check } = log;
  const keys = new Map<number, string>();
  const bodies = new Map<string, LeadBody | null>();
  let units: ReturnType<typeof unitBodies> | undefined;
  const drawUnit = async (label: string): Promise<LeadBody | null> =>
    (await (units ??= unitBodies(check)))?.(label) ?? null;
  const keyOf = ({ key, form = 'usual' }: PlannedCreate): string => {
    const known = keys.get(key) ?? freshKey(check);
    keys.set(key, known);
    return writeKey(check, known, form);
  };
  const bodyFor = async (create: PlannedCreate): Promise<LeadBody | null> => {
    const { key, of = key, form, body = 'own', by = home, route = 'leads' } = create;
    const scope =
      body === 'of both tenants'
        ? of
        : body === 'common'
          ? by.name
          : [by.name, of, typeof form === 'object' ? form : ''];
    const name = JSON.stringify([route, body, scope]);
    const known = bodies.get(name);
    if (known !== undefined) return known;
    const own = ['own', 'common', 'one of many'].includes(body) ? null : await bodyFor({ ...create, body: 'own' });
    const label = `${route === 'units' ? 'unit' : 'lead'} ${(log.drawn += 1)}${body === 'own' ? '' : ` (${body})`}`;
    const result = route === 'leads' ? await leadOf(check, label, body, own, by.options) : await drawUnit(label);
    bodies.set(name, result);
    return result;
  };
  const start = log.entries.length;
  /** Whether the create is a first one or a replay, so that a "busy" answer is worth a second try. */
  const isExpected = ({ key, body, party }: Create): boolean => {
    const made = log.entries
      .slice(start)
      .find((entry) => entry.key === key && entry.party.name === party.name && isSuccess(entry.exchange));
    return made === undefined || made.body.label === body.label;
  };
  const sendOne = async (create: Create, times?: number): Promise<void> => {
    const settles = times !== undefined || (create.body.plain && isExpected(create));
    for (let sent = 0; sent < (times ?? 1); sent += 1)
      if (!isSuccess(await (settles ? log.settle(create) : log.post(create)))) return;
  };
  const sendTogether = async (creates: readonly Create[], late: readonly number[]): Promise<void> => {
    const isAlone = ({ key }: Create): boolean => creates.filter((one) => one.key === key).length === 1;
    const isRace = !creates.every(isAlone);
    // Last, as making a body may take a while.
    if (isRace && log.volleys.length % volleysPerOpening === 0) await openConnections(check, creates.length);
    // A connection is free again a moment after the answer on it has been read; a request before that opens another one.
    await setImmediate();
    const spanMs = usualMs(log);
    const send = async (create: Create, at: number): Promise<Exchange> => {
      if (late[at] !== undefined && late[at] > 0) await sleep(late[at] * spanMs);
      return log.post(create);
    };
    const answers = await Promise.all(creates.map(send));
    if (isRace) log.volleys.push(answers);
    // A service may accept one create at a time.
    for (const [at, create] of creates.entries())
      if (isAlone(create) && answers[at] !== undefined && isBusy(answers[at])) await log.post(create);
  };
  return async (plan) => {
    const before = log.entries.length;
    for (const step of plan) {
      const creates: Create[] = [];
      const late: number[] = [];
      for (const planned of step) {
        const body = await bodyFor(planned);
        if (body === null) continue;
        creates.push({ key: keyOf(planned), form: planned.form ?? 'usual', body, party: planned.by ?? home });
        late.push(planned.late ?? 0);
      }
      const [only] = creates;
      if (creates.length > 1) await sendTogether(creates, late);
      else if (only !== undefined) await sendOne(only, step[0]?.times);
    }
    return log.entries.slice(before);
  };
}

/** Opens `count` connections in advance, so that no handshake delays one of the concurrent requests. */
async function openConnections(check: Check, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => check.send({ path: paths.units, query: [['limit', '1']] })));
}

/** Carries out creates one by one; what it hands back is the answer. */
export function senderOf(log: RequestLog): (create: PlannedCreate) => Promise<Exchange> {
  const play = playerOf(log);
  return async (create) => {
    const exchange = (await play([[create]])).at(-1)?.exchange;
    return exchange ?? log.check.blocked('the target offers no such create');
  };
}

/** Waits until the first create of the log is that old. */
export async function pauseSince({ entries }: RequestLog, ageMs: number): Promise<void> {
  const [first, last] = [entries[0]?.exchange, entries.at(-1)?.exchange];
  if (first !== undefined && last !== undefined)
    await sleep(Math.max(0, ageMs - (last.receivedAtMs - first.receivedAtMs)));
}

/** How the document declares the idempotency key of a lead: a parameter with the format of its schema. */
export async function keyDeclaration(
  check: Check,
): Promise<{ readonly node: unknown; readonly format: unknown } | undefined> {
  const { contract } = await check.contract();
  const { parameters = [] } = contract.operation('POST', paths.leads) ?? {};
  const declared = parameters.find(({ name }) => /^idempotency-key$/i.test(name));
  return (
    declared && { node: declared.node, format: follow(contract.document, declared.node['schema'], '')?.node['format'] }
  );
}
