export type { AnswerChange, ReferenceRequest } from './change-answers.js';
export { describeReference } from './describe-reference.js';
export type { Answer as ReferenceAnswer, Exchange, FaultHooks, Hooks } from './instance.js';
export type { Fault } from './faults/fault.js';
export { faults } from './faults/faults.js';
export { referenceDocument } from './reference-document.js';
export { type Reference, type ReferenceOptions, startReference } from './start-reference.js';
export { variantOptions } from './variant-options.js';
