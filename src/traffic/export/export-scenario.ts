import type { SoakSchedule } from '../soak/expected-refusals.js';
import type { SoakOptions } from '../soak/run-soak.js';
import type { Threshold } from '../soak/thresholds.js';

/** A soak for k6; the key comes from the environment variable API_KEY and is never written down. */
export interface ExportedScenario extends SoakSchedule, Pick<SoakOptions, 'baseUrl' | 'mix' | 'thresholds'> {
  /** The origin of rate, duration and thresholds, and the parts of the soak that the export lacks. */
  readonly origin: string;
  readonly leftOut: readonly string[];
  /** Sent as X-Tenant; null where there is none, or no key. */
  readonly tenant: string | null;
}

/** Differences of k6 from the suite; its report is not comparable with a soak in these points. */
const differences = [
  'http_req_duration begins when a request is sent, without the time to connect; the suite counts from its scheduled time.',
  'A request that finds no virtual user free is never sent and counts in dropped_iterations; in the suite it waits, and is an error after 10 s.',
  'Up to ten virtual users for each request a second, each with its own connections; the suite has 8 to 500 connections.',
  'The rate is a whole number of requests a minute, the time a whole number of seconds.',
  'Operations are drawn at random by weight; the suite deals them out in exact proportions.',
  'X-Tenant is sent where TENANT was set; the suite sends it with API_KEY only, as the keys of plans may be of other tenants.',
  'Every answer is looked at for the envelope (ok, data); the suite parses one in sixteen over 2 kB, and the beginning and the end of the others.',
  'The User-Agent is k6’s own, and no traceparent is sent.',
  'The same load is not sent to a reference service, and nothing is compared with earlier runs.',
];
/** The requests and thresholds of an export, and what it leaves out, a line each. */
export function describeExported(scenario: ExportedScenario): string[] {
  const { ratePerSecond, durationSeconds, thresholds, origin, leftOut } = scenario;
  return [
    `From ${origin}: ${ratePerSecond.toLocaleString('en')} requests a second for ${durationSeconds} s; thresholds ${thresholds.map(({ text }) => text).join(', ')}.`,
    ...leftOut.map((one) => `Left out: ${one}.`),
  ];
}

/** The content and the differences from a soak, as a comment at the beginning of a file. */
function commentOf(scenario: ExportedScenario): string {
  const lines = [
    'Written by dealership-conformance.',
    ...describeExported(scenario),
    'What differs from its own soak:',
    ...differences.map((one) => `- ${one}`),
  ];
  return lines.map((line) => `// ${line}\n`).join('');
}

function k6Threshold({ measure, comparison, bound }: Threshold): readonly [string, string] {
  if (measure.kind === 'errors') return ['errors', `rate${comparison}${bound}`];
  const of =
    measure.kind === 'percentile' ? `p(${measure.percentile})` : measure.kind === 'mean' ? 'avg' : measure.kind;
  return ['http_req_duration', `${of}${comparison}${bound}`];
}

/**
 * A k6 script with an open arrival rate: `k6 run -e API_KEY=… soak.js`. Counts the same errors as a soak, except unsent requests, which k6
 * counts as dropped_iterations.
 */
export function exportK6(scenario: ExportedScenario): string {
  const thresholds: Record<string, string[]> = {};
  for (const [metric, text] of scenario.thresholds.map(k6Threshold))
    thresholds[metric] = [...(thresholds[metric] ?? []), text];
  const rate = Math.max(1, Math.round(scenario.ratePerSecond * 60));
  const users = Math.max(2, Math.ceil(scenario.ratePerSecond));
  const soak = {
    executor: 'constant-arrival-rate',
    rate,
    timeUnit: '1m',
    duration: `${Math.max(1, Math.round(scenario.durationSeconds))}s`,
    preAllocatedVUs: users,
    maxVUs: users * 10,
  };
  return `${commentOf(scenario)}import http from 'k6/http';
import { check } from 'k6';
import { Rate } from 'k6/metrics';

export const options = ${JSON.stringify({ scenarios: { soak }, thresholds }, null, 2)};

const base = __ENV.BASE_URL || ${JSON.stringify(scenario.baseUrl)};
// -e TENANT=… names another tenant; an empty one leaves the header out.
const tenant = __ENV.TENANT === undefined ? ${JSON.stringify(scenario.tenant ?? '')} : __ENV.TENANT;
const mix = ${JSON.stringify(scenario.mix, null, 2)};
const total = mix.reduce((sum, one) => sum + one.weight, 0);
const errors = new Rate('errors');

function isEnvelope(body) {
  try {
    const whole = JSON.parse(body);
    return whole.ok === true && 'data' in whole;
  } catch (_) {
    return false;
  }
}

function uuid() {
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => Math.floor(Math.random() * 16).toString(16));
}

export default function () {
  let left = Math.random() * total;
  const one = mix.find((candidate) => (left -= candidate.weight) < 0) || mix[0];
  const headers = { Accept: 'application/json' };
  if (__ENV.API_KEY) headers.Authorization = 'Bearer ' + __ENV.API_KEY;
  if (tenant) headers['X-Tenant'] = tenant;
  if (one.method !== 'GET') headers['Idempotency-Key'] = uuid();
  if (one.body) headers['Content-Type'] = 'application/json';
  const body = one.body ? one.body.split('{{uuid}}').join(uuid()) : null;
  const answer = http.request(one.method, base + one.path, body, { headers, tags: { name: one.name }, redirects: 0, timeout: '10s' });
  const checks = { 'below 400': (seen) => seen.status >= 200 && seen.status < 400 };
  if (one.envelope) checks.envelope = (seen) => isEnvelope(seen.body);
  errors.add(!check(answer, checks));
}
`;
}
