import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../http/exchange.js';
import type { Report } from '../requirement/types.js';
import { pickEvidence } from './evidence/evidence-reader.js';
import { renderHtml } from './html/html-page.js';
import { renderJUnit } from './junit.js';

/** A file appears whole or not at all. */
export function writeWhole(file: string, text: string | Buffer): void {
  const part = `${file}.part`;
  writeFileSync(part, text);
  renameSync(part, file);
}

const names = { json: 'conformance.json', junit: 'junit.xml', html: 'conformance.html' } as const;

/** The names of a run's reports, what they say first. */
export const reportFiles: readonly string[] = Object.values(names);

/** A report file that can be written. */
export type ReportFile = keyof typeof names;

/** The text of each report file; the page has the exchanges found in `out/evidence`. */
const texts: Readonly<Record<ReportFile, (report: Report, out: string) => string | Promise<string>>> = {
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
  junit: renderJUnit,
  html: async (report, out) => {
    const named = new Set(
      report.requirements.flatMap(({ findings }) => findings.flatMap(({ exchanges }) => exchanges)),
    );
    const picked = named.size === 0 ? new Map<string, Exchange>() : await pickEvidence(join(out, 'evidence'), named);
    return renderHtml(report, (name) => picked.get(name));
  },
};

/** Writes `conformance.json`, `junit.xml` and `conformance.html`, or some of them, into `out`. */
export async function writeReports(
  out: string,
  report: Report,
  files: readonly ReportFile[] = ['json', 'junit', 'html'],
): Promise<void> {
  mkdirSync(out, { recursive: true });
  for (const file of files) writeWhole(join(out, names[file]), await texts[file](report, out));
}

/** The name of the file that keeps a recorded value. */
export function recordedFile(name: string): string {
  return `recorded-${name.replace(/[^a-z0-9]+/gi, '-')}.json`;
}

/** Keeps beside the exchanges what did not come as one. */
export function writeRecorded(dir: string, name: string, encoded: string): void {
  writeWhole(join(dir, recordedFile(name)), encoded);
}
