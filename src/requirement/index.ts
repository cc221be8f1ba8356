export { explainSource, levelMeanings } from './explain-source.js';
export { fingerprintOf, mostFindings } from './fingerprint.js';
export { missingOf, type Need, remedyFor, unmetNeed } from './needs.js';
export { countsOf, exitStatus, outcomeOf } from './outcome.js';
export { type Catalogue, joinPacks, levelSections, type NamedPack, type Pack, packText, type Section } from './pack.js';
export { readPack } from './read-pack.js';
export {
  type Beside,
  type CatalogueEntry,
  type CheckBody,
  defineRequirement,
  type Requirement,
  type RequirementDefinition,
  type Row,
  row,
  sectionOf,
  testDetails,
} from './requirement.js';
export { select } from './select.js';
export { specificationStatements, type Statement } from './statements.js';
export {
  type Finding,
  type Level,
  type Observation,
  type Place,
  type Report,
  reportSchema,
  type RequirementResult,
  type Verdict,
} from './types.js';
