import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse, parseDocument } from 'yaml';
import { readArguments } from '../../src/cli/arguments.js';
import { settingTable } from '../../src/settings/setting-table.js';
import { version } from '../../src/version.js';
import { action } from './composite.test-kit.js';
import { inputs as componentInputs } from './component.test-kit.js';
import { root } from './shell.test-kit.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const filesIn = (folder: string): string[] => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
const examples = filesIn('examples').filter((path) => path.endsWith('.yml'));
const workflows = [...filesIn('.github/workflows'), ...filesIn('templates/registry/.github/workflows')];

type Values = Readonly<Record<string, unknown>>;

interface Step {
  readonly uses?: string;
  readonly with?: Values;
  readonly env?: Values;
  readonly run?: string;
}

interface Workflow {
  readonly permissions?: Values;
  readonly env?: Values;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[]; readonly env?: Values }>>;
}

const settings: readonly string[] = settingTable.map(({ name }) => name);
const blocksOf = (path: string): string[] =>
  [...read(path).matchAll(/^```yaml\n([^]*?)^```/gm)].map((one) => one[1] ?? '');
const stepsOf = (workflow: Workflow): Step[] => Object.values(workflow.jobs).flatMap(({ steps }) => steps);
const own = /^dealership-conformance\/dealership-conformance@/;

/** Throws unless the command line would be understood. */
function accept(mode: unknown, given: Values): void {
  const flags = ['only', 'waivers', 'baseline'].flatMap((name) => (name in given ? [`--${name}=x`] : []));
  readArguments([
    String(mode ?? 'gate'),
    ...String(given['args'] ?? '')
      .split(/\s+/)
      .filter(Boolean),
    ...flags,
  ]);
}

test('every file that a pipeline reads is YAML without a mistake', () => {
  const files = [
    ...examples,
    ...workflows,
    ...filesIn('.github/ISSUE_TEMPLATE'),
    '.github/dependabot.yml',
    'action.yml',
  ];
  for (const path of files.filter((one) => one.endsWith('.yml'))) {
    const { errors, warnings } = parseDocument(read(path));
    expect([...errors, ...warnings], path).toEqual([]);
  }
});

