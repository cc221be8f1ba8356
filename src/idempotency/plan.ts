import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type Check, randomFrom, seedFor } from '../run/index.js';
import type { Exchange } from '../http/index.js';
import { isSuccess, paths } from '../service/index.js';
import { isBusy } from './lead-answer.js';
import { type BodyForm, type LeadBody, leadOf, type Route, unitBodies } from './lead-body.js';
import {
  type Create,
  type Entry,
  type KeyForm,
  partiesFor,
  type Party,
  type RequestLog,
  type Sender,
} from './request-log.js';

/** One create of a plan. */
export interface PlannedCreate extends Pick<Create, 'late'> {
  /** Which of the plan's keys; equal numbers are one key. */
  readonly key: number;
  readonly form?: KeyForm;
  readonly body?: BodyForm;
  /** The key whose bodies it takes, where that is another one. */
  readonly of?: number;
  /** The usual place unless said; `any` is drawn for each key, so that the keys of a row, or its rounds, visit all places that the target offers. */
  readonly by?: Sender | 'any';
  readonly route?: Route;
  /** How often it is sent, again only where it succeeded. */
  readonly times?: number;
  /** How old the first create of all has to be, in milliseconds. */
  readonly ageMs?: number;
  /** A replay that is left out where replays do not show their leads, as IDEM-01 reports. */
  readonly again?: true;
}

/** A step: one create, or several sent at the same time. */
export type Command = readonly PlannedCreate[];

/** One create after another. */
export const inTurn = (...creates: readonly PlannedCreate[]): Command[] => creates.map((one) => [one]);

/** So many creates with keys and bodies of their own, four at a time. */
export function manyOthers(count: number, route: Route = 'leads'): Command[] {
  const together = route === 'units' ? 1 : 4;
  const all = Array.from({ length: count }, (_, at) => ({ key: 1_000 + at, body: 'one of many', route }) as const);
  return Array.from({ length: Math.ceil(count / together) }, (_, at) => all.slice(at * together, (at + 1) * together));
}

/** Creates with one key at the same time; every third round spread over the time that a create took before, which other windows need. */
export function raceOf(round: number, count: number): Command {
  const factor = isSpread(round) ? (round % 2 === 0 ? 1 : 1.6) : 0;
  return Array.from({ length: count }, (_, at) => ({
    key: 0,
    by: 'any',
    late: (factor * at) / Math.max(1, count - 1),
  }));
}

/** Whether the creates of a race are spread. */
export const isSpread = (round: number): boolean => round % 3 === 2;

/** The place of the version in a UUID. */
const versionPlace = 14;

/** The places in a UUID where a character can change and leave a version 4 UUID, those first that each tell another way of cutting a key short. */
export const nearPlaces: readonly number[] = (() => {
  const telling = [35, 9, 0, 7, 20, 19, 24, 12, 31, 17, 15];
  const fixed = [...telling, 8, 13, versionPlace, 18, 23];
  return [...telling, ...Array.from({ length: 36 }, (_, at) => at).filter((at) => !fixed.includes(at))];
})();

