import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fakeNpm, root, runBash } from './shell.test-kit.js';

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly 'continue-on-error'?: boolean;
}

/** `action.yml`. */
export interface CompositeAction {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

export const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as CompositeAction;

/** Contexts of expressions by their dotted names: `inputs.mode`. */
type Contexts = Readonly<Record<string, string>>;

/** The value of a comparison, a name or a text; '' for a name that is not set, as GitHub has it. */
function evaluateTerm(term: string, contexts: Contexts, failed: boolean): string | boolean {
  if (term === 'always()' || term === '!cancelled()') return true;
  if (term === 'success()') return !failed;
  const compared = /^(\S+) (==|!=) (\S+)$/.exec(term);
  if (compared !== null) {
    const [left, right] = [compared[1] ?? '', compared[3] ?? ''].map((one) => evaluateTerm(one, contexts, failed));
    return (left === right) === (compared[2] === '==');
  }
  const text = /^'(.*)'$/.exec(term)?.[1];
  if (text !== undefined) return text;
  if (!/^(inputs|steps|runner|github)\.[\w.-]+$/.test(term)) throw new Error(`unknown in an expression: ${term}`);
  return contexts[term] ?? '';
}

const isTrue = (expression: string, contexts: Contexts, failed: boolean): boolean => {
  const plain = expression.replace(/^\$\{\{(.*)\}\}$/s, '$1').trim();
  const terms = plain.split(' && ');
  const reached = /always\(\)|cancelled\(\)/.test(plain) || !failed;
  return reached && terms.every((term) => evaluateTerm(term, contexts, failed) === true);
};

const fillIn = (text: string, contexts: Contexts): string =>
  text.replace(/\$\{\{ (.*?) \}\}/g, (_, term: string) => String(evaluateTerm(term, contexts, false)));

/** The outputs in a file of the form that GITHUB_OUTPUT has. */
function readOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  for (let rest = text; rest !== '';) {
    const found = /^([\w-]+)<<(\S+)\n([\s\S]*?)\n\2\n/.exec(rest);
    if (found === null) throw new Error(`no output: ${rest}`);
    outputs[found[1] ?? ''] = found[3] ?? '';
    rest = rest.slice(found[0].length);
  }
  return outputs;
}

/** How a use of the action ended. */
export interface Used {
  /** Exit status of each shell step that ran, in order. */
  readonly statuses: readonly number[];
  readonly failed: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  readonly said: string;
  readonly summary: string;
  /** The actions that steps used, with their inputs. */
  readonly used: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Use {
  readonly folder: string;
  readonly inputs?: Readonly<Record<string, string>>;
  /** Environment of the job, such as the keys. */
  readonly env?: NodeJS.ProcessEnv;
  /** Root of a package that npm "installs"; ordinarily this one. */
  readonly suite?: string;
  readonly event?: unknown;
  readonly api?: string;
}

function runnerEnvironment({ folder, env, suite, event, api }: Use): NodeJS.ProcessEnv {
  mkdirSync(join(folder, 'temp'), { recursive: true });
  writeFileSync(join(folder, 'event.json'), JSON.stringify(event ?? {}));
  return {
    ...fakeNpm(folder, suite ?? root),
    HOME: folder,
    RUNNER_TEMP: join(folder, 'temp'),
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: root,
    GITHUB_API_URL: api ?? 'http://127.0.0.1:9',
    GITHUB_SERVER_URL: 'https://github.example.com',
    GITHUB_REPOSITORY: 'acme/staging',
    GITHUB_RUN_ID: '4711',
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    GITHUB_OUTPUT: join(folder, 'outputs'),
    ...env,
  };
}

/** Carries the steps of the action out as a runner of GitHub does. Other actions are noted, not carried out. */
export async function useAction(use: Use): Promise<Used> {
  const environment = runnerEnvironment(use);
  const contexts: Record<string, string> = { 'runner.os': 'Linux', 'github.token': 'token-of-the-job' };
  for (const [name, input] of Object.entries(action.inputs)) contexts[`inputs.${name}`] = input.default;
  for (const [name, value] of Object.entries(use.inputs ?? {})) contexts[`inputs.${name}`] = value;
  const used: Record<string, Record<string, string>> = {};
  const statuses: number[] = [];
  let [failed, said] = [false, ''];
  for (const step of action.runs.steps) {
    if (!isTrue(step.if ?? 'success()', contexts, failed)) continue;
    const filled = (values: object = {}): Record<string, string> =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fillIn(String(value), contexts)]));
    if (step.uses !== undefined) used[step.uses.split('@')[0] ?? ''] = filled(step.with);
    if (step.run === undefined) continue;
    writeFileSync(environment['GITHUB_OUTPUT'] ?? '', '');
    const ran = await runBash(step.run, { cwd: use.folder, env: { ...environment, ...filled(step.env) } });
    statuses.push(ran.status);
    said += ran.said;
    failed ||= ran.status !== 0 && step['continue-on-error'] !== true;
    const outputs = readOutputs(readFileSync(environment['GITHUB_OUTPUT'] ?? '', 'utf8'));
    for (const [name, value] of Object.entries(outputs)) contexts[`steps.${step.id ?? ''}.outputs.${name}`] = value;
  }
  const read = (name: string): string =>
    existsSync(join(use.folder, name)) ? readFileSync(join(use.folder, name), 'utf8') : '';
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, fillIn(value, contexts)]);
  return {
    statuses,
    failed,
    outputs: Object.fromEntries(outputs) as Record<string, string>,
    said,
    summary: read('summary.md'),
    used,
  };
}
