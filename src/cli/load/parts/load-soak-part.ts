import { readTarget } from '../../../settings/read-target.js';
import { localClock } from '../../../traffic/parts/clock-offset.js';
import { waitUntil } from '../../../traffic/parts/drive-part.js';
import { assertOneRun } from '../../../traffic/parts/merge-parts.js';
import { identityOf } from '../../../traffic/parts/part-trace.js';
import type { MixOperation } from '../../../traffic/soak/mix.js';
import { runSoak, type PartReport, type SoakOptions } from '../../../traffic/soak/run-soak.js';
import {
  encodeSoakPart,
  mergeSoakParts,
  poorSoakShare,
  soakPartFormat,
  type SoakPart,
  type SoakShape,
} from '../../../traffic/soak/soak-parts.js';
import type { Arguments } from '../../arguments.js';
import { openOut } from '../../options.js';
import { readSettings } from '../../read-settings.js';
import { failOnOption, historyFolder } from '../load-options.js';
import type { FinishPart, PartSending } from './load-part.js';
import { concludeSoak, openHistory, runControl, windowSecondsOf } from '../load-soak.js';

/** Connections are opened so long before the first slot. */
const openingMs = 5_000;

/** Sends a share of a soak, then as much to the reference service on this machine. */
export async function sendSoak(sending: PartSending, mix: readonly MixOperation[]): Promise<FinishPart> {
  const { target, loadTarget, part, offsetMs, trace, signal, live } = sending;
  const { run } = sending as { readonly run: PartSending['run'] & { readonly soak: SoakShape } };
  const { ratePerSecond, durationSeconds, rampSeconds } = run.soak;
  const startAtMs = run.startMs - offsetMs - (localClock() - performance.now());
  await waitUntil(startAtMs - openingMs, signal);
  const options: SoakOptions = {
    ...{ baseUrl: target.baseUrl, headers: { ...Object.fromEntries(target.headers), ...loadTarget.headers } },
    ...{ network: target.network, trace, ratePerSecond, durationSeconds, rampSeconds, mix, thresholds: [], signal },
    windowSeconds: windowSecondsOf(durationSeconds),
    share: { part, parts: run.parts, startAtMs },
    plan: run.plan,
    ...(live.activity.onLoadRequest === undefined ? {} : { onLoadRequest: live.activity.onLoadRequest }),
    progress: (_window, { due }) => void Object.assign(live.activity, { requests: due }),
  };
  const service = (await runSoak(options)) as PartReport;
  const control = (await runControl(options, signal, true)) as PartReport | null;
  return (head) => {
    const header = { ...head, format: soakPartFormat, identity: identityOf(run), run } as const;
    const made = { header, service, control };
    return { bytes: encodeSoakPart(made), poor: poorSoakShare({ ...made, file: '' }) };
  };
}

/** Judges the parts of a soak as one, as a soak of one machine is judged and kept; the exit status. Throws SettingsError. */
export async function judgeSoakParts(parsed: Arguments, parts: readonly SoakPart[]): Promise<number> {
  assertOneRun(parts);
  const failOn = failOnOption(parsed);
  const run = mergeSoakParts(parts);
  const target = readTarget({ ...readSettings(parsed.settings), BASE_URL: run.target });
  const poor = parts.map(poorSoakShare).find((one) => one !== null);
  if (poor !== undefined) {
    process.stderr.write(`The soak cannot be judged: ${poor}.\n`);
    return 3;
  }
  const out = openOut(parsed, 'load');
  const history = historyFolder(parsed);
  openHistory(history);
  const plan = parts[0]?.header.run.plan ?? '';
  const quiet = parsed.options['quiet'] === true;
  return concludeSoak(target, run, { out, history, name: run.target, plan, quiet, failOn, terminated: false });
}
