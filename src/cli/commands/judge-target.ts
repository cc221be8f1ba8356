import { join } from 'node:path';
import { chooseSet, earlierPage, readBaseline, readWaivers, requiredEntries } from '../../certification/index.js';
import {
  allReports,
  blockedTexts,
  githubAnnotations,
  judgedText,
  openings,
  outcomeText,
  type Reporter,
} from '../../reports/index.js';
import { exitStatus, type Report, select } from '../../requirement/index.js';
import { judge } from '../../judge-target.js';
import { loadPacks } from '../../packs.js';
import { type Depth, publicSettings, readPinned, rerunInvocation } from '../../run/index.js';
import { SettingsError } from '../../settings/index.js';
import { version } from '../../version.js';
import type { Arguments } from '../arguments.js';
import { bundleOptions, finishBundle, refuseEarly } from '../bundle-options.js';
import { showArrivals } from '../show-arrivals.js';
import { openOut } from '../claim-folder.js';
import { withTarget } from '../with-target.js';
import { readSettings } from '../read-settings.js';
import { writeStepSummary } from '../step-summary.js';

/** `certify` and `gate`: judges the target and writes the reports; the process's exit status. */
export async function judgeTarget(parsed: Arguments, depth: Depth): Promise<number> {
  const catalogue = await loadPacks(readSettings(parsed.settings).PACKS);
  const { options } = parsed;
  const { only = null, concurrency, rate, 'max-time': maxSeconds, wait: waitSeconds = 0, nonce = null } = options;
  const selected = select(catalogue.requirements, only);
  const required = requiredEntries(options.require ?? [], catalogue.requirements, catalogue.sections);
  const waivers =
    depth === 'gate'
      ? readWaivers(
          options.waivers ?? null,
          catalogue.requirements.map((entry) => entry.id),
        )
      : [];
  const bundle = bundleOptions(options);
  if (bundle !== null && required.length > 0)
    throw new SettingsError(
      '--require and --bundle are both given: expected one; each level of a certificate asks for all of its requirements anyway.',
    );
  const baseline = readBaseline(options.baseline ?? null);
  const requestBudget = options.requests ?? null;
  return withTarget(parsed, async ({ opened, quiet, show, off, cleanUp }) => {
    readPinned(opened.target);
    const set = chooseSet(options.set ?? null);
    const known = {
      depth,
      requestBudget,
      only,
      embedded: opened.target.embedded,
      settings: publicSettings(opened.settings),
    };
    refuseEarly(bundle, known, opened.target.baseUrl);
    const out = openOut(options, 'evidence');
    const live = show();
    let begun = 0;
    const progress: Reporter = {
      starting: ({ id, title }) => live.begin(`${(begun += 1)}/${selected.length} ${id}`, title),
    };
    const { report, run } = await judge(opened, {
      catalogue,
      selected,
      required,
      waivers,
      baseline,
      out,
      only,
      signal: off,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(maxSeconds === undefined ? {} : { maxSeconds }),
      reporters: [...allReports, progress, ...(quiet ? [] : (['console'] as const))],
      run: {
        depth,
        set,
        invocation: rerunInvocation(out, {
          flags: parsed.settings,
          embedded: opened.target.embedded,
          more: [...(waitSeconds === 0 ? [] : ['--wait', String(waitSeconds)]), ...(options.keep ? ['--keep'] : [])],
        }),
        path: options.path ?? null,
        activity: live.activity,
        // A nonce in it lets the target's own logs bear witness to the run.
        userAgent: `dealership-conformance/${version}${nonce === null ? '' : ` (nonce=${nonce})`}`,
        waitReadySeconds: options['wait-ready'] ?? 0,
        requestBudget,
        ...(rate === undefined ? {} : { rate }),
        hooks: {
          register: opened.register,
          waitSeconds,
          ...(waitSeconds > 0 && !quiet ? { onArrival: showArrivals() } : {}),
        },
      },
    });
    const status = conclude(parsed, report, out);
    await cleanUp(run);
    if (off.aborted || bundle === null) return status;
    show().begin('', 'writes the bundle');
    return finishBundle(bundle, { out, nonce, settings: opened.settings, checks: catalogue.requirements }, status);
  });
}

/** Says where the report is. */
function conclude(parsed: Arguments, report: Report, out: string): number {
  const page = join(out, 'conformance.html');
  const name = report.target.embedded ? 'the embedded reference service' : report.target.baseUrl;
  const { requirements, counts } = report;
  process.stdout.write(
    parsed.options.quiet
      ? `${outcomeText(report).toLowerCase()}: ${[`${name}, ${judgedText(requirements)}, ${counts.fail} failed`, ...(report.outdatedWaivers ?? []), ...blockedTexts(requirements), ...openings(requirements, report.observations).map(({ count, text }) => `${count}: ${text}`)].join('; ')}; see ${page}\n`
      : `Report: ${page}\n`,
  );
  const earlier = earlierPage(out);
  if (earlier !== null) process.stdout.write(`The earlier, complete report: ${earlier}\n`);
  for (const line of githubAnnotations(report)) process.stdout.write(`${line}\n`);
  writeStepSummary({ file: join(out, 'conformance.md') });
  return exitStatus(report);
}
