import { lives } from '../generators/index.js';
import { leadPath } from '../api/index.js';
import type { AnswerPart, Exchange } from '../http/index.js';
import { type Breach, type Check, describe } from '../run/index.js';
import {
  dataOf,
  differences,
  isGone,
  isRefusal,
  isSuccess,
  paths,
  quote,
  recordIn,
  sameJson,
  settled,
} from '../service/index.js';
import { identityOf, searchable, showsBody, wrongPart } from './lead-answer.js';
import type { Anomaly } from './model/history.js';
import { writeKey } from './plan.js';
import { overlap } from './races.js';
import { type Entry, home, RequestLog } from './request-log.js';

/** Whether a create that was refused is refused again, and taken under a control key of the same form: else its body, its caller, the form or the moment is the reason. */
async function isTwinTaken({ check, traits }: RequestLog, { key, body, party, form }: Entry): Promise<boolean> {
  const isTaken = async (under: string): Promise<boolean> =>
    isSuccess(await new RequestLog(check, traits).settle({ key: under, form, body, party }));
  return !(await isTaken(key)) && (await isTaken(writeKey(check, check.fresh('control key'), form)));
}

/** The answers that no order of the creates explains, or null. Refusals that no key is the reason of are marked in the log. */
export async function findBreach(log: RequestLog, entries: readonly Entry[] = log.entries): Promise<Anomaly | null> {
  for (;;) {
    const anomaly = log.anomaly(entries);
    if (anomaly?.kind !== 'fresh-refused') return anomaly;
    // The last one first: another body may have made a lead under the key since. One that was refused for itself may have used it up.
    const isOpen = (one: Entry): boolean => one.body.plain && one.says === 'something' && isRefusal(one.exchange);
    const refused = anomaly.about.flatMap((at) => entries[at] ?? []).filter(isOpen);
    let entry = refused.pop();
    while (entry !== undefined && (await isTwinTaken(log, entry))) entry = refused.pop();
    if (entry === undefined) return anomaly;
    entry.says = 'refused for itself';
  }
}

/** Replays, and the first success with the same key and body; none that came at the same time as another body of its key. */
function replaysIn(entries: readonly Entry[]): { readonly first: Entry; readonly replay: Entry }[] {
  return entries.flatMap((replay) => {
    const own = entries.filter(({ key, party }) => key === replay.key && party.name === replay.party.name);
    const [same, others] = [true, false].map((is) =>
      own.filter(({ body }) => (body.label === replay.body.label) === is),
    );
    const first = same?.find(({ exchange }) => isSuccess(exchange));
    const isRace = others?.some(({ exchange }) => overlap(exchange, replay.exchange));
    return first === undefined || first === replay || isRace || replay.says !== 'something' ? [] : [{ first, replay }];
  });
}

/** The fields of a lead that the specification shows: a replay that succeeds shows them unchanged. */
const specified = ['name', 'phone', 'vehicleId'];

/** How a success shows another lead than the first one did, by the fields sent. */
async function changedField({ check }: RequestLog, first: Entry, replay: Entry): Promise<Breach | null> {
  const [one, two] = [recordIn(first.exchange), recordIn(replay.exchange)];
  if (one === null || two === null || first.body.route !== 'leads') return null;
  const { fields } = first.body;
  for (const [name, sent] of Object.entries(fields)) {
    if (!(name in one) || (one[name] === null && !(name in two))) continue;
    // A replay that shows none of the sent fields has another format.
    if (!(name in two) && (specified.includes(name) || !Object.keys(fields).some((other) => other in two))) continue;
    if (differences(one[name], two[name] ?? null).length === 0) continue;
    const exchanges = [first.exchange, replay.exchange];
    const breach = {
      code: 'field-changed',
      field: name,
      expected: `a replay to show ${name} unchanged`,
      actual: `${quote(one[name])}, then ${quote(two[name])}`,
      exchanges,
      part: { value: two, pointer: `/${name}` },
    };
    if (specified.includes(name)) {
      // Shown as it was sent, where the first answer had it tidied, is still what was sent.
      if (differences(sent, two[name]).length > 0) return breach;
      check.warn(breach);
    } else if (!sameJson(sent, two[name])) {
      const now = await readStored({ check }, first);
      const record = now === null ? null : recordIn(now);
      if (record === null || !sameJson(record[name] ?? null, two[name] ?? null)) return breach;
      check.observe(`Does a replay show ${name} as it is now?`, 'yes', {
        detail: `${quote(two[name])}, first ${quote(one[name])}`,
      });
    }
  }
  return null;
}

