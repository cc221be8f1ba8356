export {
  hasStatus,
  isBelow500,
  isEnvelope,
  isFailure,
  isListPage,
  isNoSuccess,
  isRefused,
  isSuccessOrRefusal,
  isSuccessWithData,
} from './answers.js';
export { everyItem, hasUniqueIds, holdsAtMost, isEmpty } from './lists.js';
export { allOf, isOfStatus, isDeal, isUnit } from './records.js';
