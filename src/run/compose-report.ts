import { createHash } from 'node:crypto';
import { asObject } from '../openapi/index.js';
import { type CatalogueEntry, countsOf, outcomeOf, type Report, type RequirementResult } from '../requirement/index.js';
import { version } from '../version.js';
import { namesOf } from './result-of.js';
import type { Run } from './run.js';

/** Digest of what a suite demands: ids, levels, sources and sentences of all its requirements, in the order of their ids. */
export function catalogueDigest(entries: readonly CatalogueEntry[]): string {
  const plain = entries
    .map(({ id, level, source, title }) => [id, level, source, title])
    .sort((a, b) => String(a[0]).localeCompare(String(b[0])));
  return `sha256:${createHash('sha256').update(JSON.stringify(plain)).digest('hex')}`;
}

/** Digest of the document that the target served, or null where it served none, and the version that it names. */
export async function servedDocument(run: Run): Promise<Pick<TargetParts, 'document' | 'version'>> {
  if ((await run.targetState()).unreachable !== null) return { document: null };
  const loaded = await run.contract().catch(() => null);
  const body = loaded?.exchange?.response?.body;
  if (loaded?.served == null || body === undefined) return { document: null };
  const version = asObject(loaded.served['info'])?.['version'];
  return {
    document: `sha256:${createHash('sha256').update(body).digest('hex')}`,
    ...(typeof version === 'string' && { version: run.redactor.text(version) }),
  };
}

type TargetParts = Report['target'];

/** Input of a report. `catalogue` holds all requirements of the suite, `selected` those of this run. */
export interface ReportParts extends Pick<Report, 'seed' | 'observations' | 'sections' | 'requests'>, TargetParts {
  /** Unknown of a soak of an earlier version. */
  readonly traceId?: string | undefined;
  /** The requirement set; unknown of loads. */
  readonly set?: string;
  readonly catalogue: readonly CatalogueEntry[];
  readonly selected: readonly CatalogueEntry[];
  /** Requirements that must be judged; one that is not is blocked. */
  readonly required?: readonly CatalogueEntry[];
  readonly results: readonly RequirementResult[];
  readonly started: Date;
  /** Why a selected requirement may have no result. */
  readonly why?: string;
}

/** The report of one run. */
export function composeReport(parts: ReportParts): Report {
  const { required = [], results, why = 'it was not run' } = parts;
  // Exactly one result for each: what never ran is blocked, and says why.
  const requirements = [...new Set([...parts.selected, ...required])].map((entry): RequirementResult => {
    const none = { ...namesOf(entry), verdict: 'blocked', reason: why, findings: [], requests: 0 } as const;
    const result = results.find(({ id }) => id === entry.id) ?? none;
    const isLeftOut = !parts.selected.includes(entry);
    if (!required.includes(entry) || (!isLeftOut && result.verdict !== 'not-applicable')) return result;
    const reason = `${isLeftOut ? '--only leaves it out' : result.reason}; --require asks for it`;
    return { ...result, verdict: 'blocked', reason, required: true };
  });
  return {
    format: 'dealership-conformance/1',
    suite: {
      version,
      catalogue: catalogueDigest(parts.catalogue),
      ...(parts.set === undefined ? {} : { set: parts.set }),
    },
    target: {
      baseUrl: parts.baseUrl,
      embedded: parts.embedded,
      document: parts.document,
      ...(parts.version && { version: parts.version }),
    },
    started: parts.started.toISOString(),
    seconds: Math.round((Date.now() - parts.started.getTime()) / 100) / 10,
    seed: parts.seed,
    ...(parts.traceId === undefined ? {} : { traceId: parts.traceId }),
    requests: parts.requests,
    outcome: outcomeOf(requirements),
    counts: countsOf(requirements),
    sections: (parts.sections ?? [])
      .filter(({ id }) => requirements.some(({ section }) => section === id))
      .map(({ id, title, level }) => ({ id, title, ...(level === undefined ? {} : { level }) })),
    requirements,
    observations: parts.observations,
  };
}
