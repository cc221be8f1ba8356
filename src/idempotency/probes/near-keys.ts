import { randomFrom, seedFor } from '../../run/random.js';
import { isRefusal, isSuccess } from '../../service/envelope.js';
import { vehiclesFor } from '../../api/leads/lead-factory.js';
import { quote } from '../../service/json.js';
import { paths } from '../../service/paths.js';
import { isRefusedForItself } from '../../api/leads/refused-leads.js';
import type { Exchange } from '../../http/exchange.js';
import { describe, type Check } from '../../run/check.js';
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

/** The answer to a key that differs from a used one only in its version. */
type Taken = 'its own lead' | 'another lead' | 'refused' | { readonly exchanges: readonly Exchange[] };

/**
 * Uses a key that differs from `base` (which made `first`) only in its version. A refusal proves nothing where the service refuses every
 * key of that version.
 */
async function tryVersion(log: RequestLog, base: string, first: Exchange, version: string): Promise<Taken> {
  const { check } = log;
  const named = `version ${version} (${log.entries.length})`;
  // A refusal stays out of the record: a version may be refused.
  const trial = new RequestLog(check, log.traits);
  trial.entries.push(...log.entries);
  const own = await freshBody(check, `the lead of the key of ${named}`);
  const answer = await trial.settle(ofVersion(base, version), own);
  if (isSuccess(answer)) {
    log.entries.push(...trial.entries.slice(log.entries.length));
    return log.judge(expectedOfVersions) ? 'its own lead' : 'another lead';
  }
  const body = await likeBody(check, `a control lead of ${named}`, own);
  const control = await trial.settle(ofVersion(check.fresh('control key'), version), body);
  return isSuccess(control) ? { exchanges: [first, answer, control] } : 'refused';
}

const expectedOfVersions = 'a key that differs from a used one only in its version to make its own lead';

/**
 * Keys that differ from the base key only in the UUID version create their own leads, where the service accepts such versions. Returns
 * whether that held.
 */
async function judgeVersions(log: RequestLog, base: string, first: Exchange): Promise<boolean> {
  const { check } = log;
  const refused: string[] = [];
  for (const version of ['7', '1']) {
    let taken = await tryVersion(log, base, first, version);
    if (typeof taken === 'object') {
      // The refusal of a key of such a version may depend on its other characters: two keys must show it.
      const second = check.fresh('second base key');
      const again = await log.settle(second, await freshBody(check, `the lead of a base key, ${version}`));
      taken = isSuccess(again) ? await tryVersion(log, second, again, version) : 'refused';
    }
    if (typeof taken === 'object') {
      const { exchanges } = taken;
      const actual = `it is refused, though other keys of version ${version} are taken`;
      check.fail({ expected: expectedOfVersions, actual, exchanges });
      return false;
    }
    if (taken === 'another lead') return false;
    if (taken === 'refused') refused.push(version);
  }
  check.observe('Which versions of UUIDs are refused as keys?', refused.join(', ') || 'neither 1 nor 4 nor 7');
  await judgeRefusedKeys(check, log, refused);
  return true;
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
      expected: 'a UUID of any version and case to be accepted as a key',
      actual: `every key ${refused.join(' or ')} is refused`,
      exchanges: [upper],
    });
}

/** Whether a lead under another key changed at the same place is not in the list either: one alone may have been deleted by somebody. */
async function stillLacking(log: RequestLog, base: string, lacking: readonly LeadBody[]): Promise<boolean> {
  const { check } = log;
  const label = lacking[0]?.label ?? '';
  const version = /version (\d) /.exec(label)?.[1];
  const place = Number(/(?<!\d)\d+$/.exec(label)?.[0] ?? 1) - 1;
  const used = new Set(log.entries.map((entry) => entry.key));
  const near = [0, 0.3, 0.6, 0.9].map((pick) => changedAt(base, place, pick)).find((one) => !used.has(one)) ?? base;
  const second = check.fresh('second base key');
  if (version !== undefined) await log.settle(second, await freshBody(check, 'the lead of the second base key'));
  const key = version === undefined ? near : ofVersion(second, version);
  const body = await freshBody(check, `the second lead of a key like that of ${label}`);
  if (!isSuccess(await log.settle(key, body))) return true;
  return ((await unlisted(log, home, [body])) ?? []).length > 0;
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
  const order = [...telling, ...places.filter((place) => !telling.includes(place))].slice(
    0,
    requestBudget(check).nearKeys,
  );
  for (const place of order) {
    const key = changedAt(base, place, random());
    const own = await freshBody(check, `the lead of the key changed at ${place + 1}`);
    const answer = await log.settle(key, own);
    const expected = `a key that differs from a used one only in character ${place + 1} to make its own lead`;
    if (!isSuccess(answer)) {
      if (await isRefusedForItself(check, answer)) continue;
      // Only where a lead for the same vehicle is taken under an ordinary key is the near key the reason.
      const control = await log.settle(
        check.fresh('control key'),
        await likeBody(check, `a control lead ${place + 1}`, own),
      );
      if (!isSuccess(control)) check.blocked(`creates stopped working: ${describe(control)}`);
      check.fail({
        expected,
        actual: `${describe(answer)}: ${quote(answer.response?.json)}`,
        exchanges: [first, answer],
      });
      return;
    }
    if (!log.judge(expected)) return;
  }
  if (!(await judgeVersions(log, base, first))) return;
  // An answer may show data it was sent and still have made nothing, so the list is asked as well.
  const own = log.entries.filter(
    (entry) =>
      isSuccess(entry.exchange) &&
      /^the lead of the key (of version \d \(\d+\)|changed at \d+)$/.test(entry.body.label),
  );
  const lacking = await unlisted(
    log,
    home,
    own.map((entry) => entry.body),
  );
  if (lacking === null && known.shows === 'no id' && !known.echoes)
    check.blocked('it cannot be observed: neither the answers nor a list show the leads');
  if (lacking !== null && lacking.length > 0 && (await stillLacking(log, base, lacking))) {
    check.fail({
      expected: 'every key that differs from a used one in one character to make its own lead',
      actual: `${lacking.length} of ${own.length} were answered with a success, and the list does not have the lead: ${lacking.map((one) => one.label).join(', ')}`,
      exchanges: [first, ...own.filter((entry) => lacking.includes(entry.body)).map((entry) => entry.exchange)],
    });
    return;
  }
  check.observe('In how many places of the key was one character changed?', `${order.length} of ${places.length}`);
  await judgeCommonFields(check, known, body, first);
}
