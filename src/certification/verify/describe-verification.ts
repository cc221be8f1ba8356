import { visible } from '../../visible.js';
import type { ReportDifference } from '../compare/differences.js';
import { factsOf, standingText } from '../statement.js';
import type { Problem } from '../bundle/open-bundle.js';
import { concludeVerification } from './conclusion.js';
import type { Verification } from './verify-bundle.js';

const mostShown = 40;

function listed(lines: readonly string[]): string[] {
  return lines.length <= mostShown
    ? [...lines]
    : [...lines.slice(0, mostShown), `  and ${lines.length - mostShown} more`];
}

function differenceLines(differences: readonly ReportDifference[], stated: string, found: string): string[] {
  return listed(
    differences.map(
      (one) =>
        `  ${one.id}: ${stated} ${visible([one.question, one.stated].filter(Boolean).join(' ')).slice(0, 300)}; ${found} ${visible(one.found).slice(0, 300)}`,
    ),
  );
}

/** What is wrong with a bundle. A key other than the trusted one comes first: by itself it does not say that anything was changed. */
function problemLines(problems: readonly Problem[]): string[] {
  const below = (heading: string, some: readonly Problem[]): string[] =>
    some.length === 0 ? [] : [heading, ...listed(some.map((one) => `  ${visible(one.where)}: ${visible(one.what)}`))];
  return [
    ...below(
      'This bundle was not signed with a key that is given with --key: expected the public key of the signer.',
      problems.filter(({ isOtherKey }) => isOtherKey === true),
    ),
    ...below(
      'This bundle is not as it was signed, or its parts contradict each other:',
      problems.filter(({ isOtherKey }) => isOtherKey !== true),
    ),
  ];
}

/** Nothing that a bundle states steers a terminal or makes a line of its own. */
const asText = (lines: readonly string[]): string => `${lines.map(visible).join('\n')}\n`;

/** The result of a verification, for a person. */
export function describeVerification(found: Verification, keyGiven: boolean): string {
  const lines: string[] = [];
  const { manifest, today } = found;
  const { status, isRehearsal, hasExpired, differing, unasked } = concludeVerification(found);
  if (found.problems.length > 0) {
    lines.push(...problemLines(found.problems));
    if (today === null) return asText(lines);
    lines.push('');
  }
  if (manifest === null || today === null) return asText(lines);
  const { service, check } = factsOf(manifest, found.signer);
  lines.push(
    ...[...service, ...check].map(([name, value]) => `${name.padEnd(13)}${value}`),
    ...(hasExpired ? ['Expired      its last day is over'] : []),
    `Trust        ${keyGiven ? 'a key that you trust has signed' : 'nobody vouches for this key; give the one that you trust with --key'}`,
    `Evidence     ${today.results.length} requirements judged again from it`,
  );
  if (today.sameSuite) {
    lines.push(
      differing.length === 0 ? 'Verdicts     every one found again' : 'Verdicts     these differ:',
      ...differenceLines(differing, 'the report says', 'the evidence gives'),
    );
  } else {
    lines.push(
      `Made with    ${visible(today.others.join(' and '))}; here it is another, with ${today.sameCatalogue ? 'the same' : 'other'} requirements`,
      differing.length === 0
        ? 'Today        this suite says the same wherever the evidence has an answer'
        : 'Today        this suite says otherwise:',
      ...differenceLines(differing, 'the report says', 'today'),
      ...(unasked.length === 0
        ? []
        : [
            `Not asked    ${unasked.map((one) => one.id).join(', ')}: this suite asks what that run did not; only a new run can tell`,
          ]),
    );
  }
  if (found.notGradedAgain.length > 0)
    lines.push(
      `Not graded   ${found.notGradedAgain.join(', ')}: needs the webhook secret (--signing-secret, --other-signing-secret)`,
    );
  if (found.takenAsRecorded.length > 0)
    lines.push(
      'Signatures   as the run found them; who knows the webhook secrets can have them computed again (SIGNING_SECRET, OTHER_SIGNING_SECRET)',
    );
  const soft = found.differences.filter((one) => one.kind !== 'verdict');
  if (soft.length > 0)
    lines.push(
      'Worded differently or observed otherwise, with the same verdict:',
      ...differenceLines(soft, 'then', 'now'),
    );
  lines.push(
    '',
    ...manifest.levels.map((level) => `${level.name.padEnd(20)} ${standingText(manifest, level)}: ${level.why}`),
    '',
  );
  const changed = today.levels.filter(
    (level) => manifest.levels.find((one) => one.name === level.name)?.standing !== level.standing,
  );
  if (!today.sameSuite && changed.length > 0)
    lines.push(
      'Levels as this suite would grant them today:',
      ...changed.map((level) => `  ${level.name}: ${level.standing}, ${level.why}`),
      '',
    );
  if (isRehearsal) lines.push(`A rehearsal, which certifies nothing: ${visible(manifest.reasons.join('; '))}.`);
  lines.push({ 0: 'Verified.', 1: 'Not verified.', 3: 'Sound, but it certifies nothing.' }[status]);
  return asText(lines);
}
