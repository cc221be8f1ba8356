import { visible } from '../../visible.js';
import { exitStatus, packText } from '../../requirement/index.js';
import type { ReportDifference } from '../compare/differences.js';
import type { Manifest } from '../bundle/manifest.js';
import type { Problem } from '../bundle/open-bundle.js';
import type { Verification } from './verify-bundle.js';

const mostShown = 40;

const differingVerdicts = (found: Verification): readonly ReportDifference[] =>
  found.differences.filter((one) => one.kind === 'verdict');

/** The process's exit status: 1 where anything was changed or is not borne out (or, for another suite, fails today), 3 where nothing is certified, else 0. */
export function statusOf(found: Verification): 0 | 1 | 3 {
  if (found.problems.length > 0 || found.manifest === null) return 1;
  if (found.today === null) return 1;
  if (found.today.sameSuite && differingVerdicts(found).length > 0) return 1;
  const fails = ({ found: verdict }: ReportDifference): boolean => verdict.startsWith('fail');
  if (!found.today.sameSuite && differingVerdicts(found).some(fails)) return 1;
  const open = !found.today.sameSuite && exitStatus({ requirements: found.today.results }) !== 0;
  return isRehearsal(found) || found.notGradedAgain.length > 0 || open || hasExpired(found.manifest) ? 3 : 0;
}

/** Whether the last day of a certificate is over, in UTC. */
export function hasExpired({ validUntil }: Pick<Manifest, 'validUntil'>, now = new Date()): boolean {
  return validUntil !== undefined && now.toISOString().slice(0, 10) > validUntil;
}

/** Whether it certifies nothing. */
const isRehearsal = ({ manifest }: Verification): boolean => manifest?.standing === 'rehearsal';

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

/** Whose product it is, until when, and who signed. */
function statementLines({ signer, manifest }: Verification, keyGiven: boolean): string[] {
  if (manifest === null) return [];
  const { product, target, clock, validUntil, nonce } = manifest;
  return [
    ...(product === undefined
      ? []
      : [`Product      ${visible(`${product.product} ${product.version}, ${product.vendor} (${product.type})`)}`]),
    `Service      ${target.embedded ? 'the embedded reference service' : visible(target.baseUrl)}, judged ${visible(clock.started)}`,
    ...(validUntil === undefined
      ? []
      : [`Valid until  ${validUntil}${hasExpired(manifest) ? ': it has expired' : ''}`]),
    ...(manifest.packs ?? []).map((pack) => `Pack         ${visible(packText(pack))}`),
    `Signed by    ${signer ?? 'nobody'}`,
    `Trust        ${keyGiven ? 'a key that you trust has signed' : 'nobody vouches for this key; give the one that you trust with --key'}`,
    `Suite        ${visible(manifest.suite.version)}`,
    `Nonce        ${nonce ?? 'none'}${nonce === null ? '' : ', in the User-Agent of every request'}`,
  ];
}

/** Nothing that a bundle states steers a terminal or makes a line of its own. */
const asText = (lines: readonly string[]): string => `${lines.map(visible).join('\n')}\n`;

/** The result of a verification, for a person. */
export function describeVerification(found: Verification, keyGiven: boolean): string {
  const lines: string[] = [];
  const { manifest, today } = found;
  if (found.problems.length > 0) {
    lines.push(...problemLines(found.problems));
    if (today === null) return asText(lines);
    lines.push('');
  }
  if (manifest === null || today === null) return asText(lines);
  lines.push(...statementLines(found, keyGiven));
  lines.push(`Evidence     ${manifest.requests} requests, ${today.results.length} requirements judged again from them`);
  const verdicts = differingVerdicts(found);
  if (today.sameSuite) {
    lines.push(
      verdicts.length === 0 ? 'Verdicts     every one found again' : 'Verdicts     these differ:',
      ...differenceLines(verdicts, 'the report says', 'the evidence gives'),
    );
  } else {
    const unasked = verdicts.filter((one) => today.notAsked.has(one.id));
    const otherwise = verdicts.filter((one) => !unasked.includes(one));
    lines.push(
      `Made with    ${visible(today.others.join(' and '))}; here it is another, with ${today.sameCatalogue ? 'the same' : 'other'} requirements`,
      otherwise.length === 0
        ? 'Today        this suite says the same wherever the evidence has an answer'
        : 'Today        this suite says otherwise:',
      ...differenceLines(otherwise, 'the report says', 'today'),
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
    ...manifest.levels.map(
      (level) =>
        `${level.name.padEnd(20)} ${isRehearsal(found) && level.standing === 'granted' ? 'would be granted' : level.standing}: ${visible(level.why)}`,
    ),
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
  if (isRehearsal(found)) lines.push(`A rehearsal, which certifies nothing: ${visible(manifest.reasons.join('; '))}.`);
  lines.push({ 0: 'Verified.', 1: 'Not verified.', 3: 'Sound, but it certifies nothing.' }[statusOf(found)]);
  return asText(lines);
}
