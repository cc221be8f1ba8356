import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from '@playwright/test';
import { parseAllDocuments } from 'yaml';
import { conformingKinds, keptLimits } from '../../../testing/limiter-simulators/conforming-kinds.test-kit.js';
import { randomFrom } from '../../../testing/limiter-simulators/test-kit.js';
import { folderForEach } from '../../folder.test-kit.js';
import { readBehaviour } from '../../reference/behaviour.js';
import { makeLimits } from '../../reference/limits.js';
import { version } from '../../version.js';
import { judgeInstances } from '../judge-instances.js';
import { readK6Output } from '../k6-output.js';
import { exportK6Limits, exportKubernetes, k6Metric, type ExportedLimits } from './export-limits.js';

const limits = keptLimits;
const startAt = '2027-01-31T03:00:00Z';
const startMs = Date.parse(startAt);

let folder: string;
folderForEach((own) => (folder = own));

function exported(instances: number): ExportedLimits {
  const run = { suite: version, target: 'http://127.0.0.1:1', plan: 'independent', limits, instances } as const;
  return { run, leftOut: ['the proxy'] };
}

/** A service that knows which instance asks. */
type DecideFor = (atMs: number, instance: number) => boolean;

interface Scenario {
  readonly startTime: string;
  readonly timeUnit: string;
  readonly duration: string;
  readonly maxVUs: number;
}

/** One instance of k6, as far as the script uses it, in simulated time; its clock is `skewMs` ahead. */
function simulatedK6(instances: number, instance: number, skewMs: number, decide: DecideFor, segment?: string) {
  let nowMs = startMs - 20_000;
  const lines: string[] = [];
  const metadata: Record<string, string> = {};
  const places = Array.from({ length: instances + 1 }, (_, at) =>
    at % instances === 0 ? at / instances : `${at}/${instances}`,
  );
  const options = {
    executionSegment: segment ?? `${places[instance - 1] ?? ''}:${places[instance] ?? ''}`,
    executionSegmentSequence: places.join(),
  };
  const scenario = { name: '', iterationInTest: 0, startTime: 0 };
  const abort = (why: string): never => {
    throw new Error(why);
  };
  const get = () => {
    const fine = decide((nowMs += 1), instance);
    nowMs += 1;
    return {
      status: fine ? 200 : 429,
      body: '{"ok":false,"error":{}}',
      headers: { 'Retry-After': '1' },
      error: '',
      error_code: 0,
      timings: { duration: 2 },
    };
  };
  const context = createContext({
    __ENV: { API_KEY: 'secret', START_AT: startAt },
    Date: { now: () => Math.floor(nowMs + skewMs), parse: Date.parse },
    crypto: { hmac: (_: string, salt: string, text: string) => createHmac('sha256', salt).update(text).digest('hex') },
    exec: { scenario, vu: { metrics: { metadata } }, test: { options, abort } },
    http: { get },
    sleep: (seconds: number) => (nowMs += seconds * 1000),
    Counter: class {
      readonly add = () => lines.push(JSON.stringify({ metric: k6Metric, type: 'Point', data: { metadata } }));
    },
  });
  runInContext(
    exportK6Limits(exported(instances))
      .replace(/^import .*$/gm, '')
      .replace(/^export (const options =)?/gm, (_, made) => (made ? 'options =' : '')),
    context,
  );
  const call = (name: string): unknown => runInContext(`${name}()`, context);
  const scenarios = Object.entries((context['options'] as { scenarios: Record<string, Scenario> }).scenarios);
  call('setup');
  const began = nowMs;
  const iterations = scenarios.flatMap(([name, { startTime, timeUnit, duration, maxVUs }]) => {
    expect(maxVUs % instances).toBe(0);
    const everyMs = parseFloat(timeUnit) / 1e6;
    const count = Math.ceil((parseFloat(duration) / everyMs - (instance - 1)) / instances);
    return Array.from({ length: count }, (_, at) => {
      const slot = at * instances + instance - 1;
      return {
        atMs: began + parseFloat(startTime) + slot * everyMs,
        slot,
        name,
        begins: began + parseFloat(startTime),
      };
    });
  });
  const send = ({ atMs, slot, name, begins }: (typeof iterations)[number]): unknown => {
    nowMs = atMs;
    Object.assign(scenario, { name, iterationInTest: slot, startTime: begins + skewMs });
    return call('send');
  };
  return {
    iterations: iterations.map((one) => ({ atMs: one.atMs, send: () => send(one) })),
    end: () => (call('teardown'), lines),
  };
}

