export { driveEvenly, driveFast } from './engine/drive.js';
export { type ExportedLimits, exportK6Limits, exportKubernetes } from './export/export-limits.js';
export { pushMetrics } from './export/push-metrics.js';
export { judgeInstances } from './judge-instances.js';
export { type K6Trace, readK6Output } from './k6-output.js';
export { k6Schedule, scheduleSeconds } from './k6-schedule.js';
export { limitSubjects, tallyOf, whyLeftOut } from './limit-traces.js';
export type { PlanVerdict } from './limit-verdicts.js';
export { drivenIn } from './drive-limits.js';
export { allowedToLoad } from './load-guard.js';
export { assertOneRun } from './merge-instances.js';
export { renderSoakPage } from './pages/soak-page.js';
export { latencyText, statusesText, thresholdText } from './pages/tables.js';
export { writeLoadPages, writePage } from './pages/write-load-pages.js';
export { describeLowered, foreignDoubt, judgeLimits, nameOf, observeLimits, triedLimits } from './limit-rules.js';
export { baseSteps, beyondBounds } from './scenario/scenario.js';
export { costOf } from './scenario/steps.js';
export {
  describePartition,
  hasLimitHeaders,
  judgeFailureHeaders,
  judgePlanHeaders,
  refusalsHaveEnvelope,
  tryOtherOperations,
} from './seen-headers.js';
export { moreThanBearable, soakRate } from './soak/soak-rate.js';
export { compareSoakRuns, type SoakComparison } from './soak/history/compare-soak-runs.js';
export { readSoakRuns, saveSoakRun, type SoakRun } from './soak/history/history.js';
export { answeredOf } from './soak/judge.js';
export { assertTellsNoSecret, conditionsOf, type MixOperation, parseMix, usualMix } from './soak/mix.js';
export { runSoak, type SoakOptions, type SoakReport, type SoakSummary, type SoakWindow } from './soak/run-soak.js';
export { parseThresholds, type Threshold } from './soak/thresholds.js';
