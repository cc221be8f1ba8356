import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from './shell.test-kit.js';

interface Input {
  readonly description: string;
  readonly default: string;
  readonly options?: readonly string[];
}

/** The job that the component adds to a pipeline. */
export interface Job {
  readonly stage: string;
  readonly image: string;
  readonly variables: Readonly<Record<string, string | { readonly value: string; readonly expand: boolean }>>;
  readonly script: readonly string[];
  readonly artifacts: {
    readonly name: string;
    readonly when: string;
    readonly paths: readonly string[];
    readonly reports: Readonly<Record<string, string>>;
  };
}

export const text = readFileSync(join(root, 'templates/gate.yml'), 'utf8');
const [header, configuration] = parseAllDocuments(text).map((one) => one.toJS() as unknown);
export const { inputs } = (header as { spec: { inputs: Record<string, Input> } }).spec;
export const body = configuration as Readonly<Record<string, Job>>;

/** Puts the values of inputs into every text of the configuration, as GitLab does after it has parsed the file. */
function interpolate(place: unknown, values: Readonly<Record<string, string>>): unknown {
  if (typeof place === 'string')
    return place.replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (whole, name: string) => {
      const value = values[name] ?? inputs[name]?.default;
      if (value === undefined) throw new Error(`${whole} is no input`);
      return value;
    });
  if (Array.isArray(place)) return place.map((one) => interpolate(one, values));
  if (typeof place !== 'object' || place === null) return place;
  return Object.fromEntries(
    Object.entries(place).map(([name, one]) => [interpolate(name, values), interpolate(one, values)]),
  );
}

/** The job with these inputs. */
export const jobWith = (values: Readonly<Record<string, string>> = {}): Job =>
  (interpolate(configuration, values) as Record<string, Job>)[values['job-name'] ?? 'conformance'] as Job;
