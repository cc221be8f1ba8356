export { failureKind } from './failure-kind.js';
export { type FuzzBody, fuzzGroups } from './fuzz-corpus.js';
export { isFixed, isSpecified, lives, specifiedFields } from './leads/field-policy.js';
export { arbitraryOf } from './leads/lead-arbitrary.js';
export {
  type Lead,
  type LeadForm,
  leadFormOf,
  modestSources,
  readLeadSchema,
  sampleLeads,
  sourcesOf,
} from './leads/lead-schema.js';
export { boundariesOf, fullLead, type LeadCase } from './leads/leads.js';
export {
  areaCodes,
  fictionalDigits,
  fictionalPhones,
  isFictionalPhone,
  isRealPhone,
  spareLines,
} from './leads/phones.js';
export { isLeftOut, withoutBroken } from './left-out.js';
export { bundledPairs, type MinimalPair } from './schema/minimal-pairs.js';
export { isRecord, type JsonSchema } from './schema/schema.js';
export { sampleTexts } from './schema/strings.js';
export { judgeOf } from './schema/validity.js';
export { searchCounterexample } from './search-counterexample.js';
export { visibleJson } from './visible-json.js';
