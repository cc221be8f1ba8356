import { writeWhole } from '../settings/index.js';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../requirement/index.js';
import { renderMarkdown } from './formats/markdown.js';
import type { SinceBaseline } from './judged.js';
import { renderHtml } from './html/html-page.js';
import type { Proof } from './html/html-requirement.js';
import { packageRoot } from '../version.js';
import { renderJUnit } from './junit.js';
import { shownExchanges } from './shown-exchanges.js';

/** What a file of a report is made of. */
interface ReportParts {
  readonly report: Report;
  readonly since: SinceBaseline | null;
  /** The folder of the run. */
  readonly out: string;
}

type Render = (parts: ReportParts) => string | Promise<string>;

/** What the build keeps of the proof; nothing where the suite was not built. */
function readProof(): Proof {
  const file = join(packageRoot, 'dist', 'proof.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Proof) : {};
}

/** The name and the text of each report file. */
const formats = {
  json: { name: 'conformance.json', text: ({ report }) => `${JSON.stringify(report, null, 2)}\n` },
  junit: { name: 'junit.xml', text: ({ report }) => renderJUnit(report) },
  html: {
    name: 'conformance.html',
    text: async ({ report, since, out }) => renderHtml(report, await shownExchanges(out, report), since, readProof()),
  },
  markdown: { name: 'conformance.md', text: ({ report, since }) => renderMarkdown(report, since) },
} as const satisfies Record<string, { readonly name: string; readonly text: Render }>;

/** A report file that can be written. */
export type ReportFile = keyof typeof formats;

/** Every report file. */
export const allReports = Object.keys(formats) as readonly ReportFile[];

/** The names of a run's reports. */
export const reportFiles: readonly string[] = allReports.map((file) => formats[file].name);

/** Which files to write, and what differs from an earlier report. */
export interface WriteOptions {
  readonly files?: readonly ReportFile[];
  readonly since?: SinceBaseline | null;
}

/** Writes all files of a report, or some of them, into `out`. */
export async function writeReports(
  out: string,
  report: Report,
  { files = allReports, since = null }: WriteOptions = {},
): Promise<void> {
  mkdirSync(out, { recursive: true });
  for (const file of files) {
    const { name, text }: { name: string; text: Render } = formats[file];
    writeWhole(join(out, name), await text({ report, since, out }));
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
