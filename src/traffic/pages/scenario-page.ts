import { html, shown } from '../../reports/html/html-markup.js';
import { modelLabels } from '../../ratelimit/models/model.js';
import type { TraceRecord } from '../../ratelimit/trace.js';
import type { ScenarioName } from '../scenario/steps.js';
import type { PlanVerdict } from '../limit-verdicts.js';
import { nameOf } from '../report-limits.js';
import { answersChart, headerCharts } from './answer-charts.js';
import type { Chart } from './charts.js';
import { progressChart } from './envelope-charts.js';
import { explainedBy, headOf, spansOf, type LimitPageOptions } from './limit-page.js';
import { renderLoadShell } from './page-shell.js';
import { numberColumns, tableMarkup, whole } from './tables.js';
import { columnsOf } from './trace-columns.js';

const longestSentence = 300;
/** Worst first: a page is headed by the plan that needs attention most. */
const severity = { fail: 0, blocked: 1, pass: 2 } as const;

/** The requests that one scenario sent, in order; all of a run that sent its traffic alone. */
function recordsOf({ trace }: PlanVerdict, scenario: ScenarioName, isAlone: boolean): TraceRecord[] {
  const { records, steps } = trace.conducted;
  if (isAlone) return [...records];
  return steps
    .filter((step) => step.scenario === scenario)
    .flatMap((step) => [...records.slice(step.firstIndex, step.firstIndex + step.count)]);
}

function chartsOf(verdict: PlanVerdict, scenario: ScenarioName, isAlone: boolean): Chart[] {
  const records = recordsOf(verdict, scenario, isAlone);
  if (records.length === 0) return [];
  const columns = columnsOf(records);
  const spans = spansOf(verdict, columns.originMs).filter(({ name }) => isAlone || name === scenario);
  const { plan, limits } = verdict.trace.subject;
  return [
    answersChart(records, columns, spans),
    progressChart({ columns, limits, ...explainedBy(verdict), spans }),
    ...headerCharts(records, columns, spans),
  ].map((chart) => ({
    ...chart,
    id: `${plan}-${chart.id}`,
    title: `${plan}: ${chart.title}`,
    sync: chart.sync === null ? null : `${plan}-${chart.sync}`,
  }));
}

/** The page about one scenario: what it showed of every plan that was driven, beside what each model allows. */
export function renderScenarioPage(
  scenario: ScenarioName,
  verdicts: readonly PlanVerdict[],
  options: LimitPageOptions,
): string {
  const { isAlone = false } = options;
  const clean = options.redact ?? ((text: string): string => text);
  const [worst] = verdicts
    .map((verdict) => headOf(verdict, isAlone))
    .sort((a, b) => severity[a.tone] - severity[b.tone]);
  const rows = verdicts.map((verdict) => {
    const records = recordsOf(verdict, scenario, isAlone);
    const count = (outcome: TraceRecord['outcome']): string =>
      whole(records.filter((record) => record.outcome === outcome).length);
    const names = [...explainedBy(verdict).admitted].map((name) => modelLabels[name]);
    return [
      html`<a href="${verdict.trace.subject.plan}.html">${shown(clean(nameOf(verdict)), longestSentence)}</a>`,
      whole(records.length),
      count('accepted'),
      count('refused'),
      `${headOf(verdict, isAlone).heading}${names.length > 0 ? `; consistent with ${names.join(', ')}` : ''}`,
    ];
  });
  return renderLoadShell({
    tone: worst?.tone ?? 'blocked',
    heading: worst?.heading ?? 'Nothing was sent',
    title: `${scenario}: ${clean(options.target)}`,
    kicker: html`Scenario ${scenario}`,
    lead: html`${shown(clean(options.target), longestSentence)}: what this scenario sent to each plan. ${isAlone ? 'This run sent nothing else, so it judges nothing else.' : 'The verdict on a plan uses everything sent to it; see the page of that plan.'}`,
    before: [
      tableMarkup(
        'plans',
        'Plans',
        isAlone ? 'each verdict covers this scenario' : 'each verdict covers all scenarios of the plan',
        [{ name: 'Plan' }, ...numberColumns('Requests', 'Accepted', 'Refused'), { name: 'Verdict' }],
        rows,
      ),
    ],
    charts: verdicts.flatMap((verdict) => chartsOf(verdict, scenario, isAlone)),
    after: [],
  });
}
