export { patienceSeconds, persistent, settled } from './again.js';
export { dialect } from './dialect.js';
export { dataOf, isFailureEnvelope, isGone, isRefusal, isSuccess, mayMean } from './envelope.js';
export { areAddresses, asArray, asObject, differences, quote, sameJson } from './json.js';
export {
  type Cursor,
  cursorParameter,
  declaredMaximum,
  isFromCache,
  listing,
  nextCursor,
  offersNoCursor,
  type Page,
  pageAfter,
  pageWithNext,
  readPage,
  usualLimit,
  type Walk,
  walk,
  walkOf,
  type WalkOptions,
} from './list.js';
export { paths } from './paths.js';
export {
  byIds,
  type FieldDifference,
  idIn,
  idOf,
  itemsIn,
  type Kind,
  kindOf,
  recordId,
  recordIn,
  recordsIn,
  sentIn,
  type Shown,
  shownById,
} from './records.js';
