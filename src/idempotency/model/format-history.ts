import type { KeyedRequest } from './history.js';
import { describeAnswer } from './linearizability.js';

/** The history as numbered sentences; creates that overlap are said to have been under way together. */
export function formatHistory(history: readonly KeyedRequest[]): string {
  const keys = [...new Set(history.map((request) => request.key))];
  const sentences = history.map((request, at) => {
    const before = history[at - 1];
    const together = before !== undefined && request.sentAtMs < before.receivedAtMs ? ', meanwhile' : '';
    const { tenant, body, key } = request;
    return `${at + 1}.${together} ${tenant} sends ${body} under key ${keys.indexOf(key) + 1} → ${describeAnswer(request)}`;
  });
  return sentences.join('; ');
}
