import { looks, painter } from '../report/console-format.js';
import { wantsColour } from '../report/console-reporter.js';
import { judgedText, namesOf, unjudgedByRemedy } from '../report/judged.js';
import { bySection } from '../report/sections.js';
import { visible } from '../report/visible.js';
import { loadChecks } from '../requirement/load-checks.js';
import type { CatalogueEntry } from '../requirement/requirement.js';
import { select } from '../requirement/select.js';
import type { RequirementResult } from '../requirement/types.js';
import { notRun } from '../run/leave-out.js';
import { openRun } from '../run/open-run.js';
import type { Depth, Run } from '../run/run.js';
import { assertAddress } from '../run/target-state.js';
import type { Target } from '../target/target.js';
import { limitSubjects } from '../traffic/limit-traces.js';
import { allowedToLoad } from '../traffic/load-guard.js';
import { costOf, planSteps } from '../traffic/plan.js';
import { textOption } from './arguments.js';
import type { Arguments } from './arguments.js';
import { missingSetting } from './missing-setting.js';
import { openNamed } from './open-named.js';
import { numberOption } from './options.js';

/** Requests of a whole section, measured against the reference service; certify sends more where a second number stands. */
const requestsOf: Readonly<Record<string, readonly [number, number?]>> = {
  AUTH: [420],
  DEAL: [4],
  DEMO: [56],
  DOC: [11],
  ENV: [19],
  IDEM: [430, 1_490],
  LEAD: [250, 880],
  PLAN: [122],
  UNIT: [370, 730],
  VER: [50],
  HOOK: [36],
};
/** What a request takes beside the service's own time, and what a run waits for whatever it sends. */
const ownSeconds = 0.005;
const fixedSeconds = { gate: 3, certify: 15 } as const;

/** What a run can be expected to judge: a pass for each requirement that nothing keeps from being judged. */
export function foresee(entries: readonly CatalogueEntry[], run: Pick<Run, 'target' | 'depth'>): RequirementResult[] {
  return entries.map((entry) => {
    const setting = missingSetting(entry, run.target);
    const reason = notRun(entry, run)?.message ?? (setting === null ? null : `set ${setting}`);
    const verdict = reason === null ? 'pass' : 'not-applicable';
    return { ...entry, verdict, reason: reason ?? '', findings: [], requests: 0 };
  });
}

/** About how many requests a run sends, and how many seconds that takes. */
function costOfRun(expected: readonly RequirementResult[], target: Target, depth: Depth, secondsEach: number) {
  let requests = 0;
  for (const [section, results] of bySection(expected)) {
    const [few = 0, many = few] = requestsOf[section] ?? [];
    const share = results.filter(({ verdict }) => verdict === 'pass').length / results.length;
    requests += share * (depth === 'gate' ? few : many);
  }
  const seconds = requests * (secondsEach + ownSeconds) + fixedSeconds[depth];
  const drives = limitSubjects(target).subjects.filter(({ url }) => allowedToLoad(url, target.allowLoad));
  if (depth === 'gate' || !expected.some(({ section, verdict }) => section === 'LIMIT' && verdict === 'pass'))
    return { requests, seconds };
  const costs = drives.map(({ limits }) => costOf(planSteps(limits)));
  return {
    requests: requests + costs.reduce((sum, cost) => sum + cost.requests, 0),
    seconds: seconds + Math.max(0, ...costs.map((cost) => cost.floorSeconds)),
  };
}

/** How fast the service answers. The first answers are the slowest: connections, caches and code are new. */
async function fastestSeconds(run: Run): Promise<number> {
  const times: number[] = [];
  for (let look = 0; look < 5; look += 1) {
    const { sentAtMs, receivedAtMs } = await run.client.send('set-up', {
      method: 'GET',
      url: `${run.target.baseUrl}/api/demo/units?limit=1`,
      surface: 'other',
      headers: [],
      credential: null,
      body: null,
      raw: true,
      timeoutMs: 5_000,
    });
    times.push(receivedAtMs - sentAtMs);
  }
  return Math.min(...times) / 1000;
}

/** Two digits of a number, for an estimate. */
const about = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en');

/** `doctor`: looks at the target as a run does before its first check, and says what a run can judge and costs. 2 for a setting, 3 for a target that is down or where API_KEY is missing. */
export async function doctor(parsed: Arguments): Promise<number> {
  const waitReadySeconds = numberOption(parsed, 'wait-ready', 86_400) ?? 0;
  const opened = await openNamed(parsed);
  const run = openRun(opened.target, { depth: 'gate', waitReadySeconds });
  const paint = painter(wantsColour(process.stdout));
  const say = (verdict: 'pass' | 'fail' | 'warn' | 'not-applicable', name: string, text: string): void => {
    const { sign, colour } = looks[verdict];
    process.stdout.write(`  ${paint(colour, sign)} ${name.padEnd(9)} ${visible(run.redactor.text(text))}\n`);
  };
  try {
    await assertAddress(run);
    const { target } = run;
    const { unreachable, refused } = await run.targetState();
    if (unreachable !== null) {
      say('fail', 'address', unreachable);
      return 3;
    }
    say('pass', 'address', `${target.embedded ? 'the embedded reference service' : target.baseUrl} answers`);
    const { served, problem, contract } = await run.contract();
    if (served === null) say('warn', 'document', `GET /api/openapi.json cannot be used: ${problem ?? 'no answer'}`);
    else say('pass', 'document', `${contract.operations.length} operations`);
    const isKeyed = target.keys.API_KEY !== undefined;
    if (refused !== null) say('fail', 'key', refused);
    else if (isKeyed) say('pass', 'key', `API_KEY is accepted${target.tenant === null ? '' : ', and so is TENANT'}`);
    else say('warn', 'key', 'API_KEY is not set: a run without it is incomplete');
    const { API_KEY: _refused, ...others } = target.keys;
    const usable = refused === null ? target : { ...target, keys: others };
    const secondsEach = await fastestSeconds(run);
    const checks = select(await loadChecks(), textOption(parsed, 'only'));
    for (const depth of ['gate', 'certify'] as const) {
      const expected = foresee(checks, { target: usable, depth });
      const { requests, seconds } = costOfRun(expected, usable, depth, secondsEach);
      const sections = [...bySection(expected)].flatMap(([section, results]) => {
        const judged = results.filter(({ verdict }) => verdict === 'pass').length;
        return judged === 0
          ? []
          : [judged === results.length ? section : `${section} (${judged} of ${results.length})`];
      });
      process.stdout.write(
        `\n${depth}: ${judgedText(expected)}, about ${about(requests)} requests, about ${about(seconds)} s\n  ${sections.join(', ')}\n`,
      );
      for (const group of unjudgedByRemedy(expected))
        process.stdout.write(`  ${group.results.length} more: ${group.text} (${namesOf(group)})\n`);
    }
    return refused !== null ? 2 : isKeyed ? 0 : 3;
  } finally {
    await run.close();
    await opened.close();
  }
}
