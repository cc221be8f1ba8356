import { createHash } from 'node:crypto';
import { type Report, reportSchema, type Requirement } from '../../requirement/index.js';
import { type RunFile, runFileSchema } from '../../run/index.js';
import { secretSettings } from '../../settings/index.js';
import { type Accepted, day, objectOf } from '../../typed-schema.js';
import { levelsOf } from '../levels.js';
import { parseProduct, type Product, productSchema } from '../product.js';
import { judgedPlans } from '../verify/judged-plans.js';
import { reasonsAgainst } from '../verify/refusals.js';
import { bundleNames, tracesFile } from './bundle-names.js';

const text = { type: 'string' } as const;
const orNull = { type: ['string', 'null'] } as const;
const { target, outcome, counts } = reportSchema.properties;

/** JSON Schema of `manifest.json`: what a bundle states and the digests of everything else in it. Report and evidence say whether it is so. */
export const manifestSchema = objectOf(
  {
    format: { const: 'dealership-conformance-bundle/1' },
    // A rehearsal certifies nothing; the reasons say why it is one.
    standing: { enum: ['certification', 'rehearsal'] },
    reasons: { type: 'array', items: text },
    // A digest of the suite's code is there in bundles of version 0.1.0 alone.
    suite: objectOf({ version: text, catalogue: text }, { packed: text }),
    target,
    // Digests of the OpenAPI documents in force; null where there is none.
    contract: objectOf({ served: orNull, pinned: orNull }),
    settings: { type: 'object', additionalProperties: text },
    capabilities: objectOf({
      configured: { type: 'array', items: text },
      notApplicable: { type: 'array', items: objectOf({ id: text, reason: text }) },
    }),
    // The nonce of the certifier, sent in every User-Agent.
    nonce: orNull,
    // The start (ISO 8601) is close to zero of the clock that exchanges are dated by, less what came before the first.
    clock: objectOf({ started: text, seconds: { type: 'number' }, firstSentAtMs: { type: ['number', 'null'] } }),
    seed: { type: 'integer' },
    requests: { type: 'integer' },
    outcome,
    counts,
    levels: {
      type: 'array',
      items: objectOf({ name: text, standing: { enum: ['granted', 'withheld', 'not judged'] }, why: text }),
    },
    files: { type: 'object', additionalProperties: objectOf({ bytes: { type: 'integer' }, sha256: text }) },
  },
  {
    // The requirement set by which the levels are granted; absent in a bundle of version 0.1.0.
    set: objectOf({ name: text }),
    // Packs of further requirements that were judged as well.
    packs: runFileSchema.properties.packs,
    // What is certified, and the last day (UTC) on which it counts: only with `--product`, and with `programme.yaml` beside that.
    product: productSchema,
    validUntil: day,
  },
);

export type Manifest = Accepted<typeof manifestSchema>;

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
