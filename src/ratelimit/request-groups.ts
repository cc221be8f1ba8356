import { originOf, pick, intervalsOf } from './request-intervals.js';
import type { Trace } from './trace.js';
import type { RequestGroups } from './refusals/justification.js';

/** Sorts a trace's requests by what they may have done to the limiter; instants count from the first request. */
export function groupRequests(trace: Trace): RequestGroups {
  const everything = intervalsOf(trace, originOf(trace));
  const isRefused = Uint8Array.from(trace.records, ({ outcome }) => (outcome === 'refused' ? 1 : 0));
  const isAccepted = Uint8Array.from(trace.records, ({ outcome, receivedMs }) =>
    outcome === 'accepted' && receivedMs !== Infinity ? 1 : 0,
  );
  const [admitted, turnedAway] = [pick(everything, isAccepted, 1), pick(everything, isRefused, 1)];
  return {
    accepted: admitted,
    refused: turnedAway,
    spent: admitted.count + turnedAway.count === everything.count ? admitted : pick(everything, isRefused, 0),
    everything,
    idleBeforeMs: trace.idleBeforeMs,
    memo: new Map(),
  };
}
