import { NotApplicableSignal } from '../http/index.js';
import type { CatalogueEntry } from '../requirement/index.js';
import type { Run } from './run.js';

const writable = { act: 'unset', names: ['READ_ONLY'] } as const;
const certifying = { act: 'run', names: ['certify'] } as const;

/** Why a check is not run at all in this run, or null. */
export function notRun(entry: CatalogueEntry, run: Pick<Run, 'target' | 'depth'>): NotApplicableSignal | null {
  if (entry.writes && run.target.readOnly) return new NotApplicableSignal('it creates or changes something', writable);
  if (entry.slow && run.depth === 'gate')
    return new NotApplicableSignal('it waits for limit windows, which the gate leaves out', certifying);
  return null;
}