test('other actions are pinned by commit, beside their version', () => {
  const lines = [...examples, ...workflows, 'action.yml'].flatMap((path) => read(path).match(/uses: .*/g) ?? []);
  const others = lines.filter((line) => !/uses: (dealership-conformance\/|\.\/)/.test(line));
  expect(others.length).toBeGreaterThan(10);
  expect(others.filter((line) => !/^uses: actions\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  // One action, one commit.
  const pins = others.map((line) => line.replace(/^uses: actions\/([\w-]+)[\w/-]*/, '$1'));
  expect(new Set(pins).size).toBe(new Set(pins.map((pin) => pin.split('@')[0])).size);
});

test('no expression stands in a script of the action or of a workflow, where a shell would run its text', () => {
  const steps = workflows.flatMap((path) => stepsOf(parse(read(path)) as Workflow));
  for (const { run } of [...steps, ...action.runs.steps]) expect(run ?? '').not.toContain('${{');
});

test('the inputs of the action are described and used, and its release is this one', () => {
  const text = JSON.stringify(action.runs);
  expect(Object.keys(action.inputs).filter((name) => !text.includes(`inputs.${name} `))).toEqual([]);
  for (const { description } of [...Object.values(action.inputs)]) expect(description).toMatch(/\.$/);
  expect(action.inputs['version']?.default).toBe(version);
  // The component offers the same, but for the comment, for which a job of GitLab has no token.
  const differing = ['comment', 'job-name', 'stage'];
  const names = (of: object): string[] =>
    Object.keys(of)
      .filter((name) => !differing.includes(name))
      .sort();
  expect(names(componentInputs)).toEqual(names(action.inputs));
});

test('workflows ask for no permission that they do not name, and keys come through the environment', () => {
  for (const path of [...workflows, ...examples.filter((one) => one.includes('github-'))]) {
    const workflow = parse(read(path)) as Workflow;
    expect(workflow.permissions, path).toBeDefined();
    for (const { with: given } of stepsOf(workflow))
      expect(JSON.stringify(given ?? {}), path).not.toContain('secrets.');
  }
});

test('examples and documentation use inputs that the action has, settings that exist, and flags that the command accepts', () => {
  const texts = [...examples.filter((path) => path.includes('github-')).map(read), ...blocksOf('docs/gate.md')];
  let used = 0;
  for (const text of texts.filter((one) => one.includes('uses: dealership'))) {
    const parsed = parse(text) as Workflow | readonly Step[];
    const workflow: Workflow = 'jobs' in parsed ? parsed : { jobs: { job: { steps: parsed } } };
    for (const { uses = '', with: given = {}, env = {} } of stepsOf(workflow)) {
      if (!own.test(uses)) continue;
      used += 1;
      expect(uses).toBe(`dealership-conformance/dealership-conformance@v${version}`);
      expect(Object.keys(given).filter((name) => !(name in action.inputs))).toEqual([]);
      const names = [...Object.keys(env), ...Object.keys(workflow.env ?? {})];
      expect(names.filter((name) => !settings.includes(name))).toEqual([]);
      accept(given['mode'], given);
    }
  }
  expect(used).toBeGreaterThan(5);
});

test('the examples for GitLab use the component as it is', () => {
  const texts = [read('examples/gitlab-ci.yml'), ...blocksOf('docs/gate.md')].filter((one) => one.includes('include:'));
  expect(texts.length).toBeGreaterThan(1);
  for (const text of texts) {
    const { include, ...jobs } = parse(text) as Values & {
      include: readonly { component?: string; remote?: string; inputs: Values }[];
    };
    for (const { component, remote, inputs } of include) {
      expect(component ?? remote).toMatch(new RegExp(`/gate@v${version}$|/v${version}/templates/gate\\.yml$`));
      expect(Object.keys(inputs).filter((name) => !(name in componentInputs))).toEqual([]);
      accept(inputs['mode'], inputs);
    }
    const names = include.map(({ inputs }) => inputs['job-name'] ?? 'conformance');
    expect(Object.keys(jobs).filter((name) => !names.includes(name))).toEqual([]);
  }
});

test('no pipeline asks for a Node.js that has reached its end of life', () => {
  const versions = [...examples, ...workflows, 'action.yml', 'templates/gate.yml', 'Dockerfile'].flatMap((path) =>
    [...read(path).matchAll(/node:(\d+)|node-version: '?(\d+)|Version of Node\.js\.[^]*?default: '(\d+)'/g)].map(
      (one) => Number(one[1] ?? one[2] ?? one[3]),
    ),
  );
  expect(versions.length).toBeGreaterThan(5);
  expect(versions.filter((major) => major < 24)).toEqual([]);
});

test('every page and file that names a release names this one', () => {
  const files = [
    ...examples,
    ...workflows,
    'README.md',
    'docs/gate.md',
    'docs/nightly-load.md',
    'action.yml',
    'templates/gate.yml',
  ];
  const named = files.flatMap((path) => [
    ...read(path).matchAll(/(?:dealership-conformance[:@/]v?|gate@v|default: )(\d+\.\d+\.\d+)/g),
  ]);
  expect(named.length).toBeGreaterThan(12);
  expect(named.filter(([, release]) => release !== version).map(([text]) => text)).toEqual([]);
  const [, words = ''] = /dealership-conformance:\S+ (.*)$/m.exec(read('docs/gate.md')) ?? [];
  expect(readArguments(words.split(' ')).command).toBe('gate');
});

test('what npm needs for a statement of provenance, and what an archive of the repository needs, is there', () => {
  const { repository } = JSON.parse(read('package.json')) as { repository: { url: string } };
  expect(repository.url).toBe('git+https://github.com/dealership-conformance/dealership-conformance.git');
  expect(read('.github/workflows/release.yml')).toMatch(/id-token: write[^]*npm publish --provenance/);
  for (const path of ['SECURITY.md', 'LICENSE']) expect(existsSync(join(root, path)), path).toBe(true);
});
