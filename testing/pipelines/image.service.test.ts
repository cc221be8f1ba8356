import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { folderForEach } from '../../src/folder.test-kit.js';
import { startContained, whyNoContainer } from './container.test-kit.js';
import { root } from './shell.test-kit.js';

test.skip(whyNoContainer !== null, whyNoContainer ?? '');

let out: string;
folderForEach((made) => (out = made));

const main = ['node', '/mnt/app/dist/src/cli/main.js'];

test('a certification on a read-only file system writes every report, for a user without name and home', async () => {
  const command = [...main, 'certify', '--embedded', '--only', 'PLAN-01', '--out', '/mnt/out/reports'];
  const { status, said } = await startContained({ app: root, out }, command).ended;
  expect(status, said).toBe(0);
  expect(said).not.toContain('could not be written');
  const reports = join(out, 'reports');
  expect(readdirSync(reports)).toEqual(
    expect.arrayContaining(['conformance.html', 'conformance.json', 'conformance.md', 'evidence', 'junit.xml']),
  );
});

test('a second signal ends even the first process of a container', async () => {
  const script = `
    import { onInterrupt } from '/mnt/app/dist/src/cli/on-interrupt.js';
    onInterrupt(() => setTimeout(() => console.log('stopping'), 600));
    setInterval(() => {}, 60_000);
    console.log('listening');`;
  using waiting = startContained({ app: root, out }, ['node', '--input-type=module', '-e', script]);
  await expect.poll(waiting.said).toBe('listening\n');
  waiting.kill('SIGTERM');
  await expect.poll(waiting.said).toBe('listening\nstopping\n');
  waiting.kill('SIGTERM');
  expect((await waiting.ended).status).toBe(143);
});
