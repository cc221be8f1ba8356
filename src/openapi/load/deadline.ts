import { createContext, Script } from 'node:vm';

/** Synchronous work was stopped at its deadline: nothing is known of its outcome, so nothing may be concluded. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

const call = new Script('work()');
const context = createContext({ work: null });
let shortest = Infinity;

/**
 * Runs synchronous work and stops it after `ms`, also within a regular expression; then throws {@link TookTooLong}. Work that has as much time
 * as the work around it shares that deadline. Costs about 50 µs.
 */
export function withDeadline<T>(ms: number, work: () => T): T {
  if (ms >= shortest) return work();
  const around = shortest;
  const done: T[] = [];
  shortest = ms;
  try {
    context['work'] = () => void done.push(work());
    call.runInContext(context, { timeout: ms });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TookTooLong(`took longer than ${ms / 1000} s`);
  } finally {
    shortest = around;
  }
  return done[0] as T;
}
