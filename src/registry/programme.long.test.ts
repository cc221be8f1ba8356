import { createHash } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { fingerprint, parsePublicKey } from '../certification/bundle/keys.js';
import { runProcess, startProcess, type EndedProcess } from '../cli/run.test-kit.js';
import { scratch } from '../folder.test-kit.js';
import { openFixture, productYaml } from './registry.test-kit.js';

const { folder: place, remove } = scratch();
const names = ['Acme Inc.', 'DealerHub', '2.4.1'] as const;
const submission = 'submissions/v1/acme-inc/dealerhub/2.4.1';
const file = (name: string): Buffer => readFileSync(join(place, name));
const command = (args: string, env?: NodeJS.ProcessEnv): Promise<EndedProcess> =>
  runProcess(args.split(' '), place, env);

let registry: ReturnType<typeof openFixture>;
let service: ChildProcess;
/** The settings that reach the service, but for keys of plans: the limits of the demo alone take least time. */
let settings: Record<string, string>;

test.describe.configure({ mode: 'serial', timeout: 900_000 });

test.afterAll(() => {
  service?.kill();
  remove();
});

test('a certifier sets up a registry', async () => {
  expect(await command('keygen --out vendor')).toMatchObject({ status: 0, err: '' });
  expect(await command('registry init registry')).toMatchObject({ status: 0, err: '' });
  registry = openFixture(join(place, 'registry'));
  registry.write('keys/acme-inc.pub.pem', file('vendor.pub.pem'));
  registry.commit();

  service = startProcess(['serve'], place).child;
  const [printed] = (await once(service.stdout ?? service, 'data')) as [Buffer];
  const used = /^(BASE_URL|(OTHER_)?(API_KEY|TENANT)|API_KEY_(READ|WRITE)_\w+)$/;
  settings = Object.fromEntries(Object.entries(parse(printed)).filter(([name]) => used.test(name)));
  writeFileSync(join(place, 'product.yaml'), productYaml(names, settings['BASE_URL'] ?? ''));
  copyFileSync(join(place, 'registry/programme.yaml'), join(place, 'programme.yaml'));
});

test('a vendor passes the gate, and certifies the product', async () => {
  const gate = await command('gate --quiet', settings);
  expect(gate, gate.out + gate.err).toMatchObject({ status: 0 });
  const bundle = '--bundle vendor.tar --key vendor.key.pem --product product.yaml';
  const certified = await command(`certify --quiet ${bundle} --nonce a-word-of-the-certifier`, settings);
  expect(certified, certified.out + certified.err).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^Bundle: vendor\.tar$/m),
  });
});

test('registry check accepts the bundle; once it is merged, the site shows what was certified', async () => {
  const put = (): void => {
    registry.write(`${submission}/README.md`, 'How to run it.\n');
    for (const [name, from] of Object.entries({ 'product.yaml': 'product.yaml', 'bundle.tar': 'vendor.tar' }))
      registry.write(`${submission}/${name}`, file(from));
  };
  const checked = await registry.propose('main', put, () => command('registry check registry main'));
  expect(checked).toMatchObject({ status: 0, err: '', out: expect.stringMatching(/\nEvery check passed\.\n$/) });
  registry.git('merge', '--quiet', '--ff-only', 'submission');
  const built = await command('registry build registry --out site');
  const listed = expect.stringMatching(/^valid +v1\/acme-inc\/dealerhub\/2\.4\.1$/m);
  expect(built).toMatchObject({ status: 0, err: '', out: listed });
  const page = String(file('site/v1/acme-inc/dealerhub/index.html'));
  expect(page).toContain('core · demo · limits (demo)');
  expect(page).toContain(createHash('sha256').update(file('vendor.tar')).digest('hex'));
  expect(page).toContain(fingerprint(parsePublicKey(file('vendor.pub.pem'), 'vendor.pub.pem')));
});
