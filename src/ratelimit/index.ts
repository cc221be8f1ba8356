export { detectForeignUse, type ForeignUse } from './headers/detect-foreign-use.js';
export { quotaItems, wholeNumber } from './headers/fields.js';
export { draft, findingsOf, type HeaderFinding } from './headers/header-finding.js';
export { formChecks, presenceChecks, resetSeconds, retrySeconds } from './headers/judge-form.js';
export { judgeHeaders, planChecks } from './headers/judge-headers.js';
export { remainingChecks } from './headers/judge-remaining.js';
export { judgeTraces } from './judge-trace.js';
export { blockSize, judgeCountedFailures, judgeUncountedWrites } from './judge-uncounted.js';
export { attributeViolations, type ModelVerdict, type Violation } from './violation.js';
export {
  granularityMs,
  type LimiterModel,
  type LimitRole,
  modelLabels,
  modelOf,
  mostAcceptancesWithin,
  planNumbers,
  tickedBucket,
} from './model.js';
export { argsort, lowerBound, upperBound } from './request-intervals.js';
export type { Trace, TraceOutcome, TraceRecord } from './trace.js';
