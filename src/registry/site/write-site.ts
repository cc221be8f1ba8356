import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { grantedNames } from '../../certification/index.js';
import { writeOutput } from '../../settings/index.js';
import { assertEmpty } from '../init.js';
import type { Certificate, Registry } from './certificates.js';
import { renderFeed } from './feed.js';
import { badgeOf, currentOf, renderCertificatePage, renderIndex, renderProduct } from './pages.js';

/** The list of certificates for other programs. */
function listOf({ rules, certificates }: Registry, now: Date): string {
  const { name, url } = rules.policy;
  const entries = certificates.map((one) => ({
    path: one.name,
    product: one.product,
    status: one.status,
    ...(one.why === null ? {} : { reason: one.why }),
    since: one.since,
    judged: one.manifest.clock.started,
    validUntil: one.manifest.validUntil,
    suite: one.manifest.suite.version,
    levels: grantedNames(one.manifest.levels),
    signer: one.signer,
    bundle: { sha256: one.bundle.sha256 },
  }));
  const list = { format: 'dealership-conformance-registry/1', name, url, generated: now.toISOString() };
  return `${JSON.stringify({ ...list, certificates: entries }, null, 2)}\n`;
}

/** Writes the static site of a registry; throws SettingsError. */
export function writeSite(registry: Registry, out: string, now: Date): void {
  assertEmpty(out, '--out');
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(join(out, path, '..'), { recursive: true });
    writeFileSync(join(out, path), content);
  };
  const writeCertificate = (one: Certificate): void => {
    write(`${one.name}/certificate.html`, renderCertificatePage(one));
    copyFileSync(one.bundle.file, join(out, one.name, 'bundle.tar'));
  };
  writeOutput('--out', out, 'folder', () => {
    write('index.html', renderIndex(registry, now));
    write('registry.json', listOf(registry, now));
    write('feed.xml', renderFeed(registry));
    for (const [path, bytes] of registry.files) write(path, bytes);
    for (const current of currentOf(registry.certificates)) {
      const history = registry.certificates.filter(({ page }) => page === current.page);
      write(`${current.page}/index.html`, renderProduct(history, current, registry));
      write(`${current.page}/badge.svg`, badgeOf(current));
      for (const one of history) writeCertificate(one);
    }
  });
}
