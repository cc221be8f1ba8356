import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../http/exchange.js';
import type { Report } from '../requirement/types.js';
import { pickEvidence } from './evidence-reader.js';
import { renderHtml } from './html-page.js';
import { renderJUnit } from './junit.js';

/** A file appears whole or not at all. */
export function writeWhole(file: string, text: string | Buffer): void {
  const part = `${file}.part`;
  writeFileSync(part, text);
  renameSync(part, file);
}

/** Writes `conformance.json`, `junit.xml` and `conformance.html` into `out`, the page with the exchanges found in `out/evidence`. */
export async function writeReports(out: string, report: Report): Promise<void> {
  mkdirSync(out, { recursive: true });
  const named = new Set(
    report.requirements.flatMap((result) => result.findings.flatMap((finding) => finding.exchanges)),
  );
  const picked = named.size === 0 ? new Map<string, Exchange>() : await pickEvidence(join(out, 'evidence'), named);
  writeWhole(join(out, 'conformance.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeWhole(join(out, 'junit.xml'), renderJUnit(report));
  writeWhole(
    join(out, 'conformance.html'),
    renderHtml(report, (name) => picked.get(name)),
  );
}
