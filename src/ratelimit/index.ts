export { detectForeignUse } from './headers/detect-foreign-use.js';
export { leftOf, quotaItems, resetSeconds, retrySeconds } from './headers/fields.js';
export {
  draft,
  findingsOf,
  formRules,
  type HeaderFinding,
  planRules,
  presenceRules,
  remainingRules,
} from './headers/header-rules.js';
export { judgeCountedFailures, judgeHeaders } from './headers/judge-headers.js';
export { judgeTraces } from './judge-trace.js';
export { blockSize, judgeUncountedWrites } from './judge-uncounted.js';
export { attributeViolations, type ModelVerdict, type Violation } from './violation.js';
export {
  granularityMs,
  type LimiterModel,
  type LimitRole,
  modelLabels,
  modelOf,
  mostAcceptancesWithin,
  planNumbers,
} from './model.js';
export { argsort, lowerBound, upperBound } from './trace.js';
export type { Trace, TraceOutcome, TraceRecord } from './trace.js';
