import { NotApplicableSignal } from '../http/signals.js';
import type { CatalogueEntry } from '../requirement/requirement.js';
import type { Run } from './run.js';

/** Why a check is not run at all in this run, or null. */
export function notRun(entry: CatalogueEntry, run: Run): NotApplicableSignal | null {
  if (entry.writes && run.target.readOnly)
    return new NotApplicableSignal('it creates or changes something, and READ_ONLY is set');
  if (entry.slow && run.depth === 'gate')
    return new NotApplicableSignal('it waits for limit windows, which the gate leaves to certify');
  return null;
}
