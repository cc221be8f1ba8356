import { appendFileSync, readFileSync } from 'node:fs';
import { errorCode } from '../settings/index.js';

/** Adds Markdown, a text or that of a file, to the page of a GitHub run. */
export function writeStepSummary(from: { readonly file: string } | { readonly text: string }): void {
  const summary = process.env['GITHUB_STEP_SUMMARY'] ?? '';
  if (summary === '') return;
  try {
    appendFileSync(summary, 'file' in from ? readFileSync(from.file) : from.text);
  } catch (error) {
    process.stderr.write(
      `GITHUB_STEP_SUMMARY names ${summary}, which cannot be written (${errorCode(error)})${'file' in from ? `; the summary is in ${from.file}` : ''}.\n`,
    );
  }
}
