import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Report } from '../requirement/types.js';
import type { Statement } from './badge.js';
import { tracesFile } from './bundle/bundle-names.js';
import { levelsOf } from './levels.js';
import { judgedPlans } from './verify/judged-plans.js';

/** The statement of a report without a bundle: the levels as a bundle would grant them. It certifies nothing. The plans come from the evidence beside the report. */
export function unsignedStatement(report: Report, file: string): Statement {
  const traces = join(dirname(file), tracesFile);
  return {
    format: 'dealership-conformance-bundle/1',
    standing: 'rehearsal',
    reasons: ['it is a report, not a signed bundle'],
    suite: { version: report.suite.version, packed: 'not stated', catalogue: report.suite.catalogue },
    target: report.target,
    contract: { served: report.target.document, pinned: null },
    settings: {},
    capabilities: { configured: [], notApplicable: [] },
    nonce: null,
    clock: { started: report.started, seconds: report.seconds, firstSentAtMs: null },
    seed: report.seed,
    requests: report.requests,
    outcome: report.outcome,
    counts: report.counts,
    levels: levelsOf(report, judgedPlans(existsSync(traces) ? readFileSync(traces) : undefined)),
  };
}
