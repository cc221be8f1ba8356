import { idOf, isSuccess, quote, sameJson } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import type { Check } from '../../run/index.js';
import { unitsIfReadable, unitsOnOffer } from '../../api/index.js';
import { bodyOf, freshBody, type LeadBody } from '../lead-body.js';
import { searchable, showsBody } from '../lead-answer.js';
import { openConnections } from '../connections.js';
import { readLead } from '../stored-lead.js';
import { RequestLog } from '../request-log.js';
import type { ProbeTraits } from '../probe-traits.js';
import { judgeReplay } from './replays.js';

/** Bodies that differ from `first` in one respect, and at last one that differs in all, so that no later one undoes what it did. */
export async function otherBodies(check: Check, first: LeadBody, round: number): Promise<LeadBody[]> {
  const fresh = await freshBody(check, `body B${round}`);
  const { name, phone } = fresh.fields;
  const isOther = (unit: unknown): boolean => idOf(unit) !== first.fields['vehicleId'];
  const vehicleId = idOf((await unitsOnOffer(check)).find(isOther) ?? (await unitsIfReadable(check)).find(isOther));
  const unit = vehicleId === null ? {} : { vehicleId };
  return [
    bodyOf(`body A${round} with another phone`, { ...first.fields, phone }, fresh.marks.slice(-1)),
    bodyOf(`body A${round} with another name`, { ...first.fields, name }, fresh.marks.slice(0, -1)),
    ...(vehicleId === null ? [] : [bodyOf(`body A${round} with another unit`, { ...first.fields, ...unit }, [])]),
    bodyOf(fresh.label, { ...fresh.fields, ...unit }, fresh.marks),
  ];
}

/** Whether the lead that was made first, read after other bodies came under its key, shows none of theirs. */
export async function judgeStored(
  check: Check,
  first: Exchange,
  sent: LeadBody,
  others: readonly LeadBody[],
): Promise<boolean> {
  const stored = await readLead(check, first);
  if (stored === null) return true;
  for (const other of others) {
    for (const [name, value] of Object.entries(stored.record)) {
      // Elsewhere than in the fields that were sent, a lead may well tell of requests that were refused.
      const isTheirs = sameJson(value, other.fields[name]) && !sameJson(value, sent.fields[name]);
      if (!(name in other.fields) || !(isTheirs || showsBody(searchable(value), other))) continue;
      return check.fail({
        code: 'overwritten',
        expected: 'a lead to keep its data when another body comes under its key',
        actual: `${name} is ${quote(value)} now, as ${other.label} has it`,
        exchanges: [first, stored.exchange],
      });
    }
  }
  return true;
}

/** Whether the same body, raced with itself, makes two leads as well: then it is not the other body that the key fails to stop. */
async function equalBodiesRaceToo(check: Check, known: ProbeTraits): Promise<boolean> {
  const control = new RequestLog(check, known);
  for (let round = 1; round <= 4; round += 1) {
    const key = check.fresh('control key');
    const body = await freshBody(check, `control lead ${round}`);
    await Promise.all([body, body, body, body].map((one) => control.post(key, one)));
    if (control.anomaly() !== null) return true;
  }
  return false;
}

/** Whether other bodies under a used key, each followed by replays of the first, make no second lead; adds the statuses of their answers. */
export async function judgeRivals(
  log: RequestLog,
  known: ProbeTraits,
  { key, body, first }: { readonly key: string; readonly body: LeadBody; readonly first: Exchange },
  rivals: readonly LeadBody[],
  statuses: Set<string>,
): Promise<boolean> {
  const { check } = log;
  for (const [at, other] of rivals.entries()) {
    const answer = await log.post(key, other);
    statuses.add(isSuccess(answer) ? 'the first answer' : String(answer.response?.status ?? 'no answer'));
    if (!log.judge('unexplained', 'another body under a used key to be refused, or answered with the first lead'))
      return false;
    // Two replays show what three would; more of them is another check's business.
    if (!known.replays || (at > 0 && at < rivals.length - 1)) continue;
    const replay = await log.settle(key, body);
    if (!judgeReplay(check, known, body, first, replay, 'after another body under its key')) return false;
  }
  return true;
}

/** Whether two bodies under one key at the same time, twice each, make one lead; null where equal bodies make two already. */
export async function judgeBodiesAtOnce(log: RequestLog, known: ProbeTraits, round: number): Promise<boolean | null> {
  const { check } = log;
  if (round % 4 === 1) await openConnections(check, 4);
  const key = check.fresh('key contested at once');
  const pair = [await freshBody(check, `body C${round}`), await freshBody(check, `body D${round}`)];
  await Promise.all([...pair, ...pair].map((body) => log.post(key, body)));
  if (log.anomaly() !== null && (await equalBodiesRaceToo(check, known))) {
    check.observe(
      'Could two bodies be sent at the same time under one key?',
      'no: equal bodies already make two leads (see IDEM-03)',
    );
    return null;
  }
  return log.judge('race-unexplained', 'two bodies under one key at the same time to make one lead, of one of them');
}
