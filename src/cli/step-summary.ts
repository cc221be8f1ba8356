import { appendFileSync, readFileSync } from 'node:fs';
import { errorCode } from '../settings/file-error.js';

/** Adds a Markdown file to the page of a GitHub run. */
export function writeStepSummary(file: string): void {
  const summary = process.env['GITHUB_STEP_SUMMARY'] ?? '';
  if (summary === '') return;
  try {
    appendFileSync(summary, readFileSync(file));
  } catch (error) {
    process.stderr.write(
      `GITHUB_STEP_SUMMARY names ${summary}, which cannot be written (${errorCode(error)}); the summary is in ${file}.\n`,
    );
  }
}
