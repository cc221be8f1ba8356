import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../requirement/types.js';
import { renderCodeQuality } from './formats/code-quality.js';
import { renderCtrf } from './formats/ctrf.js';
import { renderMarkdown, type SinceBaseline } from './formats/markdown.js';
import { renderSarif } from './formats/sarif.js';
import { renderHtml } from './html/html-page.js';
import { renderJUnit } from './junit.js';
import { anchorNames, readSources, type ReportSources } from './report-sources.js';

/** A file appears whole or not at all. */
export function writeWhole(file: string, text: string | Buffer): void {
  const part = `${file}.part`;
  writeFileSync(part, text);
  renameSync(part, file);
}

/** What a file of a report is made of. */
interface ReportParts {
  readonly report: Report;
  readonly since: SinceBaseline | null;
  /** Read from the evidence when first asked for. */
  readonly sources: () => Promise<ReportSources>;
}

type Render = (parts: ReportParts) => string | null | Promise<string | null>;

/** The name and the text of each report file; no file where the text is null. */
const formats = {
  json: { name: anchorNames.report, text: ({ report }) => `${JSON.stringify(report, null, 2)}\n` },
  junit: { name: 'junit.xml', text: ({ report }) => renderJUnit(report) },
  html: {
    name: 'conformance.html',
    text: async ({ report, sources }) => renderHtml(report, (await sources()).exchange),
  },
  markdown: { name: 'conformance.md', text: ({ report, since }) => renderMarkdown(report, since) },
  ctrf: { name: 'conformance.ctrf.json', text: ({ report }) => renderCtrf(report) },
  document: { name: anchorNames.document, text: async ({ sources }) => (await sources()).document },
  sarif: {
    name: 'conformance.sarif',
    text: async ({ report, sources }) => renderSarif(report, (await sources()).anchor),
  },
  codequality: {
    name: 'gl-code-quality-report.json',
    text: async ({ report, sources }) => renderCodeQuality(report, (await sources()).anchor),
  },
} as const satisfies Record<string, { readonly name: string; readonly text: Render }>;

/** A report file that can be written. */
export type ReportFile = keyof typeof formats;

/** Every report file. */
export const allReports = Object.keys(formats) as readonly ReportFile[];

/** The names of a run's reports. */
export const reportFiles: readonly string[] = allReports.map((file) => formats[file].name);

/** Which files to write, the pinned document of the run, and what differs from an earlier report. */
export interface WriteOptions {
  readonly files?: readonly ReportFile[];
  readonly contract?: string | null;
  readonly since?: SinceBaseline | null;
}

/** Writes all files of a report, or some of them, into `out`. */
export async function writeReports(
  out: string,
  report: Report,
  { files = allReports, contract = null, since = null }: WriteOptions = {},
): Promise<void> {
  mkdirSync(out, { recursive: true });
  let read: Promise<ReportSources> | undefined;
  const sources = (): Promise<ReportSources> => (read ??= readSources(out, report, contract));
  for (const file of files) {
    const { name, text }: { name: string; text: Render } = formats[file];
    const written = await text({ report, since, sources });
    if (written === null) rmSync(join(out, name), { force: true });
    else writeWhole(join(out, name), written);
  }
}

/** The name of the file that keeps a recorded value. */
export function recordedFile(name: string): string {
  return `recorded-${name.replace(/[^a-z0-9]+/gi, '-')}.json`;
}

/** Keeps beside the exchanges what did not come as one. */
export function writeRecorded(dir: string, name: string, encoded: string): void {
  writeWhole(join(dir, recordedFile(name)), encoded);
}
