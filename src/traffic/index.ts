export { allowedToLoad, drive } from './engine/drive.js';
export { type ExportedLimits, exportK6Limits, exportKubernetes } from './export/export-limits.js';
export { pushMetrics } from './export/push-metrics.js';
export { assertOneRun, judgeInstances } from './judge-instances.js';
export { type K6Trace, readK6Output } from './k6-output.js';
export { k6Schedule, scheduleSeconds } from './k6-schedule.js';
export { limitSubjects, placeOf, tallyOf, whyLeftOut } from './limit-traces.js';
export type { PlanVerdict } from './limit-verdicts.js';
export { renderSoakPage } from './pages/soak-page.js';
export { latencyText, statusesText, thresholdText } from './pages/load-page.js';
export { writeLoadPages, writePage } from './pages/limit-page.js';
export { describeLowered, foreignDoubt, judgeLimits, nameOf, observeLimits, triedLimits } from './limit-rules.js';
export { drivenIn, loadHeaders } from './drive-limits.js';
export { baseSteps, beyondBounds, costOf } from './scenario/scenario.js';
export {
  hasLimitHeaders,
  judgeFailureHeaders,
  judgePlanHeaders,
  refusalsHaveEnvelope,
  tryOtherOperations,
} from './seen-headers.js';
export { compareSoakRuns, readSoakRuns, saveSoakRun, type SoakComparison, type SoakRun } from './soak/history.js';
export { answeredOf, parseThresholds, type SoakSummary } from './soak/figures.js';
export { assertTellsNoSecret, conditionsOf, type MixOperation, parseMix, usualMix } from './soak/mix.js';
export { runSoak, type SoakOptions, type SoakReport } from './soak/run-soak.js';
