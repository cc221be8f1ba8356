import type { Report } from '../../requirement/index.js';
import type { RunFile } from '../../run/index.js';
import { isReadOnly, parseLimits, settingTable } from '../../settings/index.js';

/** Why what is known before a run already rules a certification out; empty where nothing does. */
export function reasonsBefore(
  run: Pick<RunFile, 'depth' | 'only' | 'requestBudget' | 'embedded' | 'settings'>,
): string[] {
  const reasons: string[] = [];
  if (run.embedded) reasons.push('the embedded reference service was judged, not a service of your own (set BASE_URL)');
  if (run.depth !== 'certify')
    reasons.push('it was a run of the gate, which leaves out what has to wait for limit windows');
  if (run.only !== null) reasons.push(`it was filtered (--only ${run.only})`);
  if (run.requestBudget !== null)
    reasons.push(`the requests of the property checks were limited (--requests ${run.requestBudget})`);
  if (isReadOnly(run.settings)) reasons.push('nothing could be created (READ_ONLY is set)');
  for (const entry of settingTable) {
    const found = run.settings[entry.name];
    if (!entry.name.startsWith('LIMITS_') || found === undefined || !('fallback' in entry)) continue;
    const spell = (text: string): string => JSON.stringify(parseLimits(entry.name, text));
    if (spell(found) !== spell(entry.fallback))
      reasons.push(`the limits were scaled (${entry.name} is ${found}, sold as ${entry.fallback})`);
  }
  return reasons;
}

/** Why a run is no certification; empty where it is one. */
export function reasonsAgainst(run: RunFile, report: Report): string[] {
  const reasons = reasonsBefore(run);
  if (!run.ended) reasons.push('the run was cut short');
  if (report.outcome === 'nonconformant') reasons.push(`the run failed (${report.counts.fail} requirements breached)`);
  if (report.outcome === 'incomplete')
    reasons.push(`the run is incomplete (${report.counts.blocked + report.counts.error} requirements not judged)`);
  return reasons;
}
