export {
  badCredentials,
  foreignCredentials,
  isOwnCredential,
  oddCredentials,
  queryNames,
} from './access/bad-credentials.js';
export { isForeignRecord, isUnguessable } from './access/foreign-record.js';
export { decoded, type OwnRecord, ownRecords, type RecordKind } from './access/own-records.js';
export { type Caller, rightOf, type Scope, scopedKeyNames, scopedKeys, scopeOf } from './access/scopes.js';
export { blockRefusedKey, blockUnknown, whyUnknown } from './access/unknown-key.js';
export { announcedEnds } from './announced-ends.js';
export { dealPages, idsOfSeveral, readDealsById } from './deals/deals.js';
export { headTells } from './head-access.js';
export { unservedOperations } from './declared-operations.js';
export { haveUnitShape, isSameData, meetUnitSchema } from './demo/demo-records.js';
export { demoListsByLimit, readDemo } from './demo/demo.js';
export { judgeDoubledAddresses } from './doubled-addresses.js';
export { acceptLeads } from './leads/acceptance.js';
export { changeableLead, changeOf } from './leads/lead-change.js';
export { leadForm, leadWithSource, plainLead, prepareLeads, vehiclesFor } from './leads/lead-factory.js';
export { blockUnlessTaken, type LeadSession, openLeadSession } from './leads/lead-session.js';
export { isOfAnotherRun, isTestName, listsSomeLeads, ownNames, postLead } from './leads/leads.js';
export { joinDigits } from './leads/phone-book.js';
export { acceptPlainLead, acceptSources } from './leads/plain-leads.js';
export { breakLeads } from './leads/refusal.js';
export { explainRefusals, postPatiently, refusedLead } from './leads/refused-leads.js';
export { surviveBodies } from './leads/robustness.js';
export { keepLeads } from './leads/round-trip.js';
export { isEmptyList, liveOperations, type Resource, type ScopedOperation } from './operations.js';
export { inOtherWays, secondForm, type WayName } from './other-ways.js';
export { isRefusedByHttpServer, serverStatuses } from './refused-by-server.js';
export { counted, describeRemoval, isDeletable, type Removal, removeRecords } from './remove-records.js';
export { combineFilters } from './units/combined-filters.js';
export { judgeLeadEcho, noPersonalDataText, readUnitsOtherwise } from './units/inventory-view.js';
export { knownUnits, someUnitIds, unitsIfReadable, unitsOnOffer, variedIds, wholeList } from './units/known-units.js';
export { isDeclaredOtherwise } from './units/single-units.js';
export { idsWithStatus, onlyAvailable, statusOf, unknownStatus } from './units/status-filter.js';
export { createUnit, readNewUnit, removeUnit, type UnitCreation, unitCreation } from './units/unit-creation.js';
export { otherStatuses, unitChanges, visiblePatch } from './units/unit-patch.js';
export { breakUnitBodies } from './units/unit-refusals.js';
export { variedBodies } from './units/varied-bodies.js';
