import { createHash } from 'node:crypto';
import { safe } from '../report/console-format.js';
import { startReference } from '../reference/start-reference.js';
import { SettingsError } from '../target/settings-error.js';
import type { PlanName } from '../target/target.js';
import type { Night } from '../traffic/soak/history.js';
import { answeredOf } from '../traffic/soak/judge.js';
import { assertTellsNoSecret, usualMix } from '../traffic/soak/mix.js';
import { runSoak } from '../traffic/soak/run-soak.js';
import type { SoakOptions, SoakReport } from '../traffic/soak/run-soak.js';
import { moreThanBearable, soakRate } from '../traffic/soak/soak-rate.js';
import type { Arguments } from './arguments.js';
import { assertMayLoad, faceOf, loadHeaders } from './load-face.js';
import type { SoakWishes } from './load-options.js';
import { tellNight } from './load-night.js';
import { soakProgress } from './load-progress.js';
import { onInterrupt } from './on-interrupt.js';
import { openHistory } from './open-history.js';
import { openNamed } from './open-named.js';
import { openOut } from './options.js';

/** The control is as long as the service's soak, but no longer. */
const longestControlSeconds = 120;
const shortSoakSeconds = 120;

/** The same rate against the reference service on this machine, so that its moods can be told from the service's; null where it was cut short. */
async function runControl(like: SoakOptions, signal: AbortSignal): Promise<SoakReport | null> {
  if (signal.aborted) return null;
  const reference = await startReference({ limits: { independent: [{ count: 10_000_000, seconds: 60 }] } });
  try {
    const report = await runSoak({
      baseUrl: reference.baseUrl,
      headers: loadHeaders(reference.settings['API_KEY_INDEPENDENT'] ?? null),
      ratePerSecond: like.ratePerSecond,
      durationSeconds: Math.min(like.durationSeconds, longestControlSeconds),
      mix: usualMix,
      thresholds: [],
      ...(like.windowSeconds === undefined ? {} : { windowSeconds: like.windowSeconds }),
      signal,
    });
    return report.ended === 'complete' ? report : null;
  } finally {
    await reference.close();
  }
}

/** `load --scenario soak`: a fixed rate for a long time, kept in the history and compared with it; the exit status. Throws SettingsError. */
export async function loadSoak(parsed: Arguments, wishes: SoakWishes, plan: PlanName | null): Promise<number> {
  const opened = await openNamed(parsed);
  try {
    const { target } = opened;
    const face = faceOf(target, plan);
    assertMayLoad(face.baseUrl, target.allowLoad);
    const mix = wishes.mix ?? face.mix;
    if (wishes.mix !== null) assertTellsNoSecret(wishes.mix, target.secrets);
    const writing = mix.find((operation) => operation.method !== 'GET');
    if (target.readOnly && writing !== undefined)
      throw new SettingsError(
        `READ_ONLY is set, and --mix holds the ${writing.method} "${safe(writing.name, 80)}": expected reading operations only.`,
      );
    const ratePerSecond =
      wishes.ratePerSecond ?? (face.limits === null ? null : soakRate(face.limits, target.limitModel));
    if (ratePerSecond === null)
      throw new SettingsError(
        `the ${face.plan} plan has no numbers to take a rate from: set LIMITS_${face.plan.toUpperCase()}, or give --rate.`,
      );
    const out = openOut(parsed, 'load');
    openHistory(out);
    const quiet = parsed.options['quiet'] === true;
    const say = (text: string): boolean => quiet || process.stdout.write(`${text}\n`);
    const stop = new AbortController();
    const progress = soakProgress(process.stdout, wishes.durationSeconds);
    let terminated = false;
    const endListening = onInterrupt((signal) => {
      terminated = signal === 'SIGTERM';
      stop.abort();
      progress.end();
      process.stderr.write('Ending; the report of what there is is being written. Ctrl-C again gives it up.\n');
    });
    try {
      const name = target.embedded ? 'the embedded reference service' : face.baseUrl;
      const options = {
        baseUrl: face.baseUrl,
        headers: face.headers,
        ratePerSecond,
        durationSeconds: wishes.durationSeconds,
        rampSeconds: wishes.rampSeconds,
        mix,
        thresholds: wishes.thresholds,
        windowSeconds: wishes.durationSeconds < shortSoakSeconds ? 1 : 10,
        signal: stop.signal,
        ...(quiet ? {} : { progress: progress.window }),
      } satisfies SoakOptions;
      const requests = Math.round(ratePerSecond * (wishes.durationSeconds - wishes.rampSeconds / 2));
      say(
        `Soak of ${name}, ${face.plan}: ${ratePerSecond.toLocaleString('en')} requests a second for ${wishes.durationSeconds} s, about ${requests.toLocaleString('en')} requests; Ctrl-C ends it with a report.\n`,
      );
      const more = moreThanBearable(options, face.limits, target.limitModel);
      if (more !== null) say(`${more}\n`);
      const service = await runSoak(options);
      progress.end();
      if (!stop.signal.aborted) say('\nThe same load on the reference service, for comparison…');
      const control = await runControl(options, stop.signal);
      const digest = createHash('sha256').update(JSON.stringify(mix)).digest('hex').slice(0, 12);
      const night: Night = {
        format: 'dealership-night/1',
        started: service.started,
        target: target.embedded ? 'embedded' : face.baseUrl,
        conditions: `${face.plan}, operations ${digest}, ramp ${wishes.rampSeconds} s`,
        service,
        control,
      };
      tellNight(night, {
        out,
        name,
        plan: face.plan,
        print: (line) => void process.stdout.write(`${line}\n`),
        say,
        warn: (line) => void process.stderr.write(`${line}\n`),
      });
      if (answeredOf(Object.entries(service.total.statuses)) === 0) {
        process.stderr.write('Not one request was answered, so nothing can be said of the service.\n');
        return 3;
      }
      if (!service.thresholds.every((threshold) => threshold.kept)) return 1;
      // A person who ends a soak knows it; a machine that does, such as a CI that ran out of time, must not take it for a whole one.
      if (!terminated) return 0;
      process.stderr.write('The soak was terminated early, so its thresholds say nothing of the whole.\n');
      return 3;
    } finally {
      endListening();
    }
  } finally {
    await opened.close();
  }
}
