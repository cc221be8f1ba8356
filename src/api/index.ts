export { callers, isOwnCredential, keyForms, queryNames } from './access/bad-credentials.js';
export { isForeignRecord, isUnguessable, textsNotIn } from './access/foreign-record.js';
export { decoded, type OwnRecord, ownRecords, type RecordKind } from './access/own-records.js';
export {
  blockRefusedKey,
  blockUnknown,
  type Caller,
  type Key,
  rightOf,
  type Scope,
  scopedKeyNames,
  scopedKeys,
  whyUnknown,
} from './access/scopes.js';
export { announcedEnds } from './announced-ends.js';
export { allDeals, dealIds } from './deals/deals.js';
export { repeatNoAddress, serveDeclared } from './declared-operations.js';
export * as demoApi from './demo.js';
export { acceptLeads, acceptPlainLead, acceptSources } from './leads/acceptance.js';
export { changeable, changeableLead, changeOf } from './leads/lead-change.js';
export { leadForm, leadWithSource, plainLead, prepareLeads, vehiclesFor } from './leads/lead-factory.js';
export { blockUnlessTaken, openLeadSession } from './leads/lead-session.js';
export { isOfAnotherRun, isTestName, leadPath, listLeads, listsSomeLeads, postLead } from './leads/leads.js';
export { joinDigits } from './leads/phone-book.js';
export { breakLeads } from './leads/refusal.js';
export { explainRefusals, postPatiently, refusedLead } from './leads/refused-leads.js';
export { surviveBodies } from './leads/robustness.js';
export { failIfMissing, readsOf, shownIn } from './leads/stored-leads.js';
export { keepLeads, type PlacedLead } from './leads/round-trip.js';
export { type Asking, isEmptyList, liveOperations, type Resource, type ScopedOperation } from './operations.js';
export { home, inOtherWays, type Place, placesFor, secondForm, type WayName } from './places.js';
export { isRefusedByHttpServer, serverStatuses } from './refused-by-server.js';
export { counted, describeRemoval, isDeletable, type Removal, removeRecords } from './remove-records.js';
export * as inventory from './units/inventory-view.js';
export {
  knownUnits,
  someUnitIds,
  unitsIfReadable,
  unitsOnOffer,
  variedIds,
  wholeList,
  wholeUnits,
} from './units/known-units.js';
export * as oddRequests from './units/odd-requests.js';
export { gradeDifference } from './units/single-units.js';
export { onlyAvailable, statusOf, unknownStatus } from './units/status-filter.js';
export { type UnitCreation } from './units/unit-body.js';
export { createUnit, readNewUnit, removeUnit, unitCreation } from './units/unit-creation.js';
export { otherStatuses, unitChanges, visiblePatch } from './units/unit-patch.js';
export { breakUnitBodies } from './units/unit-refusals.js';
export { variedBodies } from './units/varied-bodies.js';
