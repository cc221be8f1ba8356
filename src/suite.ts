import { collect, collecting } from './requirement/collector.js';
import type { CheckBody } from './requirement/collector.js';
import type { RequirementDetails } from './requirement/requirement.js';

/** Declares the check of one requirement: a sentence, the requirement, the body. */
export type SuiteTest = (title: string, details: RequirementDetails, body: CheckBody) => void;

/** Playwright's own `test`, or the collector where checks are run in one process, which need not load Playwright. */
export const test: SuiteTest = collecting() ? collect : (await import('./playwright/conformance-test.js')).test;

export { requirement } from './requirement/requirement.js';
export { Check, describe } from './run/check.js';
