import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { SoakRun } from './history.js';

const text = { type: 'string' };
const number = { type: 'number' };
const listOf = (items: object): object => ({ type: 'array', items });
/** An object that has all of these members. */
const objectOf = (properties: object): object => ({ type: 'object', required: Object.keys(properties), properties });

const figures = { due: number, errors: number, p50Ms: number, p95Ms: number, p99Ms: number, maxMs: number };
const summary = objectOf({
  ...figures,
  name: text,
  histogram: text,
  bareEnvelopes: number,
  meanMs: number,
  statuses: { type: 'object', additionalProperties: number },
});
const report = objectOf({
  started: text,
  ended: text,
  seconds: number,
  ratePerSecond: number,
  windowSeconds: number,
  total: summary,
  operations: listOf(summary),
  windows: listOf(objectOf({ startSeconds: number, ...figures })),
  thresholds: listOf(objectOf({ text, value: { type: ['number', 'null'] }, kept: { type: 'boolean' } })),
});
/** Every field of a soak run that is ever read. */
const schema = objectOf({
  format: { const: 'dealership-soak-run/1' },
  started: text,
  target: text,
  conditions: text,
  service: report,
  control: { anyOf: [report, { type: 'null' }] },
});

/** Compiled when first used. */
let hasShape: ValidateFunction<SoakRun> | null = null;

const dayMs = 86_400_000;

/** Whether a parsed file is a soak run that did not begin in the future, apart from clock differences of up to a day. */
export function isSoakRun(value: unknown): value is SoakRun {
  hasShape ??= new Ajv2020({ allowUnionTypes: true }).compile<SoakRun>(schema);
  return hasShape(value) && Date.parse(value.started) < Date.now() + dayMs;
}
