import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { context, instructions, stages, textsOf } from './dockerfile.test-kit.js';
import { root } from './shell.test-kit.js';

// The rules of hadolint (DL…) that can be broken here, https://github.com/hadolint/hadolint#rules.
test('the Dockerfile keeps the rules of its craft', () => {
  const known = ['FROM', 'LABEL', 'WORKDIR', 'COPY', 'RUN', 'USER', 'ENTRYPOINT', 'CMD', 'ENV', 'ARG'];
  // DL3020: no ADD; DL4000: no MAINTAINER; no VOLUME, which would be writable without being asked for.
  expect(instructions.filter(({ name }) => !known.includes(name))).toEqual([]);
  // DL3006, DL3007: a base image with a tag that is not "latest".
  for (const text of textsOf('FROM')) expect(text).toMatch(/^node:24-\w+-slim( AS \w+)?$/);
  // DL3000: absolute working folders.
  for (const text of textsOf('WORKDIR')) expect(text).toMatch(/^\//);
  for (const text of textsOf('RUN')) {
    // DL3004 sudo, DL3003 cd; DL3008 and DL3018: system packages would be pinned and their lists removed; DL4006: no pipes.
    expect(text).not.toMatch(/\b(sudo|cd|apt|apt-get|apk|curl|wget)\b|\|/);
    // DL3016: what npm installs has a version; no package runs a script of its own.
    if (!/\bnpm (install|ci)\b/.test(text)) continue;
    expect(text).toContain('--ignore-scripts');
    for (const name of text.match(/(?<= )@?[a-z][\w/.-]*(@\S+)?(?= |$)/g) ?? [])
      expect(['npm', 'install', 'ci'].includes(name) || name.includes('@'), `${name} has no version`).toBe(true);
  }
});

test('the image runs the command of the package as a numbered user without rights, and hands it signals', () => {
  const last = stages.at(-1) ?? [];
  // Kubernetes tells only by a number that a user is not root (runAsNonRoot); DL3002: the last user is not root.
  expect(textsOf('USER', last)).toEqual([expect.stringMatching(/^[1-9]\d*$/)]);
  expect(last.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
    last.findLastIndex(({ name }) => name === 'RUN' || name === 'COPY'),
  );
  // DL3025: the form without a shell, which would keep signals to itself.
  const [program, file] = JSON.parse(textsOf('ENTRYPOINT', last)[0] ?? '') as string[];
  expect(JSON.parse(textsOf('CMD', last)[0] ?? '')).toEqual(['--help']);
  const { name, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string;
    bin: Record<string, string>;
  };
  expect([program, file]).toEqual(['node', `/app/node_modules/${name}/${bin[name] ?? ''}`]);
});

test('what is copied exists, and the build sees all that the package is made of, and no more', () => {
  expect(context.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  expect(readFileSync(join(root, '.dockerignore'), 'utf8')).toMatch(/^\*$/m);
  for (const text of textsOf('COPY').filter((one) => !one.startsWith('--from')))
    for (const source of text.split(' ').slice(0, -1))
      expect(source === '.' || context.includes(source), source).toBe(true);
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as { include: string[] };
  const needed = [...files.filter((name) => !/dist/.test(name)), ...include, 'LICENSE', 'README.md', 'tsconfig.json'];
  expect(needed.filter((name) => !context.includes(name))).toEqual([]);
  expect(context).not.toContain('.env');
});
