import fc from 'fast-check';
import { bundledArbitrary } from './arbitrary.js';
import { bundle, type BundleOptions } from './bundle.js';
import { boundaryCandidates } from './candidates.js';
import { sameJson } from './flat.js';
import { occurrences, pointerOf } from './occurrences.js';
import { afterSerialisation, isRecord, replaceAt, type JsonSchema } from './schema.js';
import { isValid } from './validity.js';

/** A valid value that touches one keyword's boundary from inside. */
export interface BoundaryValue {
  readonly keyword: string;
  readonly pointer: string;
  readonly value: unknown;
  readonly label: string;
}

/** Deterministic values, each on the inner boundary of one keyword and valid by Ajv; at most three for a keyword (all of an `enum`). */
export function boundaryValues(
  schema: JsonSchema,
  root: unknown = schema,
  options: BundleOptions = {},
): readonly BoundaryValue[] {
  const whole = bundle(schema, root, options).schema;
  return bundledBoundaries(whole, fullestExamples(whole)).slice(0, 60);
}

/** The same for a self-contained schema, varied around the given valid examples. */
export function bundledBoundaries(whole: JsonSchema, examples: readonly unknown[]): readonly BoundaryValue[] {
  const found: BoundaryValue[] = [];
  const seen = new Map<string, number>();
  for (const example of examples.map(afterSerialisation)) {
    for (const { at, schema, value: here } of occurrences(whole, example)) {
      for (const keyword of Object.keys(schema)) {
        const place = `${pointerOf(at)} ${keyword}`;
        const most = keyword === 'enum' ? 50 : 3;
        for (const candidate of boundaryCandidates(schema, keyword, here)) {
          if ((seen.get(place) ?? 0) >= most) break;
          const value = replaceAt(example, at, candidate.value);
          if (found.some((other) => sameJson(other.value, value)) || !isValid(whole, value)) continue;
          seen.set(place, (seen.get(place) ?? 0) + 1);
          found.push({
            keyword,
            pointer: pointerOf(at),
            value,
            label: `${pointerOf(at) || 'body'} ${keyword}: ${candidate.label}`,
          });
        }
      }
    }
  }
  return found;
}

/** Fixed examples: the one with most members, the one with fewest, and one of each shape met on the way; at most six. */
export function fullestExamples(whole: JsonSchema): readonly unknown[] {
  const samples = fc.sample(bundledArbitrary(whole, whole, new Set()), { seed: 17, numRuns: 60 });
  const shapes = new Map<string, unknown>();
  const ranked = [...samples].sort((a, b) => size(b) - size(a));
  for (const sample of ranked) {
    const shape = isRecord(sample)
      ? Object.keys(sample).sort().join(',')
      : Array.isArray(sample)
        ? 'array'
        : typeof sample;
    if (!shapes.has(shape)) shapes.set(shape, sample);
  }
  const distinct = [...shapes.values()];
  return [...distinct.slice(0, 5), ...distinct.slice(5).slice(-1)];
}

function size(value: unknown): number {
  if (Array.isArray(value)) return 1 + value.reduce<number>((sum, item) => sum + size(item), 0);
  return isRecord(value) ? 1 + Object.values(value).reduce<number>((sum, item) => sum + size(item), 0) : 1;
}
