export {
  breaksAnew,
  byDepth,
  countedRecords,
  keyDeclaration,
  keyPlan,
  keyRefusals,
  mergedLeads,
  tellAnswers,
  warnOfRefusedKeys,
} from './key-plan.js';
export { recommendReplays } from './judge-log.js';
export { identityOf } from './lead-answer.js';
export { breakages } from './lead-body.js';
export { leadTraits, logFor } from './lead-traits.js';
export { inviteOther, playRandomPlans } from './model/model-run.js';
export { inTurn, manyOthers, nearPlaces, play, type PlannedCreate, raceOf, sendPlanned } from './plan.js';
export { blockUnlessOverlapping, judgeLostAnswers } from './races.js';
export type { RequestLog } from './request-log.js';
export { judgeSharedIds } from './shared-ids.js';
