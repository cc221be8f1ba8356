import type { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  concludeVerification,
  fingerprint,
  firstSet,
  grantedNames,
  grantedText,
  hasAddress,
  type Manifest,
  type Product,
  validUntil,
  type Verification,
} from '../certification/index.js';
import type { Row } from './rows.js';
import { revocationOf, type Rules } from './rules.js';

/** Whether a version is one of these; `0.1` stands for every `0.1.x`. */
function isVersionOf(version: string, named: readonly string[]): boolean {
  return named.some((one) => version === one || version.startsWith(`${one}.`));
}

/** A verified bundle, and what it is judged by. */
export interface BundleParts {
  readonly found: Verification;
  readonly product: Product;
  readonly rules: Rules;
  readonly now: Date;
}

/** Judges a bundle: bytes and signatures, verdicts, then what the policy demands. */
export function checkBundle(parts: BundleParts): Row[] {
  const { found, rules, now } = parts;
  const revocation = revocationOf(rules, found.signer, found.manifest?.clock.started ?? '');
  const others = found.problems.filter(({ isOtherKey }) => isOtherKey === true);
  const changed = found.problems.filter(({ isOtherKey }) => isOtherKey !== true);
  const said = (some: typeof others): string => some.map(({ where, what }) => `${where}: ${what}`).join('; ');
  const rows: Row[] = [
    {
      what: 'signature',
      ok: others.length === 0 && revocation === undefined,
      expected: "a signature with the vendor's key of the registry, not revoked",
      seen:
        said(others) ||
        `${revocation === undefined ? '' : `${revocation.fingerprint} is revoked since ${revocation.since}; `}signed by ${found.signer ?? 'nobody'}`,
      fix: "Sign with this key, or ask the certifier to replace the registry's.",
    },
    {
      what: 'contents',
      ok: changed.length === 0,
      expected: 'a bundle as it was signed, whose parts agree',
      seen: said(changed) || 'as signed',
      fix: 'Submit the file that certify --bundle wrote, unchanged.',
    },
  ];
  const { manifest } = found;
  const { status, differing, unasked, isRehearsal } = concludeVerification(found, now);
  const ids = [...differing, ...unasked].map(({ id }) => id);
  const why = isRehearsal
    ? [`a rehearsal: ${manifest?.reasons.join(', ') ?? ''}`]
    : [
        ...(ids.length > 0 ? [`the evidence gives other verdicts for ${ids.join(', ')}`] : []),
        ...(found.notGradedAgain.length > 0
          ? [`${found.notGradedAgain.join(', ')} need SIGNING_SECRET to be judged again`]
          : []),
      ];
  const verdicts: Row = {
    what: 'verdicts',
    ok: status === 0,
    expected: 'a certification whose every verdict its evidence gives again ("verify" ends with 0)',
    seen:
      status === 0
        ? `${found.today?.results.length ?? 0} requirements judged again`
        : why.join('; ') || 'not conformant today',
    fix: 'See "npx dealership-conformance verify"; then run certify --bundle again.',
  };
  if (found.problems.length > 0 || manifest === null) return ids.length > 0 ? [...rows, verdicts] : rows;
  return [...rows, verdicts, ...policyRows(parts, manifest)];
}

function policyRows({ found, product, rules, now }: BundleParts, manifest: Manifest): Row[] {
  const { policy } = rules;
  const levels = found.today?.levels ?? [];
  // The site shows the levels of the manifest, which a bundle of another suite may state otherwise than this one finds.
  const granted = grantedNames(levels);
  const missing = [...policy.levels, ...grantedNames(manifest.levels)].filter((name) => !granted.includes(name));
  const { started } = manifest.clock;
  const age = (now.getTime() - Date.parse(started)) / 86_400_000;
  const due = validUntil(policy, started);
  const { suite, target } = manifest;
  const set = manifest.set?.name ?? firstSet;
  const { version } = suite;
  const { baseUrl } = target;
  const isSame = isDeepStrictEqual(manifest.product, product);
  const named = isSame ? 'the same' : (JSON.stringify(manifest.product) ?? 'no product in the bundle');
  const row = (what: string, ok: boolean, expected: string, seen: string, fix: string): Row => ({
    what,
    ok,
    expected,
    seen,
    fix: `Run certify --bundle again, ${fix}.`,
  });
  const day = manifest.validUntil ?? 'no day';
  const ofProduct = `a run against ${product.urls.api.join(' or ')}`;
  return [
    row('product', isSame, 'the product as in product.yaml', named, 'with --product and this product.yaml'),
    row('address', hasAddress(product, baseUrl), ofProduct, baseUrl, 'against an address of the product'),
    row(
      'levels',
      missing.length === 0,
      policy.levels.join(', '),
      grantedText({ levels }) || 'none',
      'with every setting',
    ),
    row('suite', isVersionOf(version, policy.suites), policy.suites.join(' or '), version, 'with such a version'),
    row('set', policy.sets.includes(set), policy.sets.join(' or '), set, 'with --set'),
    row('age', age <= policy.maxAgeDays && age > -1, `a run of the last ${policy.maxAgeDays} days`, started, 'now'),
    row('valid until', day === due, due, day, "with the registry's programme.yaml beside product.yaml"),
  ];
}

/** Judges the vendor's key as the base branch has it. */
export function keyRow({ revoked }: Rules, vendor: string, key: KeyObject | null): Row {
  const print = key === null ? null : fingerprint(key);
  const entry = revoked.find((one) => one.fingerprint === print);
  return {
    what: 'key',
    ok: print !== null && entry === undefined,
    expected: `a key keys/${vendor}.pub.pem in the base branch that is not revoked`,
    seen: entry !== undefined ? `revoked since ${entry.since}: ${entry.reason}` : (print ?? 'none in the base branch'),
    fix: 'Send a public key to the certifier, who adds it in a change of their own.',
  };
}
