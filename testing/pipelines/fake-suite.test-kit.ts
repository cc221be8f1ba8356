import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the suite in a pipeline's test does. */
export interface Faked {
  readonly status: number;
  /** Counts in conformance.json, which is written if they are given. */
  readonly counts?: Readonly<Record<string, number>>;
  /** conformance.md. */
  readonly markdown?: string;
  readonly untilInterrupted?: boolean;
}

/** The program: notes what it receives, writes what it is told to, and ends with the status. */
const program = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const { status, counts, markdown, untilInterrupted } = JSON.parse(readFileSync(process.env.FAKED, 'utf8'));
const argv = process.argv.slice(2);
writeFileSync(process.env.RECEIVED, JSON.stringify({ argv, env: process.env }));
const out = argv.at(-1).slice('--out='.length);
mkdirSync(out, { recursive: true });
if (counts !== undefined) writeFileSync(out + '/conformance.json', JSON.stringify({ counts }));
if (markdown !== undefined) writeFileSync(out + '/conformance.md', markdown);
process.exitCode = status;
if (untilInterrupted) {
  const waiting = setTimeout(() => process.exit(9), 20_000);
  process.on('SIGINT', () => clearTimeout(waiting));
  console.log('ready');
}
`;

/** A package in place of this one, for the cases in which what a pipeline does around the suite matters. */
export function makeFakeSuite(folder: string, faked: Faked) {
  const suite = join(folder, 'fake-suite');
  const received = join(folder, 'received.json');
  const told = join(folder, 'faked.json');
  mkdirSync(join(suite, 'dist/src/cli'), { recursive: true });
  writeFileSync(join(suite, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(suite, 'dist/src/cli/main.js'), program);
  writeFileSync(told, JSON.stringify(faked));
  return {
    suite,
    env: { FAKED: told, RECEIVED: received },
    received: () => JSON.parse(readFileSync(received, 'utf8')) as { argv: string[]; env: Record<string, string> },
  };
}
