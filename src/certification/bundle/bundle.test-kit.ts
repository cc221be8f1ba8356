import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Requirement } from '../../requirement/requirement.js';
import type { RawSettings } from '../../settings/setting-table.js';
import { scratch } from '../../folder.test-kit.js';
import { runInto, sampleCheck, startService } from '../run.test-kit.js';
import { verifyBundle } from '../verify/verify-bundle.js';
import { packArchive, unpackArchive, type ArchiveFile } from './archive.js';
import { digestOf, type Manifest } from './manifest.js';
import type { Policy } from '../policy.js';
import { parseProduct } from '../product.js';
import { signManifest } from './signature.js';
import { writeBundle } from './write-bundle.js';

export const { privateKey, publicKey } = generateKeyPairSync('ed25519');
export const nonce = 'certifier-7f3a9c';

export const checks: Requirement[] = [
  sampleCheck('UNIT-01', 'MUST', async ({ check }) => {
    const list = await check.ask({ path: '/api/v1/units', query: [['limit', '1']] });
    if (list.response.status !== 200)
      check.fail({ code: 'odd', expected: '200', actual: String(list.response.status), exchanges: [list] });
    check.observe('how many units', list.response.text ?? '');
  }),
  sampleCheck('LEAD-01', 'MUST', async ({ check }) => {
    for (let at = 0; at < 12; at += 1)
      await check.ask({ method: 'POST', path: '/api/v1/leads', json: { name: check.fresh('name') } });
  }),
  sampleCheck('DEMO-01', 'MUST', async ({ check }) => {
    const demo = await check.ask({ path: '/api/demo/units', as: null });
    if (demo.response.status !== 200)
      check[demo.response.status === 203 ? 'warn' : 'fail']({
        code: 'odd',
        expected: '200',
        actual: String(demo.response.status),
        exchanges: [demo],
      });
  }),
  { ...sampleCheck('DOC-10', 'MUST', async () => {}), needs: ['CONTRACT'], optional: 'no contract is pinned' },
];

interface Made extends ReturnType<typeof scratch> {
  readonly file: string;
  readonly settings: RawSettings;
  readonly manifest: Manifest;
  readonly archive: Buffer;
}

/** A bundle of a run over a small service that these checks judge; the caller removes its folder. */
export async function make(
  more: RawSettings = {},
  options: {
    allowIncomplete?: boolean;
    demoStatus?: number;
    /** The text of product.yaml, for the address of the service. */
    product?: string | ((url: string) => string);
    policy?: Policy;
    nonce?: string;
  } = {},
): Promise<Made> {
  const place = scratch();
  await using service = await startService((request, body, reply) => {
    const path = request.url ?? '';
    if (path.startsWith('/api/v1/units')) return reply(200, { ok: true, data: { items: [{ id: 'u-1' }] } });
    if (path === '/api/v1/leads')
      return reply(201, { ok: true, data: { ...(JSON.parse(body) as object), seen: request.headers['user-agent'] } });
    if (path === '/api/demo/units') return reply(options.demoStatus ?? 200, []);
    return reply(404, { ok: false, error: {} });
  });
  const settings: RawSettings = { BASE_URL: service.url, API_KEY: 'sk_live_0123456789', TENANT: 'north', ...more };
  const product = typeof options.product === 'function' ? options.product(service.url) : options.product;
  const given = options.nonce ?? nonce;
  try {
    await runInto(place.folder, settings, checks, { nonce: given });
    const file = join(place.folder, 'vendor.bundle');
    const manifest = await writeBundle({
      out: place.folder,
      file,
      privateKey,
      nonce: given,
      allowIncomplete: options.allowIncomplete ?? false,
      checks,
      settings,
      ...(product === undefined
        ? {}
        : { product: { product: parseProduct(product, 'product.yaml'), bytes: Buffer.from(product) } }),
      ...(options.policy === undefined ? {} : { policy: options.policy }),
    });
    return { ...place, file, settings, manifest, archive: readFileSync(file) };
  } catch (error) {
    place.remove();
    throw error;
  }
}

/** What a certifier finds who knows the key and the suite. */
export const verified = (archive: Buffer): ReturnType<typeof verifyBundle> =>
  verifyBundle(archive, { trusted: [publicKey], checks });

/** Changes a JSON file of a bundle. */
export function edit<T>(files: Map<string, string>, name: string, change: (value: T) => T): void {
  files.set(name, `${JSON.stringify(change(JSON.parse(files.get(name) ?? '{}') as T), null, 2)}\n`);
}

/** The manifest of a bundle that another suite made, whose pages cannot be written again. */
export const ofAnotherSuite = (manifest: Manifest): Manifest => ({
  ...manifest,
  suite: { version: manifest.suite.version, packed: `sha256:${'0'.repeat(64)}`, catalogue: manifest.suite.catalogue },
});

/** Changes files of a bundle and states and signs it anew, as one who holds the key could. */
export function forge(
  archive: Buffer,
  change: (files: Map<string, string>) => void,
  restate: (manifest: Manifest) => Manifest = (one) => one,
  key = privateKey,
): Buffer {
  const list = unpackArchive(archive);
  const texts = new Map(list.map(({ name, bytes }) => [name, bytes.toString('latin1')]));
  change(texts);
  const named: ArchiveFile[] = [...texts]
    .filter(([name]) => !name.startsWith('manifest.'))
    .map(([name, text]) => ({ name, bytes: Buffer.from(text, 'latin1') }));
  const old = JSON.parse(texts.get('manifest.json') ?? '{}') as Manifest;
  const files = Object.fromEntries(
    named.map(({ name, bytes }) => [name, { bytes: bytes.length, sha256: digestOf(bytes).slice(7) }]),
  );
  const manifestBytes = Buffer.from(`${JSON.stringify(restate({ ...old, files }), null, 2)}\n`);
  const signed = signManifest(manifestBytes, key);
  return packArchive([
    { name: 'manifest.json', bytes: manifestBytes },
    { name: 'manifest.jws.json', bytes: signed },
    ...named,
  ]);
}
