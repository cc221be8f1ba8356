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
export { acceptLimits, firstPages, limitAtWork, readWithLimits } from './limits.js';
export { inWays, lastPages, ownIds, pages } from './pages.js';
export { bothFormsShow } from './address-forms.js';
export { combineFilters, readFiltered, seeFilterAtWork } from './status-filter.js';
export { relation, type View } from './relations.js';
