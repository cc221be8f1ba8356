import { stringify } from 'yaml';
import { acceptedTypes } from '../../http/index.js';
import { version } from '../../version.js';
import { identityOf, k6Schedule, type K6Run, type TimedSegment } from '../k6-schedule.js';
import { usualTimeoutMs as timeoutMs } from '../engine/drive.js';

/** The metric whose points are the trace, and the metadata that holds them as JSON. */
export const k6Metric = 'dealership_limits';

/** A test of a plan's limits for another engine; the key comes from the environment variable API_KEY and is never written down. */
export interface ExportedLimits {
  readonly run: K6Run;
  readonly leftOut: readonly string[];
}

/** The executor admits no shorter time; the script lets no more go out than was planned. */
const leastMs = 1_000;
/** For a timer that fires late. */
const slackMs = 100;
/** Each request finds a virtual user free while answers take less than a second, or a quarter of one in a burst: k6 lets none wait. */
const mostUsers = 500;

/**
 * A segment of the schedule for k6, which deals slots out to execution segments in turn, as the schedule does. That holds while the number of
 * virtual users can be divided by the number of instances.
 */
function executorOf({ atSeconds, count, ratePerSecond }: TimedSegment, instances: number) {
  const users = Math.ceil(Math.min(count, ratePerSecond, mostUsers) / instances) * instances;
  return {
    executor: 'constant-arrival-rate',
    exec: 'send',
    startTime: `${(atSeconds * 1000).toFixed(3)}ms`,
    rate: 1,
    timeUnit: `${Math.round(1e9 / ratePerSecond)}ns`,
    duration: `${Math.max(leastMs, Math.ceil((count * 1000) / ratePerSecond) + slackMs)}ms`,
    preAllocatedVUs: users,
    maxVUs: users,
    gracefulStop: `${timeoutMs + 1_000}ms`,
  };
}

/**
 * A k6 script that tries a plan's limits, and records it for `load judge`. Each of `run.instances` instances runs it on its execution segment,
 * with `--out json=FILE`. They begin together: at the instant START_AT, else at once.
 */
