import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { reportFiles } from '../reports/write-reports.js';
import { readArguments } from './arguments.js';
import { commandNames, optionsOf, runCosts } from './command-table.js';
import { help } from './help.js';

test('the help of a command shows that command with each of its flags, and no help is wider than 80 columns', () => {
  for (const command of ['', ...commandNames] as const) {
    const text = help(command);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toContain('\n\n\n');
    if (command === '') for (const name of commandNames) expect(text).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    else {
      expect(text).toContain(`dealership-conformance ${command}`);
      for (const { form } of optionsOf(command)) expect(text).toContain(`  ${form}`);
    }
  }
  expect(help('gate')).not.toContain('--bundle');
  expect(help('serve')).toContain('OPTION=VALUE[,…]\n');
  expect(help('gate').split('\n').length).toBeLessThan(35);
});

test('a person has at most 41 flags to learn beside the settings', () => {
  const names = commandNames.flatMap((command) => optionsOf(command).map(({ name }) => name));
  expect(new Set(names).size).toBeLessThanOrEqual(41);
});

test('every value of a repeatable flag counts, and its help says that it is repeatable', () => {
  const gate = readArguments(['gate', '--only', 'UNIT', '--require', 'Core', '--only=DEAL-01', '--require', 'HOOK-01']);
  expect(gate.options.only).toBe('UNIT,DEAL-01');
  expect(gate.options.require).toEqual(['Core', 'HOOK-01']);
  expect(help('gate').replace(/\s+/g, ' ')).toMatch(/--require [^-]*Repeatable\./);
});

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));

/** The words of a shell line, up to a redirection, a comment or the next command. */
const wordsOf = (line: string): string[] =>
  [...(line.split(/ [#>&] ?|;/)[0] ?? '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (one) => one[1] ?? one[2] ?? one[3] ?? '',
  );

test('every command on a page of the documentation exists with its flags', () => {
  const lines = pages.flatMap(({ text }) =>
    [...text.matchAll(/^npx dealership-conformance (.*)$/gm)].map((match) => match[1] ?? ''),
  );
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) expect(() => readArguments(wordsOf(line)), line).not.toThrow();
});

test('the page on reports names every file of a report', () => {
  const text = pages.find(({ name }) => name === 'docs/reports.md')?.text;
  for (const file of reportFiles) expect(text).toContain(`| \`${file}\` |`);
});

test('every link of the documentation leads somewhere, and no page is long', () => {
  const anchorsOf = (text: string): string[] =>
    [...text.matchAll(/^#+ (.*)$/gm)].map((match) =>
      (match[1] ?? '')
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
  for (const { name, text } of pages) {
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [file = '', anchor] = link.split('#');
      const path = file === '' ? name : join(dirname(name), file);
      expect(existsSync(join(root, path)), `${name} links to ${link}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(readFileSync(join(root, path), 'utf8')), link).toContain(anchor);
    }
  }
  for (const { name, text } of pages)
    expect(text.split('\n').length - 1, name).toBeLessThanOrEqual(name === 'README.md' ? 100 : 150);
});

test('every page gives the costs of a run as the help does', () => {
  const words = (text: string, pattern: RegExp): string[] => text.replace(/\s+/g, ' ').match(pattern) ?? [];
  const costs = Object.values(runCosts);
  const known = new Set(costs.flatMap((cost) => Object.values(cost)));
  for (const { name, text } of pages) {
    const given = [
      ...words(text, /about [\d,]+ leads and [\d,]+ units/g),
      ...words(text, /(?<![\d,])\d{1,2},\d{3} to [\d,]+\d/g),
      ...words(text, /(?<!\d)\d{1,2} to \d{1,2} (minutes|s)\b/g),
    ];
    expect(
      given.filter((one) => !known.has(one as never)),
      name,
    ).toEqual([]);
  }
  for (const [command, cost] of Object.entries(runCosts))
    for (const text of Object.values(cost)) {
      expect(help(command).replace(/\s+/g, ' ')).toContain(text);
      expect(pages[0]?.text).toContain(text);
    }
});
