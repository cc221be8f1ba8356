export {
  hasDeclaredBody,
  hasDeclaredHeaders,
  hasDeclaredStatus,
  isEverSent,
  keepsEnvelope,
} from './declared-answers.js';
export { exchanges, invariant, type Selector, type Subject } from './invariants.js';
export { type Answer, answers, createdUnits, holdsItsLimit, lists, singles } from './selectors.js';
export { changeLeads, openUnits, unitEffect } from './unit-effects.js';
export { refusedWrites } from './no-effect.js';
export { tenants } from './tenants.js';
export { writeDemo } from './demo-writes.js';
export { granted, refused, refusedToKeys, refusesNobody, shapes, staysInScope } from './matrix.js';
export {
  firstPages,
  haveOwnIds,
  inWays,
  lastPages,
  limitAtWork,
  limitOfManyPages,
  limitOfSeveralPages,
  pages,
} from './pages.js';
export { bothFormsShow } from './address-forms.js';
export { relation, type RelationOptions, type View } from './relations.js';
