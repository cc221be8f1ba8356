export { defineRequirement } from './requirement/requirement.js';
export { Check, describe } from './run/check.js';
