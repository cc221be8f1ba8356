export { judgeCount, removeUnits } from './count.js';
export { judgeLog, judgeStored, recommendReplays } from './judge-log.js';
export { identityOf } from './lead-answer.js';
export { breakages, unitBodies } from './lead-body.js';
export { leadTraits, logFor } from './lead-traits.js';
export { awayWithLeads, playRandomPlans } from './model/model-run.js';
export { requestBudget } from './model/request-budget.js';
export {
  type Command,
  inTurn,
  keyDeclaration,
  manyOthers,
  nearPlaces,
  pauseSince,
  playerOf,
  senderOf,
} from './plan.js';
export { judgeLostAnswers, observeOverlap, raceOf } from './races.js';
export { home, type KeyForm, type Party, RequestLog } from './request-log.js';
export { findSharedIds } from './shared-ids.js';
