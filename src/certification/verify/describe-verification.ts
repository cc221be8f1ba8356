import { visible } from '../../visible.js';
import { factsOf, standingText } from '../statement.js';
import { concludeVerification } from './conclusion.js';
import type { Verification } from './verify-bundle.js';

const mostShown = 40;

/** A heading, and below it what belongs there; nothing where there is nothing. */
function below(heading: string, lines: readonly string[]): string[] {
  const more = lines.length - mostShown;
  return lines.length === 0
    ? []
    : [heading, ...lines.slice(0, mostShown).map((line) => `  ${line}`), ...(more > 0 ? [`  and ${more} more`] : [])];
}

const fact = (name: string, value: string): string => `${name.padEnd(13)}${value}`;

/** The result of a verification, for a person. */
export function describeVerification(found: Verification, keyGiven: boolean): string {
  const { manifest, today, signer, differences } = found;
  const { status, rows } = concludeVerification(found);
  const judged = rows.flatMap(({ what, ok, expected, seen }) => {
    const name = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
    return ok && seen.length === 1
      ? [fact(name, seen.join())]
      : below(fact(name, ok ? 'these differ:' : `expected ${expected}; seen:`), seen);
  });
  const lines = [...judged];
  if (manifest !== null && today !== null) {
    const { service, check } = factsOf(manifest, signer);
    const soft = differences.filter(({ kind }) => kind !== 'verdict');
    const standingOf = (name: string): string | undefined => manifest.levels.find((one) => one.name === name)?.standing;
    const changed = today.sameSuite ? [] : today.levels.filter(({ name, standing }) => standingOf(name) !== standing);
    lines.unshift(...[...service, ...check].map(([name, value]) => fact(name, value)));
    lines.push(
      ...(keyGiven ? [] : [fact('Trust', 'nobody vouches for this key; give the one that you trust with --key')]),
      ...(today.sameSuite
        ? []
        : [
            fact(
              'Made with',
              `${today.others.join(' and ')}; here it is another, with ${today.sameCatalogue ? 'the same' : 'other'} requirements`,
            ),
          ]),
      ...(found.takenAsRecorded.length > 0
        ? [
            fact(
              'Recorded',
              'signatures, as the run found them; SIGNING_SECRET, OTHER_SIGNING_SECRET compute them again',
            ),
          ]
        : []),
      ...below(
        'Worded differently or observed otherwise, with the same verdict:',
        soft.map(({ id, question = '', stated, found: now }) => {
          return `${id}: then ${`${question} ${stated}`.trim().slice(0, 300)}; now ${now.slice(0, 300)}`;
        }),
      ),
      '',
      ...manifest.levels.map((level) => `${level.name.padEnd(20)} ${standingText(manifest, level)}: ${level.why}`),
      ...below(
        'Levels as this suite would grant them today:',
        changed.map(({ name, standing, why }) => `${name}: ${standing}, ${why}`),
      ),
    );
  }
  lines.push('', { 0: 'Verified.', 1: 'Not verified.', 3: 'Sound, but it certifies nothing.' }[status]);
  // Nothing that a bundle states steers a terminal or makes a line of its own.
  return `${lines.map(visible).join('\n')}\n`;
}
