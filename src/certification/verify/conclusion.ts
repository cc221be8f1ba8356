import { exitStatus } from '../../requirement/index.js';
import type { Verification } from './verify-bundle.js';

/** One thing that must hold of a bundle. */
export interface ConcludedRow {
  readonly what: 'signature' | 'contents' | 'verdicts';
  readonly ok: boolean;
  readonly expected: string;
  readonly seen: readonly string[];
  /** What its vendor does about it. */
  readonly fix: string;
}

/** What a verification comes to; terminal, registry and JSON show it. */
export interface Conclusion {
  /** The exit status: 1 where anything was changed or is not borne out (or, for another suite, fails today), 3 where nothing is certified, else 0. */
  readonly status: 0 | 1 | 3;
  readonly rows: readonly ConcludedRow[];
}

export function concludeVerification(found: Verification, now = new Date()): Conclusion {
  const { manifest, today, notGradedAgain, signer } = found;
  const problems = (ofKey: boolean): string[] =>
    found.problems.flatMap(({ where, what, isOtherKey = false }) =>
      isOtherKey === ofKey ? [`${where}: ${what}`] : [],
    );
  const [otherKeys, changes] = [problems(true), problems(false)];
  const rows: ConcludedRow[] = [
    {
      what: 'signature',
      ok: otherKeys.length === 0,
      expected: 'a signature with a key that is trusted here',
      seen: otherKeys.length > 0 ? otherKeys : [`signed by ${signer ?? 'nobody'}`],
      fix: "Sign with this key, or ask the certifier to replace the registry's.",
    },
    {
      what: 'contents',
      ok: changes.length === 0,
      expected: 'contents as signed, whose parts agree',
      seen: changes.length > 0 ? changes : ['as signed'],
      fix: 'Submit the file that certify --bundle wrote, unchanged.',
    },
  ];
  if (manifest === null || today === null) return { status: 1, rows };
  const { sameSuite, notAsked, results } = today;
  const verdicts = found.differences.filter(({ kind }) => kind === 'verdict');
  const unasked = sameSuite ? [] : verdicts.filter(({ id }) => notAsked.has(id));
  const differing = verdicts.filter((one) => !unasked.includes(one));
  const { standing, reasons, validUntil } = manifest;
  const open = [
    ...(standing === 'rehearsal' ? [`a rehearsal, which certifies nothing: ${reasons.join('; ')}`] : []),
    ...(validUntil !== undefined && now.toISOString().slice(0, 10) > validUntil
      ? [`its last day, ${validUntil}, is over`]
      : []),
    ...(notGradedAgain.length > 0
      ? [`${notGradedAgain.join(', ')}: needs SIGNING_SECRET, OTHER_SIGNING_SECRET to be judged again`]
      : []),
    ...(unasked.length > 0
      ? [`${unasked.map(({ id }) => id).join(', ')}: this suite asks what that run did not; only a new run can tell`]
      : []),
    ...(sameSuite || exitStatus({ requirements: results }) === 0 ? [] : ['it is not conformant by this suite']),
  ];
  const says = sameSuite ? 'the evidence gives' : 'today';
  const otherwise = differing.map(
    (one) => `${one.id}: the report says ${one.stated.slice(0, 300)}; ${says} ${one.found.slice(0, 300)}`,
  );
  const isBroken = sameSuite ? differing.length > 0 : verdicts.some((one) => one.found.startsWith('fail'));
  const status = isBroken ? 1 : open.length > 0 ? 3 : 0;
  const verdictRow: ConcludedRow = {
    what: 'verdicts',
    ok: status === 0,
    expected: 'a certification whose every verdict its evidence gives again ("verify" ends with 0)',
    seen: [
      ...otherwise,
      ...open,
      ...(otherwise.length + open.length === 0 ? [`${results.length} requirements judged again`] : []),
    ],
    fix: 'See "npx dealership-conformance verify"; then run certify --bundle again.',
  };
  return { status: rows.every(({ ok }) => ok) ? status : 1, rows: [...rows, verdictRow] };
}
