import { join } from 'node:path';
import {
  chooseSet,
  earlierPage,
  readBaseline,
  readNonce,
  readWaivers,
  requiredEntries,
  userAgentWith,
} from '../../certification/index.js';
import {
  allReports,
  blockedTexts,
  githubAnnotations,
  judgedText,
  outcomeText,
  partlyTexts,
  remedyTexts,
  type Reporter,
} from '../../reports/index.js';
import { exitStatus, type Report, select } from '../../requirement/index.js';
import { judge } from '../../judge-target.js';
import { loadPacks } from '../../packs.js';
import { type Depth, publicSettings, readPinned, rerunInvocation } from '../../run/index.js';
import { SettingsError } from '../../settings/index.js';
import { listOption, textOption, type Arguments } from '../arguments.js';
import { bundleOptions, finishBundle, refuseEarly } from '../bundle-options.js';
import { cleanUp } from '../clean-up.js';
import { showArrivals } from '../show-arrivals.js';
import { liveLine, whileLive } from '../live-line.js';
import { onInterrupt } from '../on-interrupt.js';
import { numberOption, openOut, repeated } from '../options.js';
import { openNamed } from '../open-named.js';
import { readSettings } from '../read-settings.js';
import { writeStepSummary } from '../step-summary.js';

/** `certify` and `gate`: judges the target and writes the reports; the process's exit status. */
export async function judgeTarget(parsed: Arguments, depth: Depth): Promise<number> {
  const [operand] = parsed.operands;
  if (operand !== undefined && parsed.command !== 'rerun') {
    throw new SettingsError(
      `"${operand}" is not understood here: expected flags only${/^[a-z]/i.test(operand) ? `; to judge one requirement write --only ${operand}` : ' (--read-only, --quiet and --embedded take no value)'}.`,
    );
  }
  const catalogue = await loadPacks(readSettings(parsed.settings).PACKS);
  const only = textOption(parsed, 'only');
  const selected = select(catalogue.requirements, only);
  const required = requiredEntries(listOption(parsed, 'require'), catalogue.requirements, catalogue.sections);
  const waivers =
    depth === 'gate'
      ? readWaivers(
          textOption(parsed, 'waivers'),
          catalogue.requirements.map((entry) => entry.id),
        )
      : [];
  const options = bundleOptions(parsed);
  if (options !== null && required.length > 0)
    throw new SettingsError(
      '--require and --bundle are both given: expected one; each level of a certificate asks for all of its requirements anyway.',
    );
  const baseline = readBaseline(textOption(parsed, 'baseline'));
  const nonce = readNonce(textOption(parsed, 'nonce'));
  const requestBudget = numberOption(parsed, 'requests', 1_000_000) ?? null;
  const waitSeconds = numberOption(parsed, 'wait', 86_400) ?? 0;
  const concurrency = numberOption(parsed, 'concurrency', 64);
  const maxSeconds = numberOption(parsed, 'max-time', 86_400);
  const rate = numberOption(parsed, 'rate', 100_000);
  if (concurrency === 0 || rate === 0)
    throw new SettingsError(`--${rate === 0 ? 'rate' : 'concurrency'} is "0": expected a whole number from 1 on.`);
  const waitReadySeconds = numberOption(parsed, 'wait-ready', 86_400) ?? 0;
  const opened = await openNamed(parsed);
  try {
    await readPinned(opened.target);
    const set = chooseSet(textOption(parsed, 'set'));
    const known = {
      depth,
      requestBudget,
      only,
      embedded: opened.target.embedded,
      settings: publicSettings(opened.settings),
    };
    refuseEarly(options, known, opened.target.baseUrl);
    const out = openOut(parsed, 'evidence');
    const quiet = parsed.options['quiet'] === true;
    const live = liveLine(process.stderr, quiet);
    const off = new AbortController();
    const endListening = onInterrupt(() => {
      off.abort();
      live.end();
      process.stderr.write('\nStopping; writing the report of the run so far. Ctrl-C again stops without a report.\n');
    });
    let done = 0;
    const progress: Reporter = {
      starting: ({ id, title }) => live.begin(`${done}/${selected.length} ${id}`, title),
      result: () => void (done += 1),
    };
    const started = new Date();
    const { report, run } = await judge(opened, {
      catalogue,
      selected,
      required,
      waivers,
      baseline,
      out,
      only,
      signal: off.signal,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(maxSeconds === undefined ? {} : { maxSeconds }),
      reporters: [...allReports, progress, ...(quiet ? [] : (['console'] as const))],
      run: {
        depth,
        set,
        invocation: rerunInvocation(out, {
          flags: parsed.settings,
          embedded: opened.target.embedded,
          more: [...repeated(parsed, ['wait']), ...(parsed.options['keep'] === true ? ['--keep'] : [])],
        }),
        path: textOption(parsed, 'path'),
        activity: live.activity,
        userAgent: userAgentWith(nonce),
        waitReadySeconds,
        ...(requestBudget === null ? {} : { requestBudget }),
        ...(rate === undefined ? {} : { rate }),
        hooks: {
          register: opened.register,
          waitSeconds,
          ...(waitSeconds > 0 && !quiet ? { onArrival: showArrivals() } : {}),
        },
      },
    }).finally(() => {
      live.end();
      // The same Ctrl-C may come a second time while what follows is done.
      if (!off.signal.aborted) endListening();
    });
    const status = conclude(parsed, report, out);
    await cleanUp(parsed, run, started);
    if (run.calledOff.aborted || options === null) return status;
    const parts = { out, nonce, settings: opened.settings };
    return await whileLive(liveLine(process.stderr, quiet), 'writes the bundle', () =>
      finishBundle(options, { ...parts, checks: catalogue.requirements }, status),
    );
  } finally {
    await opened.close();
  }
}

/** Says where the report is. */
function conclude(parsed: Arguments, report: Report, out: string): number {
  const page = join(out, 'conformance.html');
  const name = report.target.embedded ? 'the embedded reference service' : report.target.baseUrl;
  const { requirements, counts } = report;
  process.stdout.write(
    parsed.options['quiet'] === true
      ? `${outcomeText(report).toLowerCase()}: ${[`${name}, ${judgedText(requirements)}, ${counts.fail} failed`, ...(report.outdatedWaivers ?? []), ...blockedTexts(requirements), ...remedyTexts(requirements), ...partlyTexts(report.observations)].join('; ')}; see ${page}\n`
      : `Report: ${page}\n`,
  );
  const earlier = earlierPage(out);
  if (earlier !== null) process.stdout.write(`The earlier, complete report: ${earlier}\n`);
  for (const line of githubAnnotations(report)) process.stdout.write(`${line}\n`);
  writeStepSummary({ file: join(out, 'conformance.md') });
  return exitStatus(report);
}
