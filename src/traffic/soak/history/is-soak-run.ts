import type { SoakRun } from './history.js';
import type { SoakReport, SoakSummary, SoakWindow } from '../run-soak.js';

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether all fields are numbers; JSON has no NaN or Infinity, so the type is enough. */
function hasNumbers(value: Fields, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'number');
}

function hasTexts(value: Fields, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string');
}

const figures = ['due', 'errors', 'p50Ms', 'p95Ms', 'p99Ms', 'maxMs'] satisfies (keyof SoakSummary &
  keyof SoakWindow)[];

function isWindow(value: unknown): boolean {
  return isRecord(value) && hasNumbers(value, ['startSeconds', ...figures]);
}

function isSummary(value: unknown): boolean {
  return (
    isRecord(value) &&
    hasTexts(value, ['name', 'histogram']) &&
    hasNumbers(value, [...figures, 'bareEnvelopes', 'meanMs']) &&
    isRecord(value['statuses']) &&
    Object.values(value['statuses']).every((count) => typeof count === 'number')
  );
}

function isThreshold(value: unknown): boolean {
  return (
    isRecord(value) &&
    hasTexts(value, ['text']) &&
    (value['value'] === null || hasNumbers(value, ['value'])) &&
    typeof value['kept'] === 'boolean'
  );
}

function isListOf(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isSoak(value: unknown): boolean {
  return (
    isRecord(value) &&
    hasTexts(value, ['started', 'ended']) &&
    hasNumbers(value, ['seconds', 'ratePerSecond', 'windowSeconds'] satisfies (keyof SoakReport)[]) &&
    isSummary(value['total']) &&
    isListOf(value['operations'], isSummary) &&
    isListOf(value['windows'], isWindow) &&
    isListOf(value['thresholds'], isThreshold)
  );
}

const dayMs = 86_400_000;

/** Whether the text is an instant that is not in the future, apart from clock differences of up to a day. */
function isPast(started: unknown): boolean {
  return Date.parse(String(started)) < Date.now() + dayMs;
}

/** Whether a parsed file is a soak run; checks every field that is ever read. */
export function isSoakRun(value: unknown): value is SoakRun {
  return (
    isRecord(value) &&
    value['format'] === 'dealership-soak-run/1' &&
    hasTexts(value, ['started', 'target', 'conditions']) &&
    isPast(value['started']) &&
    isSoak(value['service']) &&
    (value['control'] === null || isSoak(value['control']))
  );
}