/** What a replay breaks that no order of creates tells of: it fails, or shows nothing, or other values. */
async function flawOf(log: RequestLog, first: Entry, replay: Entry): Promise<Breach | null> {
  const exchanges = [first.exchange, replay.exchange];
  const { response } = replay.exchange;
  const actual = `${describe(replay.exchange)}: ${quote(response?.json)}`;
  if (!isSuccess(replay.exchange)) {
    if (response === null || isRefusal(replay.exchange)) return null;
    // A busy service says nothing, unless it stays busy for replays alone.
    const again = new RequestLog(log.check, log.traits);
    const isBusy = response.status === 503 && (await again.settle(replay)).response?.status !== 503;
    if (isBusy || (response.status === 503 && !(await isTwinTaken(log, replay)))) return null;
    return { code: 'replay-failed', expected: 'a replay to be answered with a success, or refused', actual, exchanges };
  }
  const [shown, again] = exchanges.map(
    (one) => identityOf(one) !== null || showsBody(searchable(dataOf(one)), first.body),
  );
  if (shown === true && again !== true)
    return {
      code: 'no-lead',
      expected: 'a replay that succeeds to show what the first answer showed',
      actual,
      exchanges,
    };
  return changedField(log, first, replay);
}

/**
 * Judges a log by the model, and what its replays among `latest` show besides, unless IDEM-01 reports that of all; whether nothing contradicts the
 * rules of keys.
 */
export async function judgeLog(log: RequestLog, latest: readonly Entry[]): Promise<boolean> {
  const { check, entries, traits } = log;
  const anomaly = await findBreach(log);
  if (anomaly !== null) {
    const exchanges = anomaly.about.flatMap((at) => entries[at]?.exchange ?? []);
    const last = exchanges.at(-1);
    return check.fail({
      code: anomaly.kind,
      expected: 'one key of one tenant to make at most one lead or unit, which every success shows',
      actual: anomaly.reason,
      exchanges,
      ...(last && { part: wrongPart(anomaly.kind, last) }),
    });
  }
  for (const { first, replay } of traits.replays ? replaysIn(entries) : []) {
    if (!latest.includes(replay)) continue;
    const flaw = await flawOf(log, first, replay);
    if (flaw !== null) return check.fail(flaw);
  }
  for (const party of [home, log.other]) {
    const plain = entries.filter(
      (one) => one.party.sender === party?.sender && one.body.route === 'leads' && one.body.plain,
    );
    if (plain[0] !== undefined && !plain.some(({ exchange }) => isSuccess(exchange)))
      log.block(
        `none of ${plain.length} ordinary creates of ${plain[0].party.name} succeeded: ${describe(plain[0].exchange)}`,
      );
  }
  return true;
}

/** Warns where a replay is no copy of the first answer: the draft for the header recommends it, and no sentence of the specification promises it. */
export function recommendReplays(check: Check, { entries, holds }: RequestLog): void {
  if (!holds) return;
  const [warned, alive] = [new Set<string>(), new Set<string>()];
  for (const { first, replay } of replaysIn(entries)) {
    const [one, two] = [first.exchange, replay.exchange];
    const warn = (code: string, wanted: string, actual: string, part: AnswerPart = 'status'): void => {
      const expected = `${wanted} (draft-ietf-httpapi-idempotency-key-header-07, section 2.6)`;
      if (!warned.has(wanted)) check.warn({ code, expected, actual, exchanges: [one, two], part });
      warned.add(wanted);
    };
    const { form, as } = replay.party.options;
    // Where every create of this kind is refused, a replay is refused for that.
    const isUsable = entries.some(
      ({ party: { options }, exchange }) => options.form === form && options.as === as && isSuccess(exchange),
    );
    if (isRefusal(two) && isUsable)
      warn(
        'replay-refused',
        'a replay to be answered with a success',
        `${describe(two)}: ${quote(two.response?.json)}`,
      );
    if (!isSuccess(two)) continue;
    if (one.response?.status !== two.response?.status)
      warn('status-changed', 'a replay to have the same status', `${describe(one)}, then ${describe(two)}`);
    // Other creates in between may show in a lead, too.
    const between = entries.slice(entries.indexOf(first), entries.indexOf(replay));
    if (between.some(({ key }) => key !== first.key)) continue;
    const { fields } = first.body;
    const moved = differences(dataOf(one), dataOf(two)).filter(
      ({ pointer, right }) => right === undefined || !((pointer.split('/').at(-1) ?? '') in fields),
    );
    for (const { pointer, left, right } of moved.filter((each) => !lives(each.pointer)).slice(0, 3))
      warn(
        'value-changed',
        `a replay to show ${pointer} as the first answer did`,
        `${quote(left)}, then ${quote(right)}`,
        { value: dataOf(two), pointer },
      );
    for (const { pointer } of moved) if (lives(pointer)) alive.add(pointer);
  }
  if (alive.size > 0) check.observe('Which fields of a replay show the lead as it is now?', [...alive].join(', '));
}

