import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './shell.test-kit.js';

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of the Dockerfile, with continued lines joined and comments left out. */
export const instructions: readonly Instruction[] = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ name: line.replace(/ .*/, ''), text: line.replace(/^\S+ /, '') }));

/** The instructions of each stage. */
export const stages: readonly (readonly Instruction[])[] = instructions.reduce<Instruction[][]>((all, one) => {
  if (one.name === 'FROM') all.push([]);
  all.at(-1)?.push(one);
  return all;
}, []);

/** The texts of the instructions with this name. */
export const textsOf = (name: string, among: readonly Instruction[] = instructions): string[] =>
  among.filter((one) => one.name === name).map(({ text }) => text);

/** The files and folders of this repository that reach a build. */
export const context: readonly string[] = readFileSync(join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));
