import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

const names = { report: 'conformance.json', junit: 'junit.xml', page: 'conformance.html' } as const;

/** Removes an earlier run's reports from `out`, what they say first, and nothing else. */
export function clearReports(out: string): void {
  for (const name of Object.values(names)) rmSync(join(out, name), { force: true });
}

/** Writes `conformance.json`, `junit.xml` and `conformance.html` into `out`, the page with the exchanges found in `out/evidence`. */
export async function writeReports(out: string, report: Report): Promise<void> {
  mkdirSync(out, { recursive: true });
  const named = new Set(
    report.requirements.flatMap((result) => result.findings.flatMap((finding) => finding.exchanges)),
  );
  const picked = named.size === 0 ? new Map<string, Exchange>() : await pickEvidence(join(out, 'evidence'), named);
  writeWhole(join(out, names.report), `${JSON.stringify(report, null, 2)}\n`);
  writeWhole(join(out, names.junit), renderJUnit(report));
  writeWhole(
    join(out, names.page),
    renderHtml(report, (name) => picked.get(name)),
  );
}

/** Keeps beside the exchanges what did not come as one. */
export function writeRecorded(dir: string, name: string, encoded: string): void {
  writeWhole(join(dir, `recorded-${name.replace(/[^a-z0-9]+/gi, '-')}.json`), encoded);
}
