import { type Check, describe, randomFrom, seedFor } from '../../run/index.js';
import { isRefusal, isSuccess, paths, quote } from '../../service/index.js';
import { isRefusedForItself, vehiclesFor } from '../../api/index.js';
import type { Exchange } from '../../http/index.js';
import { bodyOf, freshBody, likeBody, type LeadBody } from '../lead-body.js';
import { identityOf } from '../lead-answer.js';
import { RequestLog, home } from '../request-log.js';
import { openRequestLog, probeTraits, type ProbeTraits } from '../probe-traits.js';
import { requestBudget } from '../model/request-budget.js';
import { unlisted } from '../unlisted.js';

/** The place of the version in a UUID. */
const versionPlace = 14;

/** Places in a UUID where one character can change and leave a version 4 UUID: all but the hyphens and the version. */
const places = Array.from({ length: 36 }, (_, at) => at).filter((at) => ![8, 13, versionPlace, 18, 23].includes(at));

/** Places that each tell a different way of cutting a key short, most telling first. */
const telling = [35, 9, 0, 7, 20, 19, 24, 12, 31, 17, 15];

/** A key in which the two most telling places hold a letter and a digit: a service may compare only one of the two. */
function baseKey(check: Check): string {
  for (;;) {
    const key = check.fresh('base key');
    if (/^.{9}\d.*[a-f]$/.test(key)) return key;
  }
}

/** The key with one character changed at `place`, a letter for a letter or a digit for a digit, still a version 4 UUID. */
export function changedAt(key: string, place: number, pick: number): string {
  const isDigit = (one: string): boolean => /\d/.test(one);
  const alphabet = place === 19 ? '89ab' : '0123456789abcdef';
  const old = key[place] ?? '';
  const others = Array.from(alphabet).filter((one) => one !== old && isDigit(one) === isDigit(old));
  return key.slice(0, place) + (others[Math.floor(pick * others.length)] ?? '0') + key.slice(place + 1);
}

/** The key as one of another version. */
function ofVersion(key: string, version: string): string {
  return key.slice(0, versionPlace) + version + key.slice(versionPlace + 1);
}

/** A kind of key that differs from a used one in one respect. */
interface NearKey {
  readonly where: string;
  alter(key: string): string;
  /** The version of the altered keys, where a service may refuse all keys of it. */
  readonly version?: string;
}

/** What came of a near key: its own lead, as it was sent, or the exchanges that show that it is refused for its likeness. */
type Tried = { readonly own: LeadBody } | { readonly refusal: readonly Exchange[] } | 'another lead' | 'refused';

const expectedOf = ({ where }: NearKey): string =>
  `a key that differs from a used one only in ${where} to make its own lead`;

/** Uses a near key of `base`, which made `first`. A refusal proves nothing where the lead, or every key of the kind, is refused. */
async function tryNear(log: RequestLog, near: NearKey, base: string, first: Exchange): Promise<Tried> {
  const { check } = log;
  const label = `the lead of a key that differs in ${near.where} (${log.entries.length})`;
  // A refusal stays out of the record.
  const trial = new RequestLog(check, log.traits);
  trial.entries.push(...log.entries);
  const own = await freshBody(check, label);
  const answer = await trial.settle(near.alter(base), own);
  if (isSuccess(answer)) {
    log.entries.push(...trial.entries.slice(log.entries.length));
    return log.judge('unexplained', expectedOf(near)) ? { own } : 'another lead';
  }
  if (await isRefusedForItself(check, answer)) return 'refused';
  const control = await trial.settle(
    near.alter(check.fresh('control key')),
    await likeBody(check, `a control for ${label}`, own),
  );
  if (isSuccess(control)) return { refusal: [first, answer, control] };
  return near.version === undefined ? check.blocked(`creates stopped working: ${describe(control)}`) : 'refused';
}

/** A near key of a second base key: what one refusal or one lead that is not there shows may have another reason. */
async function tryAgain(log: RequestLog, near: NearKey): Promise<Tried> {
  const { check } = log;
  const base = baseKey(check);
  const first = await log.settle(base, await freshBody(check, `the lead of another base key (${log.entries.length})`));
  return isSuccess(first) ? tryNear(log, near, base, first) : 'refused';
}

/** A warning for UUIDs that are refused as keys, unless the document declares a pattern: the specification says no more than "UUID". */
async function judgeRefusedKeys(check: Check, log: RequestLog, versions: readonly string[]): Promise<void> {
  const operation = (await check.contract()).contract.operation('POST', paths.leads);
  const declared = operation?.parameters.find(({ name }) => /^idempotency-key$/i.test(name));
  if (/"(pattern|\$ref)":/.test(JSON.stringify(declared?.node ?? null))) return;
  const body = await freshBody(check, 'the lead of an upper-case key');
  const upper = await new RequestLog(check, log.traits).settle(check.fresh('upper-case key').toUpperCase(), body);
  const refused = [
    ...versions.map((version) => `of version ${version}`),
    ...(isRefusal(upper) ? ['in upper case'] : []),
  ];
  if (refused.length > 0)
    check.warn({
      code: 'uuid-refused',
      expected: 'a UUID of any version and case to be accepted as a key',
      actual: `every key ${refused.join(' or ')} is refused`,
      exchanges: [upper],
    });
}

