import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Report } from '../../requirement/types.js';
import { judgedPlans } from './judged-plans.js';
import { levelsOf } from '../levels.js';
import type { Statement } from '../badge.js';
import { tracesFile } from '../bundle/bundle-names.js';

/** What a report says without a bundle around it: levels as they would be, certifying nothing. The plans are taken from the evidence beside it. */
export function statementOfReport(report: Report, file: string): Statement {
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
    levels: levelsOf(report, judgedPlans(existsSync(traces) ? readFileSync(traces, 'utf8') : null)),
  };
}
