import type { CollectedCheck } from '../requirement/collector.js';
import type { RequirementResult } from '../requirement/types.js';
import { BlockedSignal } from '../http/signals.js';
import { Check } from './check.js';
import { confirm } from './control.js';
import { notRun } from './leave-out.js';
import type { Run } from './run.js';

/** Runs one check to its verdict; never throws. */
export async function execute(collected: CollectedCheck, run: Run): Promise<RequirementResult> {
  const check = new Check(collected, run);
  const left = notRun(collected, run);
  if (left !== null) return check.conclude(left);
  const { unreachable } = await run.targetState();
  if (unreachable !== null) return check.conclude(new BlockedSignal(unreachable));
  let ended: unknown;
  try {
    await collected.body({ check });
  } catch (error) {
    ended = error ?? new Error('the check threw nothing');
  }
  return confirm(check.conclude(ended), check);
}