/** Leads that have their name or their phone in common with `body`, and nothing else. */
async function halfEqual(check: Check, body: LeadBody): Promise<readonly (readonly [string, LeadBody])[]> {
  const [first, second] = [await freshBody(check, 'a third lead'), await freshBody(check, 'a fourth lead')];
  const { name, phone } = body.fields;
  return [
    ['phone', bodyOf('the same phone under another name', { ...first.fields, phone }, first.marks.slice(0, -1), false)],
    ['name', bodyOf('the same name with another phone', { ...second.fields, name }, second.marks.slice(-1), false)],
  ];
}

/** Leads that have something in common should be leads of their own: a service may merge or refuse them, whatever their keys are. */
async function judgeCommonFields(check: Check, known: ProbeTraits, body: LeadBody, first: Exchange): Promise<void> {
  const log = new RequestLog(check, known);
  const twin: LeadBody = { ...body, label: 'an equal body' };
  // If a vehicle accepts one lead at a time, the vehicle is the reason for the refusal of an equal lead.
  const { exclusive } = await vehiclesFor(check);
  for (const [what, other] of [...(await halfEqual(check, body)), ...(exclusive ? [] : [['content', twin] as const])]) {
    const answer = await log.settle(check.fresh('other key'), other);
    const [one, two] = [identityOf(first), identityOf(answer)];
    if (isSuccess(answer) && !(known.shows === 'id' && one !== null && one === two)) continue;
    check.warn({
      code: 'alike-merged',
      field: what,
      expected: `two leads with different keys and the same ${what} to be two leads`,
      actual: isSuccess(answer) ? `both show lead ${quote(one)}` : `the second is refused: ${describe(answer)}`,
      exchanges: [first, answer],
    });
    return;
  }
}

/** Creates leads under keys that differ in one character: each makes its own. */
export async function judgeNearKeys(check: Check): Promise<void> {
  const known = await probeTraits(check);
  if (known.sameId !== null) {
    check.fail({
      code: 'merged',
      expected: 'two leads with different keys and bodies to be two leads',
      actual: `both were shown as lead ${quote(known.sameId.id)}`,
      exchanges: known.sameId.exchanges,
    });
    return;
  }
  const { log } = await openRequestLog(check);
  const random = randomFrom(seedFor(check.run.seed, 'near keys'));
  const base = baseKey(check);
  const body = await freshBody(check, 'the lead of the base key');
  const first = await log.settle(base, body);
  if (!isSuccess(first)) check.blocked(`the first lead could not be created: ${describe(first)}`);
  const order = [...telling, ...places.filter((place) => !telling.includes(place))];
  const tried = order.slice(0, requestBudget(check).nearKeys);
  const near: NearKey[] = [
    ...tried.map((place) => ({
      where: `character ${place + 1}`,
      alter: (key: string): string => changedAt(key, place, random()),
    })),
    ...['7', '1'].map((version) => ({
      where: `its version, ${version}`,
      alter: (key: string): string => ofVersion(key, version),
      version,
    })),
  ];
  const made: { readonly one: NearKey; readonly own: LeadBody }[] = [];
  const refused: string[] = [];
  for (const one of near) {
    let result = await tryNear(log, one, base, first);
    if (typeof result === 'object' && 'refusal' in result) result = await tryAgain(log, one);
    if (result === 'another lead') return;
    if (result === 'refused') {
      if (one.version !== undefined) refused.push(one.version);
    } else if ('own' in result) made.push({ one, own: result.own });
    else {
      const [, answer] = result.refusal;
      check.fail({
        code: 'near-key-refused',
        expected: expectedOf(one),
        actual: `${answer === undefined ? '' : describe(answer)}, though other keys are taken`,
        exchanges: result.refusal,
      });
      return;
    }
  }
  await judgeRefusedKeys(check, log, refused);
  // An answer may show data it was sent and still have made nothing, so the list is asked as well.
  const lacking = await unlisted(
    log,
    home,
    made.map(({ own }) => own),
  );
  if (lacking === null && known.shows === 'no id' && !known.echoes)
    check.blocked('it cannot be observed: neither the answers nor a list show the leads');
  const lost = made.filter(({ own }) => lacking?.includes(own));
  if (lost[0] !== undefined && (await isLostAgain(log, lost[0].one))) {
    const exchangesOf = ({ own }: { own: LeadBody }): Exchange[] =>
      log.entries.filter((entry) => entry.body === own).map((entry) => entry.exchange);
    check.fail({
      code: 'near-key-lost',
      expected: 'every key that differs from a used one in one character to make its own lead',
      actual: `${lost.length} of ${made.length} were answered with a success, and the list does not have the lead: ${lost.map(({ one }) => one.where).join('; ')}`,
      exchanges: [first, ...lost.flatMap(exchangesOf)],
    });
    return;
  }
  check.observe('In how many places of the key was one character changed?', `${tried.length} of ${places.length}`);
  await judgeCommonFields(check, known, body, first);
}

/** Whether another such lead is not in the list either: one alone may have been deleted by somebody. */
async function isLostAgain(log: RequestLog, one: NearKey): Promise<boolean> {
  const again = await tryAgain(log, one);
  return typeof again !== 'object' || !('own' in again) || ((await unlisted(log, home, [again.own])) ?? []).length > 0;
}
