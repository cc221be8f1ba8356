import { stringify } from 'yaml';
import type { SoakSchedule } from '../soak/expected-refusals.js';
import type { MixOperation } from '../soak/mix.js';
import type { SoakOptions } from '../soak/run-soak.js';
import type { Threshold } from '../soak/thresholds.js';

/** A soak for another engine; the key comes from the environment variable API_KEY and is never written down. */
export interface ExportedScenario extends SoakSchedule, Pick<SoakOptions, 'baseUrl' | 'mix' | 'thresholds'> {
  /** Whether requests carry a key. */
  readonly keyed: boolean;
  /** The origin of rate, duration and thresholds, and the parts of the soak that the export lacks. */
  readonly origin: string;
  readonly leftOut: readonly string[];
  /** How many copies of an Artillery scenario run at the same time; 1 unless given. */
  readonly generators?: number;
  /** Sent as X-Tenant; null where there is none, or no key. */
  readonly tenant: string | null;
}

/** Differences of both engines from the suite; their reports are not comparable with a soak in these points. */
const bothDiffer = [
  'Operations are drawn at random by weight; the suite deals them out in exact proportions.',
  'X-Tenant is sent where TENANT was set; the suite sends it with API_KEY only, as the keys of plans may be of other tenants.',
  'Every answer is looked at for the envelope (ok, data); the suite parses one in sixteen over 2 kB, and the beginning and the end of the others.',
  'The User-Agent is the engine’s own, and no traceparent is sent.',
  'The same load is not sent to a reference service, and nothing is compared with earlier runs.',
];
const k6Differs = [
  'http_req_duration begins when a request is sent, without the time to connect; the suite counts from its scheduled time.',
  'A request that finds no virtual user free is never sent and counts in dropped_iterations; in the suite it waits, and is an error after 10 s.',
  'Up to ten virtual users for each request a second, each with its own connections; the suite has 8 to 500 connections.',
  'The rate is a whole number of requests a minute; the time at full rate is a whole number of seconds.',
  ...bothDiffer,
];
const artilleryDiffers = [
  'http.response_time begins when a request is sent and ends with the first byte of the answer; the suite counts from its scheduled time to the last byte.',
  'Every request is a virtual user with a connection of its own; the suite keeps 8 to 500 connections open.',
  'A ramp begins at one request a second and ends at a whole number; the suite begins at none.',
  'A percentile that Artillery does not report is replaced by the next higher one that it does.',
  'Where answers have no envelope (ok, data), anything but a 200 is an error where the mix only reads, and no status is one where it also writes.',
  ...bothDiffer,
];

/** The requests and thresholds of an export, and what it leaves out, a line each. */
export function describeExported(scenario: ExportedScenario): string[] {
  const { ratePerSecond, durationSeconds, rampSeconds, thresholds, origin, leftOut } = scenario;
  return [
    `From ${origin}: ${ratePerSecond.toLocaleString('en')} requests a second for ${durationSeconds} s, ramp ${rampSeconds} s; thresholds ${thresholds.map(({ text }) => text).join(', ')}.`,
    ...leftOut.map((one) => `Left out: ${one}.`),
  ];
}