/** What several instances whose clocks are a little wrong see of a service, as `load judge` judges it. */
async function judged(count: number, decide: DecideFor) {
  const instances = Array.from({ length: count }, (_, k) => simulatedK6(count, k + 1, [0, -45, 45][k] ?? 0, decide));
  const inTurn = instances.flatMap(({ iterations }) => iterations).sort((a, b) => a.atMs - b.atMs);
  for (const { send } of inTurn) send();
  const read = instances.map(({ end }, k) => {
    const file = join(folder, `${k}.json`);
    writeFileSync(file, end().join('\n'));
    return readK6Output(file);
  });
  return judgeInstances(await Promise.all(read), { model: 'auto', lateMs: 100, clockErrorMs: 50 });
}

for (const [kind, { build }] of Object.entries(conformingKinds))
  test(`the script sends its schedule at its instants: three instances find nothing in ${kind}`, async () => {
    const decide = build(randomFrom(3));
    const { violations, trace } = await judged(3, (atMs) => decide(atMs));
    expect(violations).toEqual([]);
    const late = trace.conducted.records.map(({ sentMs, dueMs }) => sentMs - dueMs);
    expect(Math.max(...late)).toBeLessThan(20);
    expect(trace.conducted.records.filter(({ outcome }) => outcome === 'unsent')).toEqual([]);
  });

test('three instances of the script find a counter for each server, and one does not', async () => {
  const independent = limits.map(({ count, windowSeconds: seconds }) => ({ count, seconds }));
  const rest = { franchise: [], enterprise: [], functional: [], demo: [], sandbox: [] };
  const bySource = (): DecideFor => {
    const service = makeLimits(readBehaviour(['limits-by-source'], {}, 1), { ...rest, independent });
    return (atMs, instance) => service.rule('independent', 'key', 'GET /', atMs, `127.0.0.${instance + 1}`).allowed;
  };
  const [alone, three] = [await judged(1, bySource()), await judged(3, bySource())];
  expect(alone).toMatchObject({ violations: [], weak: { within: null, beyond: null } });
  expect(three.violations.map(({ actual }) => actual).join()).toContain('the service counts instances apart');
});

test('an instance on another segment than the script is for sends nothing', () => {
  expect(() => simulatedK6(3, 4, 0, () => true)).toThrow(/this script is for 3 instances/);
  expect(() => simulatedK6(1, 1, 0, () => true, '0:1/2')).toThrow(/this script is for 1 instances/);
});

/** Of the definition of TestRun (k6.io/v1alpha1) of k6-operator 1.6: the fields that a cluster knows, and what it demands of those used here. */
const known = {
  spec: 'args arguments cleanup initializer parallelism paused ports quiet runner scuttle script separate starter testRunId token',
  runner:
    'affinity env envFrom image initContainers metadata nodeSelector resources securityContext volumeMounts volumes',
};

test('the file for Kubernetes is the script and a TestRun that k6-operator accepts, without a secret', () => {
  const script = exportK6Limits(exported(3));
  const file = exportKubernetes(exported(3), script);
  const [configMap, testRun] = parseAllDocuments(file).map((one) => one.toJSON() as Record<string, unknown>);
  const { metadata, spec } = testRun as { metadata: { name: string }; spec: { runner: object } };
  const { name } = metadata;
  // The host of a runner is named like its test run, with a number: at most 63 characters.
  expect(name).toMatch(/^[a-z0-9-]{1,60}$/);
  expect(configMap).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'limits.js': script } });
  expect(testRun).toMatchObject({ apiVersion: 'k6.io/v1alpha1', kind: 'TestRun' });
  expect(Object.keys(spec).filter((field) => !known.spec.split(' ').includes(field))).toEqual([]);
  expect(Object.keys(spec.runner).filter((field) => !known.runner.split(' ').includes(field))).toEqual([]);
  expect(spec).toMatchObject({
    parallelism: 3,
    script: { configMap: { name, file: 'limits.js' } },
    arguments: expect.stringMatching(/^--out json=\/traces\/\$\(JOB\)/),
    runner: {
      env: [{ name: 'JOB', valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } }],
      envFrom: [{ secretRef: { name: expect.any(String) } }],
      volumeMounts: [{ name: 'traces', mountPath: '/traces' }],
    },
  });
  expect(script).toMatch(/^\/\/ Written by [^]*\n\/\/ Left out: the proxy\.\n/);
});
