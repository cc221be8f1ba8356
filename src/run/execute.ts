import { type Requirement, type RequirementResult, unmetNeed } from '../requirement/index.js';
import { BlockedSignal, UnjudgedSignal } from '../http/index.js';
import { Check } from './check.js';
import { confirm, reasonToDiscount } from './control.js';
import { notRun } from './leave-out.js';
import { noDocument } from './load-contract.js';
import type { Run } from './run.js';

const noBody = (): Promise<void> => Promise.resolve();

/** How often a check is run whose failures prove nothing. */
const mostRounds = 5;

/** Judges one requirement; never throws. `opened` is handed the Check of each round. */
export async function execute(
  requirement: Requirement,
  run: Run,
  opened?: (check: Check) => void,
): Promise<RequirementResult> {
  let requests = 0;
  for (let round = 1; ; round += 1) {
    const check = new Check(requirement, run, round);
    check.statedAt = requirement.statedAt;
    opened?.(check);
    const concluded = await judge(requirement, check);
    requests += concluded.requests;
    const result = { ...(await confirm(concluded, check, requirement)), requests };
    // The cause of an inconclusive failure, or of a blocked check, may be over.
    const mayPass =
      result.verdict === 'blocked' &&
      concluded.verdict !== 'pass' &&
      (await reasonToDiscount(check, requirement)) !== null;
    if (!mayPass || round === mostRounds) return unlessUpcoming(result, requirement, run);
    const others = run.observations.filter(({ id }) => id !== requirement.id);
    run.observations.splice(0, Infinity, ...others);
  }
}

/** The result of a requirement that only a later set holds: a service need not meet it yet. */
function unlessUpcoming(result: RequirementResult, { since }: Requirement, run: Run): RequirementResult {
  if (since === undefined || since <= run.set) return result;
  const upcoming = { ...result, upcoming: since };
  if (result.verdict !== 'fail' && result.verdict !== 'blocked') return upcoming;
  const how = result.verdict === 'fail' ? 'would fail' : 'is blocked';
  return { ...upcoming, verdict: 'warn', reason: `upcoming in the set ${since}; today it ${how}: ${result.reason}` };
}

async function judge(requirement: Requirement, check: Check): Promise<RequirementResult> {
  const { run } = check;
  const left = notRun(requirement, run);
  const body = left === null ? (requirement.body ?? noBody) : requirement.gateBody;
  if (body === undefined) return check.conclude(left);
  const { unreachable } = await run.targetState();
  if (unreachable !== null) return check.conclude(left ?? new BlockedSignal(unreachable));
  const judgeBody = async (): Promise<unknown> => {
    const unmet = unmetNeed(requirement.needs, run);
    if (unmet !== null) throw unmet;
    if (requirement.needs.includes('document')) {
      const { present, problem } = await check.contract();
      if (!present) check.blocked(noDocument(problem));
    }
    // Awaited here, so that a stack shows the body.
    return await body({ check });
  };
  let ended: unknown;
  const attempt = async (work: () => unknown): Promise<unknown> => {
    try {
      return await work();
    } catch (error) {
      ended ??= error ?? new Error('the check threw nothing');
      return null;
    }
  };
  const given = await attempt(judgeBody);
  const rows = given === null || left !== null ? [] : (requirement.rows ?? []);
  for (const row of [...rows, ...(requirement.invariants ?? [])]) {
    check.statedAt = row.statedAt;
    await attempt(() => row.judge(check, given as never));
  }
  return check.conclude(left !== null && (ended === undefined || ended instanceof UnjudgedSignal) ? left : ended);
}
