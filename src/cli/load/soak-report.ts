import {
  type CatalogueEntry,
  type Report,
  type RequirementResult,
  sectionOf,
  type Verdict,
} from '../../requirement/index.js';
import { composeReport } from '../../run/index.js';
import { safe } from '../../reports/index.js';
import {
  answeredOf,
  latencyText,
  type SoakComparison,
  type SoakRun,
  type SoakSummary,
  statusesText,
  thresholdText,
} from '../../traffic/index.js';
import type { FailOn } from '../command-table.js';

/** A soak run, and what the nights before it say of it. */
export interface SoakNight {
  readonly run: SoakRun;
  readonly comparison: SoakComparison;
  /** What decides the exit status beside the thresholds. */
  readonly failOn: readonly FailOn[];
  /** Whether a signal such as that of a CI whose time is up ended it. */
  readonly terminated: boolean;
}

/** One case; the finding of a failure says what was expected. */
function result(id: string, title: string, source: string, verdict: Verdict, reason: string): RequirementResult {
  const findings = verdict === 'fail' || verdict === 'warn' ? [{ expected: title, actual: reason, exchanges: [] }] : [];
  return { id, section: sectionOf(id), level: 'MUST', title, source, verdict, reason, findings, requests: 0 };
}

/** The comparisons as cases: a change is a failure where `--fail-on` names it, else a warning. */
function comparisonCases({ run, comparison, failOn }: SoakNight): RequirementResult[] {
  const changed = (name: FailOn): Verdict => (failOn.includes(name) ? 'fail' : 'warn');
  const { verdict, reason, moreErrors, nights } = comparison;
  const latency = verdict === 'slower' ? changed('slower') : verdict === 'cannot tell' ? 'not-applicable' : 'pass';
  const errorsCompared = nights.some(({ name }) => name === 'errors');
  const errors = moreErrors !== null ? changed('errors') : errorsCompared ? 'pass' : 'not-applicable';
  const source = `soaks of ${run.conditions}`;
  return [
    result('NIGHTS-01', 'the service is not slower than in earlier soaks', source, latency, reason),
    result(
      'NIGHTS-02',
      'no more requests fail than in earlier soaks',
      source,
      errors,
      moreErrors ?? (errorsCompared ? 'no rise in two nights' : 'too few comparable earlier runs'),
    ),
  ];
}

/** A soak as a report: its thresholds and the comparisons with earlier nights are the cases. */
export function soakReport(night: SoakNight, name: string): Report {
  const { service, target, started } = night.run;
  const isAnswered = answeredOf(Object.entries(service.total.statuses)) > 0;
  const thresholds = service.thresholds.map(({ text, value, kept }, at) => {
    const id = `THRESHOLD-${String(at + 1).padStart(2, '0')}`;
    return value === null || !isAnswered
      ? result(id, text, '--threshold', 'blocked', 'no request was answered, so the service could not be judged')
      : result(id, text, '--threshold', kept ? 'pass' : 'fail', thresholdText(text, value));
  });
  const cutShort = result(
    'THRESHOLD-00',
    'the soak runs to its end',
    '--duration',
    'blocked',
    'the soak was terminated early, so its thresholds say nothing of the whole',
  );
  const results = [...(night.terminated ? [cutShort] : []), ...thresholds, ...comparisonCases(night)];
  const catalogue = results.map(({ id, section, level, title, source }): CatalogueEntry => {
    return { id, section, level, title, source, writes: false, slow: false };
  });
  const report = composeReport({
    baseUrl: name,
    embedded: target === 'embedded',
    document: null,
    traceId: service.traceId,
    seed: 1,
    observations: [],
    catalogue,
    sections: [
      { id: 'THRESHOLD', title: 'Thresholds' },
      { id: 'NIGHTS', title: 'Compared with earlier soaks' },
    ],
    selected: catalogue,
    results,
    started: new Date(started),
    requests: service.total.due,
  });
  return { ...report, seconds: Math.round(service.seconds * 10) / 10 };
}

/** Milliseconds without their unit. */
const milliseconds = (value: number): string => latencyText(value).replace(' ms', '');

function line(name: string, one: SoakSummary): string {
  const latency = `p50 ${milliseconds(one.p50Ms)}  p95 ${milliseconds(one.p95Ms)}  p99 ${milliseconds(one.p99Ms)}  max ${milliseconds(one.maxMs)} ms`;
  const bare =
    one.bareEnvelopes === 0 ? '' : `, ${one.bareEnvelopes.toLocaleString('en')} without the envelope (ok, data)`;
  return `  ${safe(name, 40).padEnd(24)} ${one.due.toLocaleString('en').padStart(9)}  ${latency}  ${safe(statusesText(one.statuses), 200)}${bare}`;
}

/** The summary of a soak run, as lines for the terminal. */
export function soakSummary(run: SoakRun): string[] {
  const { service, control } = run;
  const { connections, queued = 0, standstill } = service;
  return [
    '',
    `${service.ended === 'complete' ? 'Done' : 'Ended early,'} after ${service.seconds.toFixed(1)} s.`,
    line('all', service.total),
    ...(service.operations.length > 1 ? service.operations.map((one) => line(one.name, one)) : []),
    ...(control === null ? [] : [line('reference service', control.total)]),
    ...(connections === undefined || queued === 0
      ? []
      : [
          `  ${queued.toLocaleString('en')} requests found none of ${connections.toLocaleString('en')} connections free; their latency counts from their scheduled time.`,
        ]),
    ...(standstill === undefined
      ? []
      : [
          `  This process stood still for ${standstill.seconds.toFixed(1)} s (it or its machine was suspended, or busy); the ${standstill.requests.toLocaleString('en')} requests of that time are left out.`,
        ]),
    ...service.thresholds.map(({ text, value, kept }) =>
      value === null
        ? `  ? ${text}: not judged, as nothing was answered`
        : `  ${kept ? '✓' : '✗'} ${text}: ${thresholdText(text, value)}`,
    ),
  ];
}