export function exportK6Limits({ run, leftOut }: ExportedLimits): string {
  const { instances, plan, target } = run;
  const segments = k6Schedule(run.limits, instances);
  const scenarios = Object.fromEntries(
    segments.map((one, at) => [`${at}-${one.step.scenario}`, executorOf(one, instances)]),
  );
  const comment = [
    'Written by dealership-conformance.',
    `The limits of the ${plan} plan of ${target}, tried by ${instances} instances.`,
    ...leftOut.map((one) => `Left out: ${one}.`),
    'API_KEY: the key of the plan. START_AT: when all instances begin, such as 2027-01-31T03:00:00Z (default: at once).',
  ];
  return `${comment.map((line) => `// ${line}\n`).join('')}import crypto from 'k6/crypto';
import exec from 'k6/execution';
import http from 'k6/http';
import { sleep } from 'k6';
import { Counter } from 'k6/metrics';

export const options = ${JSON.stringify({ setupTimeout: '24h', systemTags: [], scenarios }, null, 2)};

const run = ${JSON.stringify(run)};
const counts = ${JSON.stringify(segments.map(({ count }) => count))};
const points = new Counter('${k6Metric}');
const headers = { Accept: '${acceptedTypes}', 'User-Agent': 'dealership-conformance/${version}', Authorization: 'Bearer ' + __ENV.API_KEY };
const ask = { headers, redirects: 0, timeout: ${timeoutMs}, responseType: 'text' };
const wanted = /^(ratelimit(-.*)?|retry-after|(cdn-)?cache-control|expires|date)$/i;

// As metadata, since a tag of its own for each request would fill the memory.
function note(point) {
  exec.vu.metrics.metadata.point = JSON.stringify(point);
  points.add(1);
  delete exec.vu.metrics.metadata.point;
}

const stop = (why) => exec.test.abort(why);

// Which of the instances this is.
function instanceOf() {
  const own = (exec.test.options.executionSegment || '0:1').split(':');
  const all = (exec.test.options.executionSegmentSequence || '0,1').split(',');
  const place = (text) => {
    const [above, below = 1] = text.split('/');
    return (above / below) * run.instances;
  };
  const instance = Math.round(place(own[1]));
  const near = (text, at) => Math.abs(place(text) - at) < 1e-6;
  if (!own.every((text, at) => near(text, instance - 1 + at)) || all.length !== run.instances + 1 || !all.every(near))
    stop('this script is for ' + run.instances + ' instances, each on an execution segment of the same size: give --execution-segment and --execution-segment-sequence');
  return instance;
}

export function setup() {
  if (!__ENV.API_KEY) stop('API_KEY is not set: expected the key of the ${plan} plan');
  const instance = instanceOf();
  // Tells whether two instances have the same key, and not which; slow to guess.
  let key = __ENV.API_KEY;
  for (let round = 0; round < 20000; round += 1) key = crypto.hmac('sha256', run.target + run.plan, key, 'hex');
  const { status } = http.get(run.target + '/api/v1/units?limit=1', ask);
  if (status !== 200) stop('the service answers ' + status + ' to API_KEY: expected 200');
  const startedMs = __ENV.START_AT ? Date.parse(__ENV.START_AT) : Date.now();
  if (!(startedMs > Date.now() - 1000)) stop('START_AT is ' + __ENV.START_AT + ': expected an instant ahead, such as 2027-01-31T03:00:00Z');
  note({ begun: { run, identity: '${identityOf(run)}', instance, key, startedMs } });
  for (let left = startedMs - Date.now(); left > 0; left = startedMs - Date.now()) sleep(Math.min(left, 10000) / 1000);
}

function isFailure(text) {
  try {
    const { ok, error } = JSON.parse(text);
    return ok === false && typeof error === 'object' && error !== null && !Array.isArray(error);
  } catch (_) {
    return false;
  }
}

export function send() {
  const segment = parseInt(exec.scenario.name, 10);
  const { iterationInTest } = exec.scenario;
  const sentMs = Date.now();
  if (iterationInTest >= counts[segment]) return;
  const answer = http.get(run.target + '/api/v1/units?limit=1', ask);
  const { status } = answer;
  note({
    request: {
      segment,
      turn: iterationInTest,
      sentMs,
      // Whole milliseconds, away from each other; the second holds where the clock is set meanwhile.
      receivedMs: Math.max(Date.now() + 1, sentMs + answer.timings.duration),
      status,
      hasEnvelope: status >= 400 ? isFailure(answer.body) : null,
      headers: Object.entries(answer.headers).filter(([name]) => wanted.test(name)),
      error: status === 0 ? answer.error : undefined,
      timedOut: answer.error_code === 1050,
    },
  });
}

export function teardown() {
  note({ ended: true });
}
`;
}

/** Names for what the cluster must have: a Secret with API_KEY, and a volume that several nodes can write to. */
const secret = 'dealership-load';
const claim = 'traces';
/** The user of the image of k6, who writes to the volume. */
const k6User = 12_345;

/**
 * The script as a ConfigMap, and a TestRun of k6-operator. The operator gives each runner its execution segment and starts all at once;
 * `separate` puts each on a node of its own, as the addresses of one node may be one.
 */
export function exportKubernetes({ run }: ExportedLimits, script: string): string {
  const name = `limits-${run.plan}`;
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { 'limits.js': script } };
  const runner = {
    // The job of a runner is called like the test run, with its number; the name of a pod has random letters.
    env: [{ name: 'JOB', valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } }],
    envFrom: [{ secretRef: { name: secret } }],
    securityContext: { fsGroup: k6User },
    volumes: [{ name: claim, persistentVolumeClaim: { claimName: claim } }],
    volumeMounts: [{ name: claim, mountPath: '/traces' }],
  };
  const testRun = {
    apiVersion: 'k6.io/v1alpha1',
    kind: 'TestRun',
    metadata: { name },
    spec: {
      parallelism: run.instances,
      separate: true,
      script: { configMap: { name, file: 'limits.js' } },
      arguments: '--out json=/traces/$(JOB).json.gz',
      runner,
    },
  };
  const comment = [
    'Written by dealership-conformance, for k6-operator.',
    `The Secret ${secret} holds API_KEY. The PersistentVolumeClaim ${claim} (ReadWriteMany) takes the traces.`,
  ];
  const documents = [configMap, testRun].map((one) => stringify(one, { lineWidth: 0 }));
  return `${comment.map((line) => `# ${line}\n`).join('')}${documents.join('---\n')}`;
}
