import type { Asked } from './history.js';

/** The history as numbered sentences; creates that overlap are said to have been under way together. */
export function story(history: readonly Asked[]): string {
  const keys = [...new Set(history.map((asked) => asked.key))];
  return history
    .map((asked, at) => {
      const before = history[at - 1];
      const together = before !== undefined && asked.sentAtMs < before.receivedAtMs ? ', meanwhile' : '';
      const { answer } = asked;
      const seen =
        answer.kind === 'refused'
          ? String(answer.status)
          : answer.kind === 'unknown'
            ? answer.why
            : `a lead${answer.id === null ? '' : ` ${answer.id}`}${answer.shows.length > 0 ? ` with the data of ${answer.shows.join(' and ')}` : ''}`;
      return `${at + 1}.${together} ${asked.tenant} sends ${asked.body} under key ${keys.indexOf(asked.key) + 1} → ${seen}`;
    })
    .join('; ');
}
