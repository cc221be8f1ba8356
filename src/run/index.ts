export { type Breach, Check, describe, type Way } from './check.js';
export { catalogueDigest, composeReport, servedDocument } from './compose-report.js';
export { lookAs } from './control.js';
export { execute } from './execute.js';
export { notRun } from './leave-out.js';
export { noDocument, readPinned } from './load-contract.js';
export { type Match, type Matcher, matcher } from './matcher.js';
export { type RunEvidence, type RunOptions, withRun } from './open-run.js';
export { integerFor, randomFrom, seedFor, uuidFor } from './random.js';
export { decodeRecorded } from './recorded.js';
export { rerunInvocation } from './replay.js';
export type { RequestOptions } from './request-options.js';
export { placeOf } from './result-of.js';
export { gateConcurrency, planOf, runChecks, usualConcurrency, whenCalledOff } from './run-checks.js';
export { publicSettings, type RunFile, runFileSchema, setName, writeRunFile } from './run-file.js';
export type { Depth, Run, WebhookSetup } from './run.js';
export {
  assertAccess,
  assertAddress,
  forbiddenLists,
  keyedLists,
  probeTarget,
  readyTarget,
  secondFormTrouble,
} from './target-state.js';
