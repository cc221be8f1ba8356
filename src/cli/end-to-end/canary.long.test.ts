import { expect, test } from '@playwright/test';
import { readdirSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { unpackArchive } from '../../certification/bundle/archive.js';
import { writeKeyPair } from '../../certification/bundle/keys.js';
import { serve } from '../../loopback.test-kit.js';
import { unpacked } from '../../reports/evidence/packing.js';
import { reportFiles } from '../../reports/write-reports.js';
import { secretSettings, settingTable, type SettingName } from '../../settings/setting-table.js';
import { scratch } from '../../folder.test-kit.js';
import { runProcess, type EndedProcess } from '../run.test-kit.js';

const canary = (name: string): string => `Canary/${name}-"<&+7=`;

/** Settings that may be shown, with a value to run with; URLs that may carry a token carry one. A new setting is a secret or stands here. */
function harmless(root: string): Readonly<Partial<Record<SettingName, string>>> {
  const token = (name: string): string => `token=${encodeURIComponent(canary(name))}`;
  return {
    BASE_URL: root,
    API_BASE_URL: `${root}/gateway`,
    SANDBOX_URL: `${root}/sandbox`,
    CONTRACT: '',
    LEAD_BODY: '',
    UNIT_BODY: '',
    CLIENT_CERT: '',
    PACKS: '',
    CLIENT_KEY: '',
    CA: '',
    // The credentials of proxies have tests of their own.
    PROXY: '',
    TENANT: 'north',
    OTHER_TENANT: 'south',
    TENANT_INDEPENDENT: 'north',
    TENANT_FRANCHISE: 'north',
    TENANT_ENTERPRISE: 'north',
    LIMITS_INDEPENDENT: '12/1s,6/0.5s',
    LIMITS_FRANCHISE: '12/1s,6/0.5s',
    LIMITS_ENTERPRISE: '12/1s,6/0.5s',
    LIMITS_DEMO: '12/1s',
    LIMITS_SANDBOX: '12/1s',
    LIMIT_MODEL: 'auto',
    CURSOR_PARAM: 'cursor',
    ASSISTANT_SEGMENT: 'assistant',
    SIGNATURE_HEADER: 'X-Service-Signature',
    WEBHOOK_LISTEN: '127.0.0.1:0',
    WEBHOOK_TRIGGER: `${root}/emit?kind={kind}&${token('WEBHOOK_TRIGGER')}`,
    WEBHOOK_RECEIVER: `${root}/receive?${token('WEBHOOK_RECEIVER')}`,
    READ_ONLY: '0',
    ALLOW_LOAD: '127.0.0.1',
    SEED: '5',
  };
}

/** The forms in which a secret may appear: raw, in a URL, in JSON (also twice), in base64 at any offset, in base64url and in hex. */
function forms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = ['', 'x', 'xx'].map((before) =>
    Buffer.from(`${before}${secret}`)
      .toString('base64')
      .slice(before === '' ? 0 : 4, -4),
  );
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(secret).toString('hex');
  return [
    secret,
    encodeURIComponent(secret),
    json,
    json.replaceAll('/', '\\/'),
    JSON.stringify(json).slice(1, -1),
    ...base64,
    ...url,
    hex,
    hex.toUpperCase(),
  ];
}

/** Takes everything and gives away all that it is sent, in every encoding. */
const echo: RequestListener = (request, response) => {
  const key = (request.headers.authorization ?? '').replace(/^\S+ /, '');
  const url = request.url ?? '';
  const longer = Buffer.from(`ab${key}cd`);
  const shown = [
    key,
    encodeURIComponent(key),
    JSON.stringify(key),
    longer.toString('base64'),
    longer.toString('base64url'),
    longer.toString('hex'),
    longer.toString('hex').toUpperCase(),
    url,
    url.replaceAll(/%[0-9a-f]{2}/gi, (escape) => Buffer.from(escape.slice(1), 'hex').toString('latin1')),
  ];
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-echo': encodeURIComponent(key) });
    response.end(
      JSON.stringify({
        ok: true,
        data: { items: [{ id: key || 'u', status: shown.join(' ') }], nextCursor: null, shown },
      }),
    );
  });
};

/** Every file below a folder, packed ones and what a bundle holds taken out, as `[name, text]`. */
async function textsIn(folder: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.pem')) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    found.push([entry.name, unpacked(entry.name, bytes).toString('latin1')]);
    if (!entry.name.endsWith('.bundle')) continue;
    for (const part of unpackArchive(bytes))
      found.push([`${entry.name}/${part.name}`, unpacked(part.name, part.bytes).toString('latin1')]);
  }
  return found;
}

test('a secret in any setting is in no file, bundle or page and on no console, however it is written', async () => {
  test.setTimeout(240_000);
  await using server = await serve(echo);
  using place = scratch();
  const root = server.url;
  const plain = harmless(root);
  const secrets = new Set<SettingName>(secretSettings);
  const unsaid = settingTable.map(({ name }) => name).filter((name) => !secrets.has(name) && plain[name] === undefined);
  expect(unsaid, 'neither secret nor known to be harmless').toEqual([]);
  const values = secretSettings.map((name) => [name, `${name === 'HEADERS' ? 'X-Canary: ' : ''}${canary(name)}`]);
  const env = { ...plain, ...(Object.fromEntries(values) as Record<string, string>) };
  const bundle = ['--bundle', 'vendor.bundle', '--key', writeKeyPair(join(place.folder, 'vendor')).privateFile];
  const run = (...args: readonly string[]): Promise<EndedProcess> => runProcess(args, place.folder, env);
  const ran = await Promise.all([
    run('certify', '--only', 'DOC-01,UNIT,AUTH,LIMIT,HOOK,ENV', '--allow-incomplete', ...bundle),
    run('load', '--scenario', 'burst', '--out', 'limits'),
    run('load', '--scenario', 'soak', '--rate', '20', '--duration', '2s', '--out', 'soak'),
    run('gate', '--only', 'UNIT-01', '--base-url', `${root}?token=${canary('API_KEY')}`, '--out', 'wrong'),
  ]);
  for (const { status, err } of ran) expect([0, 1, 2, 3], err).toContain(status);
  const texts = [
    ...(await textsIn(place.folder)),
    ...ran.map(({ out, err }, at): [string, string] => [`console ${at}`, out + err]),
  ];
  const names = texts.map(([name]) => name);
  expect(names).toEqual(
    expect.arrayContaining(['vendor.bundle/manifest.json', 'independent.html', 'soak.html', ...reportFiles]),
  );
  expect(texts.map(([, text]) => text).join('')).toContain('[redacted:WEBHOOK_RECEIVER]');
  const leaks = [...secretSettings, 'WEBHOOK_TRIGGER', 'WEBHOOK_RECEIVER'].flatMap((name) =>
    forms(canary(name)).flatMap((form) =>
      texts.filter(([, text]) => text.includes(form)).map(([file]) => `${file} holds ${name} as ${form}`),
    ),
  );
  expect(leaks).toEqual([]);
});
