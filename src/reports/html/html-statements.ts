import { type RequirementResult, specificationStatements, type Statement } from '../../requirement/index.js';
import { gravestOf } from '../console-format.js';
import { remedyOf } from '../judged.js';
import { badge, blockMarkup, tableMarkup } from './components.js';
import { type Content, html, type Markup } from './html-markup.js';
import { ruleWords, verdictIcon } from './html-verdict.js';

/** The specification, statement by statement: what came of the requirements that test each, or why none does. Null where a report holds none of them. */
export function statementsMarkup(results: readonly RequirementResult[]): Markup | null {
  const byId = new Map(results.map((result) => [result.id, result]));
  const of = ({ ids }: Statement): RequirementResult[] => ids.flatMap((id) => byId.get(id) ?? []);
  const worst = (statement: Statement): RequirementResult | undefined => gravestOf(of(statement));
  const word = (one: Statement): string => {
    if (one.untested !== null) return 'not testable';
    const { level, verdict = 'not-applicable' } = worst(one) ?? {};
    return level === 'OBSERVE' && verdict === 'pass' ? 'recorded' : ruleWords[verdict];
  };
  const why = (one: Statement): Content => {
    const result = worst(one);
    if (one.untested !== null || result === undefined) return one.untested ?? 'it was not asked for';
    return word(one) === 'not judged' ? remedyOf(result) : null;
  };
  const link = ({ id, verdict }: RequirementResult): Markup =>
    html`<a class="badge ${verdict}" href="#${id}">${verdictIcon(verdict)}${id}</a> `;
  const statements = specificationStatements();
  if (!statements.some(worst)) return null;
  const table = tableMarkup(statements, {
    columns: {
      Section: ({ section }) => section,
      Statement: ({ says }) => says,
      Result: (one) =>
        html`${badge(worst(one)?.verdict ?? 'not-applicable', word(one))} ${of(one).map(link)}<span class="quiet">${why(one)}</span>`,
    },
  });
  const kinds = [...new Set([...Object.values(ruleWords), 'recorded', 'not testable'])];
  const count = (kind: string): number => statements.filter((one) => word(one) === kind).length;
  const sum = kinds.flatMap((kind) => (count(kind) === 0 ? [] : `${count(kind)} ${kind}`)).join(' · ');
  const sheet = html`<details class="sheet rest"><summary>${statements.length} statements: ${sum}</summary>${table}</details>`;
  return blockMarkup('statements', 'The specification, statement by statement', sheet);
}
