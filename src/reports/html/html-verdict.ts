import type { Verdict } from '../../requirement/index.js';
import { looks } from '../console-format.js';
import { Markup, html } from './html-markup.js';

/** The meaning of each verdict. */
export const verdictMeanings: Readonly<Record<Verdict, string>> = {
  fail: 'the specification, or the document of the service, is not kept',
  error: 'the suite itself failed here; it says nothing of the service',
  blocked: 'it could not be judged',
  waived: 'it failed or is blocked, and a waiver accepts that until a date',
  warn: 'a recommendation is not followed; the outcome stays',
  pass: 'no breach was found',
  'not-applicable': 'the service does not offer it, or a setting for it is missing',
};

/** What became of a rule or a level, by the gravest verdict on it. */
export const ruleWords: Readonly<Record<Verdict, string>> = {
  fail: 'broken',
  error: 'not judged',
  blocked: 'not judged',
  waived: 'waived',
  warn: 'warned',
  pass: 'held',
  'not-applicable': 'not judged',
};

const paths: Readonly<Record<Verdict, string>> = {
  pass: 'M3.5 8.5l3 3 6-7',
  fail: 'M4 4l8 8M12 4l-8 8',
  error: 'M8 3.5v5.5M8 12v.6',
  waived: 'M3 9.5c2-4 4-3 5-1.5s3 2.5 5-1.5',
  warn: 'M8 3l5.5 10h-11zM8 7v2.6M8 11.4v.1',
  blocked: 'M4 4h8v8h-8z',
  'not-applicable': 'M4 8h8',
};

/** The verdict's sign: verdicts differ in shape, not in colour alone. */
export function verdictIcon(verdict: Verdict): Markup {
  return new Markup(
    `<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="${paths[verdict]}"/></svg>`,
  );
}

/** The verdict in a word. */
export function verdictWord(verdict: Verdict): string {
  const { word } = looks[verdict];
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Sign and word. */
export function verdictBadge(verdict: Verdict): Markup {
  return html`<span class="badge ${verdict}">${verdictIcon(verdict)}${verdictWord(verdict)}</span>`;
}
