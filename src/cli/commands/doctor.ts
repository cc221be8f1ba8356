import { describe, proxyName } from '../../http/index.js';
import {
  blockedByReason,
  bySection,
  judgedText,
  looks,
  namesOf,
  openingTexts,
  painter,
  wantsColour,
} from '../../reports/index.js';
import { visible } from '../../visible.js';
import { loadPacks } from '../../packs.js';
import {
  missingOf,
  remedyFor,
  type Requirement,
  type RequirementResult,
  type Section,
  select,
  unmetNeed,
} from '../../requirement/index.js';
import { dialect } from '../../service/index.js';
import { remedyText, type Target, toSet } from '../../settings/index.js';
import {
  assertAddress,
  type Depth,
  forbiddenLists,
  lookAs,
  noDocument,
  notRun,
  type Run,
  secondFormTrouble,
  withRun,
} from '../../run/index.js';
import { allowedToLoad, baseSteps, costOf, limitSubjects } from '../../traffic/index.js';
import type { Arguments } from '../arguments.js';
import { type Life, withTarget } from '../with-target.js';

/** Time of the suite itself for each request, and the fixed waits of a run. */
const ownSeconds = 0.005;
const fixedSeconds = { gate: 3, certify: 15 } as const;

/** The subjects that load may be sent to. */
const drivable = (target: Target) =>
  limitSubjects(target).subjects.filter(({ url }) => allowedToLoad(url, target.allowLoad));

/** The requirements that a run can judge: a pass for each that nothing blocks. `blocked` is the reason that there is no document. */
function foresee(
  entries: readonly Omit<Requirement, 'body'>[],
  run: Pick<Run, 'target' | 'depth' | 'hooks'>,
  blocked: string | null = null,
): RequirementResult[] {
  const loadRemedy = drivable(run.target).length > 0 ? null : toSet('ALLOW_LOAD');
  return entries.map((entry) => {
    const { id, section, level, title, source, needs, passNeeds = [] } = entry;
    const common = { id, section, level, title, source, findings: [], requests: 0 };
    if (blocked !== null && needs.includes('document')) return { ...common, verdict: 'blocked', reason: blocked };
    const unmet = notRun(entry, run) ?? unmetNeed(needs, run) ?? unmetNeed(passNeeds, run);
    const remedy = unmet?.remedy ?? (entry.slow ? loadRemedy : null);
    return remedy === null
      ? { ...common, verdict: 'pass', reason: '' }
      : { ...common, verdict: 'not-applicable', reason: remedyText(remedy), remedy };
  });
}

/** About how many requests a run sends, and how many seconds that takes. */
function costOfRun(
  expected: readonly RequirementResult[],
  sections: readonly Section[],
  target: Target,
  depth: Depth,
  secondsEach: number,
) {
  let requests = 0;
  for (const [section, results] of bySection(expected, sections)) {
    const [few = 0, many = few] = sections.find(({ id }) => id === section)?.requests ?? [];
    const share = results.filter(({ verdict }) => verdict === 'pass').length / results.length;
    requests += share * (depth === 'gate' ? few : many);
  }
  const seconds = requests * (secondsEach + ownSeconds) + fixedSeconds[depth];
  if (depth === 'gate' || !expected.some(({ section, verdict }) => section === 'LIMIT' && verdict === 'pass'))
    return { requests, seconds };
  const costs = drivable(target).map(({ limits }) => costOf(baseSteps(limits)));
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
  const { only = null, 'wait-ready': waitReadySeconds = 0 } = parsed.options;
  const act = async ({ opened }: Life): Promise<number> => {
    const hooks = { register: opened.register, waitSeconds: 0 };
    const catalogue = await loadPacks(opened.settings.PACKS);
    const checks = select(catalogue.requirements, only);
    return withRun(opened.target, { depth: 'gate', waitReadySeconds, hooks }, (run) =>
      examine(run, hooks, catalogue.sections, checks),
    );
  };
  return withTarget(parsed, act, null);
}

async function examine(
  run: Run,
  hooks: Run['hooks'],
  sections: readonly Section[],
  checks: readonly Requirement[],
): Promise<number> {
  const paint = painter(wantsColour(process.stdout));
  const say = (verdict: 'pass' | 'fail' | 'warn' | 'not-applicable', name: string, text: string): void => {
    const { sign, colour } = looks[verdict];
    process.stdout.write(`  ${paint(colour, sign)} ${name.padEnd(9)} ${visible(run.redactor.text(text))}\n`);
  };
  await assertAddress(run);
  const { target } = run;
  const { unreachable, refused } = await run.targetState();
  if (unreachable !== null) {
    say('fail', 'address', unreachable);
    return 3;
  }
  const proxy = target.network.proxyFor(target.baseUrl);
  const way = proxy === null ? '' : `, through ${proxyName(proxy)}`;
  say('pass', 'address', `${target.embedded ? 'the embedded reference service' : target.baseUrl} answers${way}`);
  const { served, problem, contract, present, exchange } = await run.contract();
  const { length } = contract.operations;
  const seen = exchange === null ? '' : `${describe(exchange)}: `;
  if (served === null) say('warn', 'document', `${seen}${problem ?? 'no answer'}`);
  else say(length === 0 ? 'warn' : 'pass', 'document', `${length} operations`);
  const isKeyed = target.keys.API_KEY !== undefined;
  const forbidden = isKeyed && refused === null ? await forbiddenLists(target, run.client) : null;
  if (refused !== null) say('fail', 'key', refused);
  else if (forbidden !== null) say('warn', 'key', forbidden);
  else if (isKeyed) say('pass', 'key', `API_KEY is accepted${target.tenant === null ? '' : ', and so is TENANT'}`);
  else say('warn', 'key', 'API_KEY is not set: a run without it is incomplete');
  const second = isKeyed && refused === null ? await secondFormTrouble(target, run.client) : null;
  if (second !== null) say('warn', 'address', second);
  if (isKeyed && refused === null) {
    const found = await dialect(lookAs('doctor', run)).catch((reason: unknown) =>
      reason instanceof Error ? reason.message : String(reason),
    );
    if (typeof found === 'string') say('warn', 'dialect', found);
    else for (const [path, text] of found) say('pass', 'dialect', `${path}: ${text}`);
  }
  const { API_KEY: _refused, ...others } = target.keys;
  const usable = refused === null ? target : { ...target, keys: others };
  const secondsEach = await fastestSeconds(run);
  for (const depth of ['gate', 'certify'] as const) {
    const blocked = present ? null : noDocument(problem);
    const expected = foresee(checks, { target: usable, depth, hooks }, blocked);
    const { requests, seconds } = costOfRun(expected, sections, usable, depth, secondsEach);
    process.stdout.write(
      `\n${depth}: ${judgedText(expected)}, about ${about(requests)} requests, about ${about(seconds)} s\n`,
    );
    const partly = checks.flatMap(({ id, partWithout }, at) => {
      if (partWithout === undefined || expected[at]?.verdict !== 'pass') return [];
      const missing = missingOf(partWithout, { target: usable, hooks });
      return missing === null ? [] : [{ id, remedy: remedyFor([missing]) }];
    });
    for (const text of openingTexts(expected, partly)) process.stdout.write(`  ${text}\n`);
    for (const group of blockedByReason(expected))
      process.stdout.write(
        `  ${group.results.length} blocked: ${visible(run.redactor.text(group.text))} (${namesOf(group)})\n`,
      );
  }
  return refused !== null ? 2 : isKeyed ? 0 : 3;
}
