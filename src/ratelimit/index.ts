export { detectForeignUse, type ForeignUse } from './headers/detect-foreign-use.js';
export { partitionKeys, quotaItems, wholeNumber } from './headers/fields.js';
export { draft, findingsOf, type HeaderFinding } from './headers/header-finding.js';
export { formChecks, presenceChecks, resetSeconds, retrySeconds } from './headers/judge-form.js';
export { judgeHeaders, planChecks } from './headers/judge-headers.js';
export { remainingChecks } from './headers/judge-remaining.js';
export { judgeTrace, judgeTraces } from './judge-trace.js';
export { blockSize, judgeCountedFailures, judgeUncountedWrites } from './judge-uncounted.js';
export type { ModelVerdict } from './model-verdict.js';
export { mostAcceptancesWithin } from './models/envelope.js';
export { granularityMs } from './models/granularity.js';
export { type LimiterModel, type LimitRole, modelLabels, modelOf, planNumbers, tickedBucket } from './models/model.js';
export { argsort, lowerBound, upperBound } from './rank.js';
export {
  accepted,
  codesOf,
  type CoreColumns,
  coreOf,
  failed,
  other,
  outcomes,
  refused,
  timeout,
  unsent,
} from './record-columns.js';
export type { Trace, TraceOutcome, TraceRecord } from './trace.js';
export { attributeViolations, type Violation } from './violation.js';
