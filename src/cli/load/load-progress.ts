import { type ConsoleStream, safe } from '../../reports/index.js';
import {
  latencyText,
  type SoakReport,
  type SoakRun,
  type SoakSummary,
  type SoakWindow,
  statusesText,
  thresholdText,
} from '../../traffic/index.js';
import { clock } from '../live-line.js';

const quietSeconds = 60;

/** Milliseconds without their unit. */
const milliseconds = (value: number): string => latencyText(value).replace(' ms', '');

/** A line with live percentiles after each window; rewritten in place on a terminal, once a minute in a log. */
export function soakProgress(
  stream: ConsoleStream,
  durationSeconds: number,
): { readonly window: (window: SoakWindow, soFar: SoakSummary) => void; readonly end: () => void } {
  let open = false;
  let saidSeconds = -Infinity;
  return {
    window(window, soFar) {
      const { due, errors } = soFar;
      const line =
        `  ${clock(Math.round(window.startSeconds))} of ${clock(Math.round(durationSeconds))}  ${due.toLocaleString('en')} requests, ${errors.toLocaleString('en')} errors  ` +
        `p95 ${milliseconds(window.p95Ms)} ms, since the start ${milliseconds(soFar.p95Ms)} ms`;
      if (stream.isTTY === true) {
        stream.write(`\r\x1b[2K${line.slice(0, (stream.columns ?? 80) - 1)}`);
        open = true;
      } else if (window.startSeconds - saidSeconds >= Math.min(quietSeconds, durationSeconds / 10)) {
        stream.write(`${line}\n`);
        saidSeconds = window.startSeconds;
      }
    },
    end() {
      if (open) stream.write('\n');
      open = false;
    },
  };
}

function line(name: string, one: SoakSummary): string {
  const latency = `p50 ${milliseconds(one.p50Ms)}  p95 ${milliseconds(one.p95Ms)}  p99 ${milliseconds(one.p99Ms)}  max ${milliseconds(one.maxMs)} ms`;
  const bare =
    one.bareEnvelopes === 0 ? '' : `, ${one.bareEnvelopes.toLocaleString('en')} without the envelope (ok, data)`;
  return `  ${safe(name, 40).padEnd(24)} ${one.due.toLocaleString('en').padStart(9)}  ${latency}  ${safe(statusesText(one.statuses), 200)}${bare}`;
}

/** One threshold's value in its own unit. */
function thresholdValue({ text, value }: SoakReport['thresholds'][number]): string {
  return value === null ? 'not judged, as nothing was answered' : thresholdText(text, value);
}

/** A line about requests that waited in the client because all connections were busy. */
function queuedLine({ connections, queued = 0 }: SoakReport): string[] {
  if (connections === undefined || queued === 0) return [];
  return [
    `  ${queued.toLocaleString('en')} requests found none of ${connections.toLocaleString('en')} connections free; their latency counts from their scheduled time.`,
  ];
}

/** A line about the time in which nothing could be measured. */
function standstillLine({ standstill }: SoakReport): string[] {
  return standstill === undefined
    ? []
    : [
        `  This process stood still for ${standstill.seconds.toFixed(1)} s (it or its machine was suspended, or busy); the ${standstill.requests.toLocaleString('en')} requests of that time are left out.`,
      ];
}

/** The summary of a soak run, as lines for the terminal. */
export function soakSummary(run: SoakRun): string[] {
  const { service, control } = run;
  return [
    '',
    service.ended === 'complete'
      ? `Done after ${service.seconds.toFixed(1)} s.`
      : `Ended early, after ${service.seconds.toFixed(1)} s.`,
    line('all', service.total),
    ...(service.operations.length > 1 ? service.operations.map((one) => line(one.name, one)) : []),
    ...(control === null ? [] : [line('reference service', control.total)]),
    ...queuedLine(service),
    ...standstillLine(service),
    ...service.thresholds.map(
      (one) => `  ${one.value === null ? '?' : one.kept ? '✓' : '✗'} ${one.text}: ${thresholdValue(one)}`,
    ),
  ];
}
