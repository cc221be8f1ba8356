import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../openapi/index.js';
import { acceptedTypes, createTransport, decodeJson, decodeText } from '../http/index.js';
import type { Run } from '../run/index.js';
import type { Target } from '../settings/index.js';
import { asObject } from '../service/index.js';
import { recordPath, type OwnRecord, type RecordKind } from './access/own-records.js';

/** The result of a removal: how many records are deleted, and why others are left. */
export interface Removal {
  readonly deleted: Readonly<Record<RecordKind, number>>;
  readonly left: readonly { readonly kind: RecordKind; readonly why: string }[];
}

/** Requests at the same time. */
const atOnce = 6;
const timeoutMs = 5_000;
/** How often one record is asked for while the service answers 429, and the longest that it waits each time. */
const mostTries = 20;
const longestPauseSeconds = 65;

/** Whether the document declares how a record of this kind is deleted. */
export function isDeletable(contract: Contract, kind: RecordKind): boolean {
  return contract.operation('DELETE', recordPath({ kind, id: 'x' })) !== null;
}

/**
 * Deletes records, leads before their units, until `signal` fires; waits after a 429. Uses its own transport, so that its requests are
 * neither recorded nor judged. Never throws.
 */
export async function removeRecords(
  target: Target,
  contract: Contract,
  records: readonly OwnRecord[],
  { userAgent, trace, signal }: Pick<Run, 'userAgent' | 'trace'> & { readonly signal: AbortSignal },
): Promise<Removal> {
  const transport = createTransport(target.network);
  const deleted = { lead: 0, unit: 0 };
  const left: { kind: RecordKind; why: string }[] = [];
  const ended = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  let pause: Promise<unknown> | null = null;
  const remove = async (record: OwnRecord): Promise<string | null> => {
    for (let tries = 1; ; tries += 1) {
      while (pause !== null) await pause;
      if (signal.aborted) return 'there was no time to delete them';
      const answer = await Promise.race([
        ended,
        transport.send({
          url: `${target.baseUrl}${recordPath(record)}`,
          method: 'DELETE',
          headers: [
            ['user-agent', userAgent],
            ['accept', acceptedTypes],
            ...target.headers,
            ...(record.tenant === null ? [] : [['x-tenant', record.tenant] as const]),
            ['authorization', `Bearer ${target.keys[record.key] ?? ''}`],
            ['traceparent', trace.header(trace.next())],
          ],
          body: null,
          timeoutMs,
          maxBytes: 1e6,
        }),
      ]);
      if (answer === null) return 'there was no time to delete them';
      if (answer.failure !== null) return `DELETE got no answer (${answer.failure.kind})`;
      if (answer.status === 404 || answer.status === 410) return null;
      if (answer.status === 429 && tries < mostTries) {
        const seconds = Number(answer.headers.find(([name]) => name === 'retry-after')?.[1]);
        pause ??= sleep(
          Math.min(Number.isInteger(seconds) ? Math.max(1, seconds) : 1, longestPauseSeconds) * 1_000,
          null,
          { signal },
        )
          .catch(() => null)
          .finally(() => (pause = null));
        continue;
      }
      const isRefused = asObject(decodeJson(decodeText(answer.raw)))?.['ok'] === false;
      if (answer.status >= 200 && answer.status < 300 && !isRefused) {
        deleted[record.kind] += 1;
        return null;
      }
      return `DELETE is answered ${answer.status}`;
    }
  };
  for (const kind of ['lead', 'unit'] as const) {
    const due = records.filter((record) => record.kind === kind);
    const canDelete = isDeletable(contract, kind);
    if (!canDelete) left.push(...due.map(() => ({ kind, why: 'the document declares no DELETE for them' })));
    const queue = canDelete ? [...due] : [];
    const work = async (): Promise<void> => {
      for (let record = queue.shift(); record !== undefined; record = queue.shift()) {
        const why = await remove(record);
        if (why !== null) left.push({ kind, why });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }
  // The last requests may still be answered.
  void transport.close().catch(() => undefined);
  return { deleted, left };
}

/** `3 leads`, `1 unit`. */
export function counted(count: number, kind: RecordKind): string {
  return `${count.toLocaleString('en')} ${kind}${count === 1 ? '' : 's'}`;
}

/** The result of a removal in one line; null if there was nothing to remove. */
export function describeRemoval({ deleted, left }: Removal): string | null {
  const done = (['unit', 'lead'] as const).filter((kind) => deleted[kind] > 0);
  const words = done.length === 0 ? [] : [`deleted ${done.map((kind) => counted(deleted[kind], kind)).join(' and ')}`];
  const groups = new Map<string, { kind: RecordKind; why: string; count: number }>();
  for (const { kind, why } of left) {
    const group = groups.get(`${kind} ${why}`) ?? { kind, why, count: 0 };
    group.count += 1;
    groups.set(`${kind} ${why}`, group);
  }
  for (const { kind, why, count } of groups.values()) words.push(`${counted(count, kind)} left: ${why}`);
  if (words.length === 0) return null;
  const line = words.join('; ');
  return `${line.slice(0, 1).toUpperCase()}${line.slice(1)}.`;
}
