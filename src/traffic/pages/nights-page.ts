import { html, shown, type Content } from '../../reports/html/html-markup.js';
import { allPercentiles } from '../soak/history/compare-soak-runs.js';
import type { Band, NightBands } from '../soak/history/night-bands.js';
import { rounded, type Chart, type Series } from './charts.js';
import { renderLoadShell } from './page-shell.js';
import { ms, numberColumns, tableMarkup } from './tables.js';

/** Input of the page: nights oldest first, the last one tonight's. */
export interface NightsPageOptions {
  /** The target's address, or the name of the embedded service. */
  readonly name: string;
  readonly plan: string;
  readonly nights: readonly NightBands[];
  /** The address of a night's own page, relative to this one. */
  readonly pageOf: (night: NightBands) => string;
}

/** What is reported of a night; empty where nothing is. */
function changesOf({ comparison: { verdict, moreErrors } }: NightBands): string[] {
  return [...(verdict === 'cannot tell' ? [] : [verdict]), ...(moreErrors === null ? [] : ['more errors'])];
}

/** A value over all nights with its band; the nights that are reported have a mark. */
function chart(
  head: Pick<Chart, 'id' | 'title' | 'note' | 'yName' | 'yScale'>,
  nights: readonly NightBands[],
  of: (night: NightBands) => Band,
  isChanged: (night: NightBands) => boolean,
): Chart {
  const bands = nights.map(of);
  const line = (
    name: string,
    colour: Series['colour'],
    style: Series['style'],
    values: readonly (number | null)[],
  ) => ({
    name,
    colour,
    style,
    values: values.map((value) => (value === null ? null : rounded(value))),
  });
  const lower = bands.map((band) => band.lower);
  return {
    ...head,
    xName: 'night',
    xScale: 'date',
    x: nights.map(({ run }) => Math.round(Date.parse(run.started) / 1000)),
    series: [
      line(
        head.title,
        'first',
        'line',
        bands.map(({ value }) => value),
      ),
      ...(lower.every((value) => value === null) ? [] : [line('lower bound', 'other', 'dash', lower)]),
      line(
        'upper bound',
        'other',
        'dash',
        bands.map(({ upper }) => upper),
      ),
      line(
        'reported as changed',
        'refused',
        'points',
        bands.map(({ value }, at) => {
          const night = nights[at];
          return night !== undefined && isChanged(night) ? value : null;
        }),
      ),
    ],
    spans: [],
    sync: 'nights',
  };
}

function chartsOf(nights: readonly NightBands[]): Chart[] {
  const note =
    'The middle half of the windows of each night. Between the bounds a night alone is no certain change; they follow the reference service.';
  return [
    ...allPercentiles.map((name) =>
      chart(
        { id: name, title: name, note, yName: 'milliseconds', yScale: 'log' },
        nights,
        ({ latency }) => latency[name],
        ({ comparison }) => comparison.verdict !== 'cannot tell',
      ),
    ),
    chart(
      {
        id: 'errors',
        title: 'Errors',
        note: 'Share of requests that failed. Above the bound it is certainly more than in the nights before.',
        yName: '% of requests',
        yScale: 'even',
      },
      nights,
      ({ errors: { value, upper } }) => ({
        value: value === null ? null : 100 * value,
        lower: null,
        upper: upper === null ? null : 100 * upper,
      }),
      ({ comparison }) => comparison.moreErrors !== null,
    ),
  ];
}

function rowOf(night: NightBands, page: string): Content[] {
  const { run, latency, errors, comparison } = night;
  const began = shown(run.started, 40);
  const bounds = ({ value, lower, upper }: Band): string =>
    value === null ? '–' : `${ms(value)}${lower === null || upper === null ? '' : ` (${ms(lower)} to ${ms(upper)})`}`;
  const changes = changesOf(night);
  return [
    html`<a href="${page}">${began}</a>`,
    ...allPercentiles.map((name) => bounds(latency[name])),
    errors.value === null
      ? '–'
      : `${(100 * errors.value).toFixed(3)} %${errors.upper === null ? '' : ` (up to ${(100 * errors.upper).toFixed(3)} %)`}`,
    changes.length === 0 ? 'no change reported' : html`<strong>${changes.join(', ')}</strong>`,
    shown([comparison.reason, comparison.moreErrors ?? ''].filter(Boolean).join('; '), 400),
  ];
}

/** The page over all nights: percentiles and errors with the bounds that the comparison uses, and the nights reported as changed. */
export function renderNightsPage({ name, plan, nights, pageOf }: NightsPageOptions): string {
  const tonight = nights.at(-1);
  const changed = nights.filter((night) => changesOf(night).length > 0).length;
  const changes = tonight === undefined ? [] : changesOf(tonight);
  const compared = tonight?.comparison.compared === true;
  const isWorse = changes.some((one) => one !== 'faster');
  return renderLoadShell({
    tone: isWorse ? 'fail' : compared ? 'pass' : 'blocked',
    heading:
      changes.length > 0 ? `Tonight: ${changes.join(', ')}` : compared ? 'No change tonight' : 'Not compared tonight',
    title: `Nights of ${name}`,
    kicker: html`Soaks under the same conditions, ${plan}`,
    lead: html`${shown(name, 300)}. ${String(nights.length)} nights, ${String(changed)} reported as changed. ${shown(tonight?.comparison.reason ?? '', 400)}.`,
    before: [],
    charts: chartsOf(nights),
    after: [
      tableMarkup(
        'nights',
        'Nights',
        'the latest first; in brackets the bounds beyond which a night is certainly a change',
        [{ name: 'Began' }, ...numberColumns('p50', 'p95', 'p99', 'Errors'), { name: 'Reported' }, { name: 'Why' }],
        [...nights].reverse().map((night) => rowOf(night, pageOf(night))),
      ),
    ],
  });
}
