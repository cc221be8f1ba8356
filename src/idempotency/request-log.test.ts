import { expect, test } from '@playwright/test';
import { sampleExchange } from '../reports/test-kit.js';
import type { Exchange } from '../http/exchange.js';
import type { Check } from '../run/check.js';
import type { RequestOptions } from '../run/request-options.js';
import { bodyOf } from './lead-body.js';
import { home, RequestLog } from './request-log.js';

/** A log whose requests get these answers, one a try: null is lost, and asked for again. */
function logAnswered(tries: readonly (readonly [sentAtMs: number, status: number | null])[]): RequestLog {
  const left = [...tries];
  const next = (): Exchange => {
    const [sentAtMs = 0, status = null] = left.shift() ?? [];
    const response =
      status === null
        ? null
        : { status, body: Buffer.from(JSON.stringify({ ok: status < 300, data: { lead: { id: 'L-1' } } })) };
    return { ...sampleExchange(sentAtMs, {}, response), sentAtMs, receivedAtMs: sentAtMs + 5 };
  };
  const send = (options: RequestOptions): Promise<Exchange> => {
    for (let exchange = next(); ; exchange = next()) {
      if (exchange.response !== null) return Promise.resolve(exchange);
      options.onLost?.(exchange);
    }
  };
  return new RequestLog({ entry: { section: 'IDEM' }, send } as unknown as Check, {
    shows: 'id',
    echoes: false,
    listed: false,
    pagesPerWalk: 0,
    sameId: null,
    replays: true,
  });
}

test('a create whose answer was lost may have used its key before it was sent again', async () => {
  const bodies = ['x', 'y'].map((name) => bodyOf(name, { name }, [`mark of ${name}`]));
  const [x, y] = bodies as [(typeof bodies)[0], (typeof bodies)[0]];
  // x is sent at 0 and lost; y, sent at 2, meets the lead of x; x is sent again at 20.
  const overlapping = logAnswered([
    [0, null],
    [20, 201],
  ]);
  await overlapping.post({ key: 'K', form: 'usual', body: x, party: home });
  const conflict = logAnswered([[2, 409]]);
  await conflict.post({ key: 'K', form: 'usual', body: y, party: home });
  overlapping.entries.push(...conflict.entries);
  expect(overlapping.history().map(({ body, answer }) => `${body} ${answer.kind}`)).toEqual([
    'x unknown',
    'x lead',
    'y refused',
  ]);
  expect(overlapping.anomaly()).toBeNull();
  // Without the lost try, nothing explains the refusal.
  const [, ...later] = overlapping.entries;
  expect(overlapping.anomaly(later)?.kind).toBe('fresh-refused');
});
