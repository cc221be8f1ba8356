import { isRefusal, isSuccess } from '../../service/index.js';
import { blockRefusedKey } from '../../api/index.js';
import { searchCounterexample } from '../../generators/index.js';
import { describe } from '../../run/index.js';
import { curlFor } from '../../http/index.js';
import { findBreach, judgeLog } from '../judge-log.js';
import { byDepth } from '../key-plan.js';
import { type Command, play } from '../plan.js';
import { wrongPart } from '../lead-answer.js';
import { type Entry, partiesFor, type RequestLog } from '../request-log.js';
import { formatHistory } from './format-history.js';
import type { Anomaly } from './history.js';
import { firstPlans, randomPlans } from './random-plans.js';

/** Lets the second tenant take part where an ordinary lead can be created in it: one without a unit says nothing against the first. */
export async function inviteOther(log: RequestLog): Promise<boolean> {
  const { check } = log;
  const other = (await partiesFor(check, 'leads')).find(({ sender }) => sender === 'second tenant');
  if (other === undefined) return false;
  const control = (await play(log, [[{ key: 0, by: 'second tenant', times: 1 }]], 'control')).at(-1)?.exchange;
  if (control !== undefined && !isSuccess(control)) {
    blockRefusedKey(check, control);
    if (!isRefusal(control)) check.blocked(`ordinary creates of ${other.name} do not work: ${describe(control)}`);
    check.observe('Was the second tenant part of the sequences?', `no: its ordinary lead got ${describe(control)}`);
    return false;
  }
  log.other = other;
  return true;
}

/** Plays random plans and shrinks one that the model cannot explain, within the budget of requests; whether the model explains all of them. */
export async function playRandomPlans(log: RequestLog): Promise<boolean> {
  const { check } = log;
  const hasOther = log.other !== null;
  const modelRequests = byDepth(check, [88, 700]);
  const start = check.requests;
  let unsent = 0;
  let played = 0;
  type Failure = { readonly kind: string; readonly anomaly: Anomaly; readonly entries: readonly Entry[] };
  const judge = async (plan: readonly Command[], kind: string | null): Promise<Failure | null> => {
    if (kind === null && check.requests - start >= modelRequests) {
      unsent += 1;
      return null;
    }
    played += 1;
    const entries = await play(log, plan, `sequence ${played}`);
    const anomaly = await findBreach(log, entries);
    return anomaly === null || (kind !== null && anomaly.kind !== kind)
      ? null
      : { kind: anomaly.kind, anomaly, entries };
  };
  const found = await searchCounterexample(check, randomPlans(hasOther), judge, {
    runs: byDepth(check, [40, 110]),
    shrinkRequests: 40,
    examples: firstPlans(hasOther),
  });
  if (found !== null) {
    const { anomaly, entries } = found.failure;
    const { path } = found;
    const last = entries[anomaly.about.at(-1) ?? -1];
    check.observe(
      'How is the unexplained sequence repeated by hand?',
      entries.map((entry, at) => `${at + 1}. ${curlFor(entry.exchange)}`).join('\n'),
    );
    return check.fail({
      code: anomaly.kind,
      expected:
        'some order of the overlapping creates that explains every answer: one key of one tenant makes at most one lead, which every success shows',
      actual: `${anomaly.reason}. The shortest sequence found: ${formatHistory(log.history(entries))}`,
      exchanges: entries.map((entry) => entry.exchange),
      ...(last && { part: wrongPart(anomaly.kind, last.exchange) }),
      ...(path === undefined ? {} : { path }),
    });
  }
  check.observe(
    'How many random sequences of creates were tried?',
    unsent > 0 ? `those that ${modelRequests} requests allow` : 'all',
    { detail: `${played} sequences with ${check.requests - start} requests, ${unsent} more were not tried` },
  );
  return judgeLog(log, []);
}
