import { originOf, pick, intervalsOf } from './request-intervals.js';
import type { Trace } from './trace.js';
import type { RequestGroups } from './refusals/justification.js';

/** Sorts a trace's requests by what they may have done to the limiter; instants count from the first request. */
export function groupRequests(trace: Trace): RequestGroups {
  const everything = intervalsOf(trace, originOf(trace));
  const isRefused = new Uint8Array(trace.records.length);
  const isAccepted = new Uint8Array(trace.records.length);
  trace.records.forEach(({ outcome, receivedMs }, position) => {
    if (outcome === 'refused') isRefused[position] = 1;
    if (outcome === 'accepted' && Number.isFinite(receivedMs)) isAccepted[position] = 1;
  });
  return {
    accepted: pick(everything, isAccepted, 1),
    refused: pick(everything, isRefused, 1),
    spent: pick(everything, isRefused, 0),
    everything,
    idleBeforeMs: trace.idleBeforeMs,
    memo: new Map(),
  };
}
