import { lintAdvice } from './lint-advice.js';
import { lintCoverage } from './lint-coverage.js';
import { lintNames } from './lint-names.js';
import { lintSchemas } from './lint-schemas.js';
import type { LintFinding } from './lint-types.js';
import { references } from '../load/references.js';
import { inThread } from '../load/in-thread.js';
import { memoizeByDocument } from '../load/memoize-by-document.js';
import { validateOpenApi } from './validate-openapi.js';

export type { LintFinding } from './lint-types.js';

const memoize = memoizeByDocument<LintFinding[]>();

/** Everything that is wrong with a document, by requirement. Nothing outside the document is fetched or read; never throws. */
export function lintDocument(document: Record<string, unknown>): Promise<LintFinding[]> {
  return memoize(document, () => inThread(new URL('./lint-document.js', import.meta.url), lint, document));
}

/** As {@link lintDocument}, in this thread. */
export function lint(document: Record<string, unknown>): LintFinding[] {
  const found = references(document);
  const findings: LintFinding[] = found
    .filter((one) => one.state !== 'resolved')
    .slice(0, 20)
    .map(({ pointer, ref, state }) => ({
      id: 'DOC-03',
      severity: 'fail',
      code: 'lost-reference',
      expected: 'every $ref to resolve, inside the document or to a file of its origin',
      actual:
        state === 'external'
          ? `${JSON.stringify(ref)} leads off the document, and not to a JSON file of its origin that could be read`
          : `${JSON.stringify(ref)} leads nowhere`,
      pointer,
    }));
  findings.push(...validateOpenApi(document, found));
  for (const lint of [lintNames, lintSchemas, lintCoverage, lintAdvice]) findings.push(...lint(document));
  return findings;
}
