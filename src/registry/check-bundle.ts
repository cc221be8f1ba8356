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
import type { Rules } from './rules.js';

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
  const { found, now } = parts;
  const rows = concludeVerification(found, now).rows.map((row): Row => ({ ...row, seen: row.seen.join('; ') }));
  return found.problems.length > 0 || found.manifest === null ? rows : [...rows, ...policyRows(parts, found.manifest)];
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