/** The content and the differences from a soak, as a comment at the beginning of a file. */
function commentOf(sign: string, scenario: ExportedScenario, differences: readonly string[]): string {
  const lines = [
    'Written by dealership-conformance.',
    ...describeExported(scenario),
    'What differs from its own soak:',
    ...differences.map((one) => `- ${one}`),
  ];
  return lines.map((line) => `${sign} ${line}\n`).join('');
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
  const left = Math.max(scenario.rampSeconds > 0 ? 0 : 1, Math.round(scenario.durationSeconds - scenario.rampSeconds));
  const stages = [
    ...(scenario.rampSeconds > 0 ? [{ target: rate, duration: `${scenario.rampSeconds}s` }] : []),
    ...(left > 0 ? [{ target: rate, duration: `${left}s` }] : []),
  ];
  const users = Math.max(2, Math.ceil(scenario.ratePerSecond));
  const soak = {
    executor: 'ramping-arrival-rate',
    startRate: scenario.rampSeconds > 0 ? 0 : rate,
    timeUnit: '1m',
    preAllocatedVUs: users,
    maxVUs: users * 10,
    stages,
  };
  return `${commentOf('//', scenario, k6Differs)}import http from 'k6/http';
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

/** The percentiles that Artillery's `ensure` can be asked for. */
const artilleryPercentiles = [50, 75, 90, 95, 99];

/**
 * The conditions for Artillery's `ensure`. A percentile that it does not support is replaced by the next stricter one. A virtual user fails
 * by its captures, so an answer without an envelope must have status 200; that applies to reads only.
 */
function artilleryConditions({ measure, comparison, bound }: Threshold, mix: readonly MixOperation[]): string[] {
  if (measure.kind === 'errors') {
    const failed = `vusers.failed / vusers.created ${comparison} ${bound}`;
    const not200 = `(vusers.created - http.codes.200) / vusers.created ${comparison} ${bound}`;
    const byStatus = mix.some((one) => !one.envelope) && mix.every((one) => one.method === 'GET');
    return byStatus ? [failed, not200] : [failed];
  }
  if (measure.kind !== 'percentile') return [`http.response_time.${measure.kind} ${comparison} ${bound}`];
  const known = artilleryPercentiles.find((one) => one >= measure.percentile);
  return [`http.response_time.${known === undefined ? 'max' : `p${known}`} ${comparison} ${bound}`];
}

/** A virtual user whose answer lacks one of these fails, which an error status alone does not bring about. */
const artilleryCaptures = [
  { regexp: '"ok"\\s*:\\s*true', as: 'ok' },
  { json: '$.data', as: 'data' },
];

/** An Artillery scenario, in YAML. */
export function exportArtillery(scenario: ExportedScenario): string {
  const { generators = 1 } = scenario;
  const rate = scenario.ratePerSecond / generators;
  const copies =
    generators > 1 ? [`This is the share of one of ${generators} copies, each of which judges its own.`] : [];
  const ensure = scenario.thresholds
    .flatMap((threshold) => artilleryConditions(threshold, scenario.mix))
    .map((expression) => ({ expression, strict: true }));
  const phase = { duration: Math.max(1, Math.round(scenario.durationSeconds - scenario.rampSeconds)) };
  const document = {
    config: {
      target: scenario.baseUrl,
      plugins: { ensure: {} },
      ensure: { conditions: ensure },
      phases: [
        ...(scenario.rampSeconds > 0
          ? [{ duration: scenario.rampSeconds, arrivalRate: 1, rampTo: Math.max(1, Math.round(rate)) }]
          : []),
        // Rates are whole numbers there; a count over the phase carries any.
        Number.isInteger(rate)
          ? { ...phase, arrivalRate: rate }
          : { ...phase, arrivalCount: Math.max(1, Math.round(rate * phase.duration)) },
      ],
      http: {
        timeout: 10,
        defaults: {
          headers: {
            Accept: 'application/json',
            ...(scenario.keyed ? { Authorization: 'Bearer {{ $processEnvironment.API_KEY }}' } : {}),
            ...(scenario.tenant === null ? {} : { 'X-Tenant': scenario.tenant }),
          },
        },
      },
    },
    scenarios: scenario.mix.map((one) => ({
      name: one.name,
      weight: one.weight,
      flow: [
        {
          [one.method.toLowerCase()]: {
            url: one.path,
            followRedirect: false,
            ...(one.method === 'GET' ? {} : { headers: { 'Idempotency-Key': '{{ $uuid }}' } }),
            ...(one.body === undefined
              ? {}
              : { json: JSON.parse(one.body.replaceAll('{{uuid}}', '{{ $uuid }}')) as unknown }),
            ...(one.envelope ? { capture: artilleryCaptures } : {}),
          },
        },
      ],
    })),
  };
  return `${commentOf('#', scenario, [...copies, ...artilleryDiffers])}${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
