export {
  declaredAnswers,
  declaredBodies,
  hasDeclaredBody,
  hasDeclaredHeaders,
  hasDeclaredStatus,
  isEverSent,
  keepsEnvelope,
  optionalHeaders,
} from './declared-answers.js';
export { exchanges, invariant, type Subject } from './invariants.js';
export { type Answer, answers, createdUnits, holdsItsLimit, lists, singles } from './selectors.js';
export { changeLead, openUnits, unitEffect } from './unit-effects.js';
export { refusedWrites } from './no-effect.js';
export { answersToTenants, crossTenants, showsNoForeignRecord } from './tenants.js';
export { writeDemo } from './demo-writes.js';
export {
  adminKeys,
  answersBeyondScope,
  answersToNobody,
  type Cell,
  isRefusedToNobody,
  isWithinScope,
  granted,
  keysOf,
  refusedCells,
  refusedShapes,
  spelledShapes,
  tryCells,
} from './matrix.js';
export { haveOwnIds, limitAtWork, limitLeavingOneOnLastPage, limitOfManyPages, pages, pagesIn } from './pages.js';
export { bothFormsShow } from './address-forms.js';
export { type Readings, relation, type View } from './relations.js';