/** The answer of the declared operation on a single record that a success showed; null where none is declared. */
async function readStored(
  { check }: Pick<RequestLog, 'check'>,
  { body, party, exchange }: Entry,
): Promise<Exchange | null> {
  const id = identityOf(exchange);
  if (id === null) return null;
  const path = body.route === 'units' ? paths.unit(id) : leadPath(id);
  if ((await check.contract()).contract.operation('GET', path) === null) return null;
  const read = (): Promise<Exchange> => check.send({ ...party.reads, path });
  return settled(check, read, (one) => !isGone(one));
}

/**
 * Reads the record that the first success of each key showed, unless others came at the same time: it has nothing of the other bodies of that key,
 * and is there where another tenant or route was shown it as well and others are there.
 */
export async function judgeStored(log: RequestLog, entries: readonly Entry[]): Promise<boolean> {
  const { check } = log;
  const firsts = entries.filter((entry) => {
    const isOwn = ({ key, party, body, exchange }: Entry): boolean =>
      key === entry.key && party.name === entry.party.name && body.route === entry.body.route && isSuccess(exchange);
    return entries.find(isOwn) === entry;
  });
  const gone: { readonly entry: Entry; readonly read: Exchange }[] = [];
  const groupOf = ({ party, body }: Entry): string => `${party.name} ${body.route}`;
  for (const entry of firsts) {
    const others = entries.filter(({ key, body }) => key === entry.key && body.label !== entry.body.label);
    const isRace = others.some(({ exchange }) => overlap(exchange, entry.exchange));
    const read = others.length === 0 || isRace ? null : await readStored(log, entry);
    if (read === null) continue;
    const record = identityOf(read) === identityOf(entry.exchange) ? recordIn(read) : null;
    const id = identityOf(entry.exchange);
    if (isGone(read) && others.some((one) => groupOf(one) !== groupOf(entry) && identityOf(one.exchange) === id))
      gone.push({ entry, read });
    for (const other of others) {
      for (const [name, value] of Object.entries(record ?? {})) {
        // Elsewhere than in the fields that were sent, a record may well tell of requests that were refused.
        if (!(name in other.body.fields) || sameJson(value, entry.body.fields[name])) continue;
        const isTheirs = entry.body.route === 'leads' && sameJson(value, other.body.fields[name]);
        if (!isTheirs && !showsBody(searchable(value), other.body)) continue;
        return check.fail({
          code: 'overwritten',
          field: name,
          expected: 'what a key made to keep its data, whatever else comes under that key',
          actual: `${name} is ${quote(value)} now, as ${other.body.label} has it`,
          exchanges: [entry.exchange, other.exchange, read],
          part: { value: record, pointer: `/${name}` },
        });
      }
    }
  }
  const [lost] = gone;
  const another = entries.find(
    (one) => lost !== undefined && groupOf(one) === groupOf(lost.entry) && one.key !== lost.entry.key,
  );
  const control = another === undefined ? null : await readStored(log, another);
  if (lost === undefined || control === null || !isSuccess(control)) return true;
  return check.fail({
    code: 'not-made',
    expected: 'what a success shows to be there',
    actual: `${quote(identityOf(lost.entry.exchange))} is not, which was shown under this key elsewhere`,
    exchanges: [...firsts.filter(({ key }) => key === lost.entry.key).map(({ exchange }) => exchange), lost.read],
  });
}
