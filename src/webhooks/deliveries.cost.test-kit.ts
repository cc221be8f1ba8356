import { eventKinds } from '../openapi/event-kinds.js';
import { judgeDeliveries } from './judge/judge-deliveries.js';
import { delivery, header, otherSecret, payload, secret } from './test-kit.js';

/** Judges `count` deliveries, of every kind in turn. */
export function judging(count: number): () => void {
  const all = Array.from({ length: count }, (_, at) =>
    delivery(at + 1, payload(eventKinds[at % 13] ?? 'lead.created', { at })),
  );
  return () => {
    const { findings } = judgeDeliveries(all, { secret, otherSecret, header, document: null });
    if (findings.length > 0) throw new Error(JSON.stringify(findings[0]));
  };
}
