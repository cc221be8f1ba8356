import { child } from './schema/pointer.js';
import { follow, type Located } from './schema/resolve.js';
import type { Operation } from './operations.js';
import { objectsIn } from './values.js';

/** The entry under `responses` for a status: exact, else its range (`4XX`), else `default`. */
function entryFor(operation: Operation, status: number) {
  const declared = objectsIn(operation.operation['responses']);
  const range = `${Math.floor(status / 100)}XX`;
  return (
    declared.find(([name]) => name === String(status)) ??
    declared.find(([name]) => name.toUpperCase() === range) ??
    declared.find(([name]) => name === 'default')
  );
}

/** The declared answer for a status; null where none is declared. */
export function responseFor(document: unknown, operation: Operation, status: number): Located | null {
  const entry = entryFor(operation, status);
  return entry ? follow(document, entry[1], child(child(operation.pointer, 'responses'), entry[0])) : null;
}

/** Whether a status is declared at all, even by a reference that leads nowhere. */
export function declaresStatus(operation: Operation, status: number): boolean {
  return entryFor(operation, status) !== undefined;
}

/** The media type entry that a content type falls under: exact, then ranges; null where none fits. */
export function mediaFor(document: unknown, response: Located, contentType: string | null): Located | null {
  const essence = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const entries = objectsIn(response.node['content']);
  const rank = (declared: string): number => {
    const name = declared.split(';')[0]?.trim().toLowerCase() ?? '';
    if (name === essence) return 0;
    if (name.endsWith('/*') && name !== '*/*' && essence.startsWith(name.slice(0, -1))) return 1;
    return name === '*/*' ? 2 : 9;
  };
  const best = entries
    .map((entry) => ({ entry, rank: rank(entry[0]) }))
    .filter((one) => one.rank < 9)
    .sort((a, b) => a.rank - b.rank)[0]?.entry;
  return best ? follow(document, best[1], child(child(response.pointer, 'content'), best[0])) : null;
}
