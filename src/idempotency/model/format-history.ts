import type { KeyedRequest } from './history.js';

/** The history as numbered sentences; creates that overlap are said to have been under way together. */
export function formatHistory(history: readonly KeyedRequest[]): string {
  const keys = [...new Set(history.map((request) => request.key))];
  return history
    .map((request, at) => {
      const before = history[at - 1];
      const together = before !== undefined && request.sentAtMs < before.receivedAtMs ? ', meanwhile' : '';
      const { answer } = request;
      const seen =
        answer.kind === 'refused'
          ? String(answer.status)
          : answer.kind === 'unknown'
            ? answer.why
            : `a lead${answer.id === null ? '' : ` ${answer.id}`}${answer.shows.length > 0 ? ` with the data of ${answer.shows.join(' and ')}` : ''}`;
      return `${at + 1}.${together} ${request.tenant} sends ${request.body} under key ${keys.indexOf(request.key) + 1} → ${seen}`;
    })
    .join('; ');
}
