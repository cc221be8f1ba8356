import { lintAdvice } from './lint-advice.js';
import { lintCoverage } from './lint-coverage.js';
import { lintNames } from './lint-names.js';
import { lintSchemas } from './lint-schemas.js';
import { type LintFinding, lintFindings } from './lint-rules.js';
import { references } from '../load/references.js';
import { inThread } from '../load/in-thread.js';
import { memoizeByDocument } from '../load/memoize-by-document.js';
import { validateOpenApi } from './validate-openapi.js';

const memoize = memoizeByDocument<readonly LintFinding[]>();

/** Everything that is wrong with a document, by requirement. Nothing outside the document is fetched or read; never throws. */
export function lintDocument(document: Record<string, unknown>): Promise<readonly LintFinding[]> {
  return memoize(document, () => inThread(new URL('./lint-document.js', import.meta.url), lint, document));
}

/** As {@link lintDocument}, in this thread. */
export function lint(document: Record<string, unknown>): readonly LintFinding[] {
  const { findings, breach } = lintFindings();
  for (const { pointer, ref, state } of references(document).filter((one) => one.state !== 'resolved'))
    breach(
      'lost-reference',
      pointer,
      `${JSON.stringify(ref)} leads ${state === 'external' ? 'off the document, and not to a JSON file of its origin that could be read' : 'nowhere'}`,
    );
  for (const lint of [validateOpenApi, lintNames, lintSchemas, lintCoverage, lintAdvice]) lint(document, breach);
  return findings;
}
