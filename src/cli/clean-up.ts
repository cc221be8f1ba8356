import { setTimeout as sleep } from 'node:timers/promises';
import { describeRemoval, ownRecords, type RecordKind, type Removal, removeRecords } from '../api/index.js';
import type { Run } from '../run/index.js';
import { drivenIn } from '../traffic/index.js';
import type { Arguments } from './arguments.js';
import { onInterrupt } from './on-interrupt.js';

/** The longest that deletion may take, after a verdict and after an interrupt. */
const mostMs = { verdict: 10_000, interrupt: 3_000 } as const;

const unknownRecord = 'the answer to their creation does not show which record was made';

/** Leads that a service created though its limit was spent. */
function createdUnderLoad(run: Run): number {
  const records = drivenIn(run)?.verdicts.flatMap(({ trace }) => trace.writes?.records ?? []) ?? [];
  return records.filter(({ asked, outcome }) => asked === 'create' && outcome === 'accepted').length;
}

/**
 * Deletes the records that the run created, where the document declares a DELETE, and reports it in one line. Errors here do not change the
 * verdict; an interrupt stops the deletion. The embedded service needs none: it ends with the run.
 */
export async function cleanUp(parsed: Arguments, run: Run, since: Date): Promise<void> {
  if (parsed.options.keep || run.target.embedded) return;
  const off = new AbortController();
  const patience = setTimeout(() => off.abort(), run.calledOff.aborted ? mostMs.interrupt : mostMs.verdict);
  // The second Ctrl-C of an interrupted run ends it already.
  const endListening = run.calledOff.aborted ? () => undefined : onInterrupt(() => off.abort());
  try {
    const { records, unclear } = ownRecords(await run.exchanges(), { ...run, since });
    const underLoad = createdUnderLoad(run);
    if (records.length + unclear.lead + unclear.unit + underLoad === 0) return;
    // A run that created something has loaded the document.
    const loaded = await Promise.race([run.contract(), sleep(1_000, null)]);
    if (loaded === null) return;
    const { userAgent, trace } = run;
    const removal = await removeRecords(run.target, loaded.contract, records, { userAgent, trace, signal: off.signal });
    const many = (count: number, kind: RecordKind, why: string): Removal['left'] =>
      Array.from({ length: count }, () => ({ kind, why }));
    const line = describeRemoval({
      ...removal,
      left: [
        ...removal.left,
        ...many(unclear.lead, 'lead', unknownRecord),
        ...many(unclear.unit, 'unit', unknownRecord),
        ...many(underLoad, 'lead', 'answers to creates under load are not read'),
      ],
    });
    if (line !== null && !parsed.options.quiet) process.stdout.write(`${line}\n`);
  } catch {
    process.stderr.write('The leads and units of this run could not be deleted.\n');
  } finally {
    clearTimeout(patience);
    endListening();
  }
}