/** A key in which the two most telling places hold a letter and a digit, or the reverse where it is odd: a service may compare only one of the two. */
function freshKey(check: Check, isOdd: boolean): string {
  for (;;) {
    const key = check.fresh('planned key');
    if ((isOdd ? /^.{9}[a-f].*\d$/ : /^.{9}\d.*[a-f]$/).test(key)) return key;
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

/** Who sends a planned create; undefined where the target does not offer the place. */
async function partyOf(check: Check, { key, by = 'home', route = 'leads' }: PlannedCreate, row: string, round: number) {
  const parties = await partiesFor(check, route);
  if (by !== 'any') return parties.find(({ sender }) => sender === by);
  return parties[(seedFor(check.run.seed, `places of ${row}`) + key + round) % parties.length];
}

/** The body of a planned create, the same each time; null where the target offers none. */
async function bodyFor(log: RequestLog, create: PlannedCreate, party: Party, scope: string): Promise<LeadBody | null> {
  const { check, bodies } = log;
  const { key, of = key, form, body = 'own', route = 'leads' } = create;
  const owner =
    body === 'of both tenants'
      ? [of]
      : body === 'common'
        ? [party.name]
        : [party.name, of, typeof form === 'object' ? form : ''];
  const name = JSON.stringify([scope, route, body, ...owner]);
  const known = bodies.get(name);
  if (known !== undefined) return known;
  const own =
    ['own', 'common', 'one of many'].includes(body) || route === 'units'
      ? null
      : await bodyFor(log, { ...create, body: 'own' }, party, scope);
  const label = `${route === 'units' ? 'unit' : 'lead'} ${bodies.size + 1}${body === 'own' ? '' : ` (${body})`}`;
  const made =
    route === 'leads'
      ? await leadOf(check, label, body, own, party.name === 'tenant B' ? party.options : {})
      : ((await unitBodies(check))?.(label) ?? null);
  bodies.set(name, made);
  return made;
}

/** Sends one create, again where it is to be sent several times, or "busy" says nothing of it: it is a first one or a replay. */
async function sendOne(log: RequestLog, create: Create, times?: number): Promise<void> {
  const { key, body, party } = create;
  const made = log.entries.find((one) => one.key === key && one.party.name === party.name && isSuccess(one.exchange));
  const isExpected = body.plain && (made === undefined || made.body.label === body.label);
  for (let sent = 0; sent < (times ?? 1); sent += 1) {
    const exchange = await (times !== undefined || isExpected ? log.settle(create) : log.post(create));
    if (!isSuccess(exchange)) return;
  }
}

async function sendTogether(log: RequestLog, creates: readonly Create[]): Promise<void> {
  const isAlone = ({ key }: Create): boolean => creates.filter((one) => one.key === key).length === 1;
  const isRace = !creates.every(isAlone);
  // Last, as making a body may take a while; so that no handshake delays one of the requests.
  if (isRace && log.volleys.length % volleysPerOpening === 0)
    await Promise.all(creates.map(() => log.check.send({ path: paths.units, query: [['limit', '1']] })));
  // A connection is free again a moment after the answer on it has been read; a request before that opens another one.
  await setImmediate();
  const spanMs = usualMs(log);
  const send = async (create: Create): Promise<Exchange> => {
    if (create.late) await sleep(create.late * spanMs);
    return log.post(create);
  };
  const answers = await Promise.all(creates.map(send));
  if (isRace) log.volleys.push(answers);
  // A service may accept one create at a time.
  for (const [at, create] of creates.entries())
    if (isAlone(create) && answers[at] !== undefined && isBusy(answers[at])) await log.post(create);
}

/** Carries out a plan, whose keys and bodies are those of all plans of this scope; hands back its entries. `row`, `round`: for which places are drawn. */
export async function play(
  log: RequestLog,
  plan: readonly Command[],
  scope = '',
  [row, round]: readonly [string, number] = [scope, 0],
): Promise<Entry[]> {
  const { check, entries, keys, traits } = log;
  const before = entries.length;
  const keyOf = ({ key, form = 'usual' }: PlannedCreate): string => {
    const name = `${scope} ${key}`;
    const known = keys.get(name) ?? freshKey(check, key % 2 === 1);
    keys.set(name, known);
    return writeKey(check, known, form);
  };
  for (const step of plan) {
    const creates: Create[] = [];
    for (const planned of step) {
      if (planned.again && !traits.replays) continue;
      const party = await partyOf(check, planned, row, round);
      const body = party === undefined ? null : await bodyFor(log, planned, party, scope);
      if (body === null || party === undefined) continue;
      creates.push({ form: 'usual', ...planned, key: keyOf(planned), body, party });
    }
    const [only] = creates;
    if (creates.length > 1) await sendTogether(log, creates);
    else if (only !== undefined) {
      const [first, last] = [entries[0]?.exchange, entries.at(-1)?.exchange];
      if (first !== undefined && last !== undefined && step[0]?.ageMs !== undefined)
        await sleep(Math.max(0, step[0].ageMs - (last.receivedAtMs - first.receivedAtMs)));
      await sendOne(log, only, step[0]?.times);
    }
  }
  return entries.slice(before);
}

/** Sends one create; what it hands back is the answer. */
export async function sendPlanned(log: RequestLog, create: PlannedCreate): Promise<Exchange> {
  const exchange = (await play(log, [[create]])).at(-1)?.exchange;
  return exchange ?? log.check.blocked('the target offers no such create');
}
