import { createHash } from 'node:crypto';
import type { NamedPack, Report, Requirement, Verdict } from '../../requirement/index.js';
import type { RunFile } from '../../run/index.js';
import { secretSettings } from '../../settings/index.js';
import { levelsOf, type LevelState } from '../levels.js';
import { parseProduct, type Product } from '../product.js';
import { judgedPlans } from '../verify/judged-plans.js';
import { reasonsAgainst } from '../verify/refusals.js';
import { bundleNames, tracesFile } from './bundle-names.js';

/** `manifest.json`: what a bundle states and the digests of everything else in it. */
export interface Manifest {
  readonly format: 'dealership-conformance-bundle/1';
  /** A rehearsal certifies nothing; `reasons` say why it is one. */
  readonly standing: 'certification' | 'rehearsal';
  readonly reasons: readonly string[];
  /** `packed`, a digest of the suite's code, is there in bundles of version 0.1.0 alone. */
  readonly suite: { readonly version: string; readonly packed?: string; readonly catalogue: string };
  readonly target: Report['target'];
  /** The requirement set by which the levels are granted; absent in a bundle of version 0.1.0. */
  readonly set?: { readonly name: string };
  /** Packs of further requirements that were judged as well. */
  readonly packs?: readonly NamedPack[];
  /** Digests of the OpenAPI documents in force; null where there is none. */
  readonly contract: { readonly served: string | null; readonly pinned: string | null };
  /** What is certified, and the last day (`YYYY-MM-DD`, UTC) on which it counts; neither is there in a bundle without `--product` or without `programme.yaml` beside it. */
  readonly product?: Product;
  readonly validUntil?: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly capabilities: {
    readonly configured: readonly string[];
    readonly notApplicable: readonly { readonly id: string; readonly reason: string }[];
  };
  /** The nonce of the certifier, sent in every User-Agent, or null. */
  readonly nonce: string | null;
  /** `started` (ISO 8601) is close to zero of the clock that exchanges are dated by, less what came before the first. */
  readonly clock: { readonly started: string; readonly seconds: number; readonly firstSentAtMs: number | null };
  readonly seed: number;
  readonly requests: number;
  readonly outcome: Report['outcome'];
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly levels: readonly LevelState[];
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** The input of a manifest. */
export interface ManifestParts {
  readonly run: RunFile;
  readonly report: Report;
  /** The files of the bundle, of which it states what the pinned document, the product and the traces say. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly nonce: string | null;
  readonly firstSentAtMs: number | null;
  /** The catalogue, which says what a level can do without. */
  readonly checks: readonly Pick<Requirement, 'id' | 'optional'>[];
  readonly validUntil: string | null;
}

/** `sha256:…` of some bytes. */
export function digestOf(bytes: Buffer | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The product as `product.yaml` in the bundle names it; null without that file, or where it names none. */
function productIn(files: ManifestParts['files']): Product | null {
  const text = files.get(bundleNames.product)?.toString('utf8');
  if (text === undefined) return null;
  try {
    return parseProduct(text, bundleNames.product);
  } catch {
    return null;
  }
}

/** Everything that a manifest states, but the files. */
export function statementOf(parts: ManifestParts): Omit<Manifest, 'files'> {
  const { run, report, files } = parts;
  const [pinned, product] = [files.get(bundleNames.pinned), productIn(files)];
  const reasons = reasonsAgainst(run, report);
  return {
    format: 'dealership-conformance-bundle/1',
    standing: reasons.length === 0 ? 'certification' : 'rehearsal',
    reasons,
    suite: { version: run.suite.version, catalogue: run.suite.catalogue },
    ...(run.set === undefined ? {} : { set: { name: run.set } }),
    ...(run.packs === undefined ? {} : { packs: run.packs }),
    target: report.target,
    contract: { served: report.target.document, pinned: pinned === undefined ? null : digestOf(pinned) },
    ...(product === null ? {} : { product }),
    ...(parts.validUntil === null ? {} : { validUntil: parts.validUntil }),
    settings: run.settings,
    capabilities: {
      configured: secretSettings.filter((name) => run.settings[name] !== undefined),
      notApplicable: report.requirements
        .filter((one) => one.verdict === 'not-applicable')
        .map(({ id, reason }) => ({ id, reason })),
    },
    nonce: parts.nonce,
    clock: { started: run.started, seconds: report.seconds, firstSentAtMs: parts.firstSentAtMs },
    seed: run.seed,
    requests: report.requests,
    outcome: report.outcome,
    counts: report.counts,
    levels: levelsOf(report, parts.checks, judgedPlans(files.get(tracesFile))),
  };
}
