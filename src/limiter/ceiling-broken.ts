import { tooEarly, tooMany, type Contradiction } from './contradiction.js';
import type { Slack } from './envelope.js';
import { lineExcess } from './line-excess.js';
import { premature } from './order-excess.js';
import type { Ceiling } from './reading.js';
import type { Spans } from './spans.js';
import { stepExcess } from './step-excess.js';
import { ticksOf, type Ticks } from './ticks.js';
import type { Trace } from './trace.js';

/** Columns in ticks, made once for each slack. */
export type TickMemo = Map<string, Ticks>;

/** The first acceptances that a ceiling has no room for, by counting certain ones and by carrying earliest instants forward. */
export function ceilingBroken(trace: Trace, accepted: Spans, ceiling: Ceiling, slack: Slack, memo: TickMemo): Contradiction | null {
  const { envelope } = ceiling;
  const key = `${slack.clockErrorRate} ${slack.quantumMs}`;
  const ticks = memo.get(key) ?? ticksOf(accepted, slack);
  memo.set(key, ticks);
  const excess = envelope.kind === 'step' ? stepExcess(accepted, ticks, envelope) : lineExcess(accepted, ticks, envelope);
  if (excess !== null) return tooMany(trace, accepted, ceiling, excess);
  const early = premature(accepted, envelope, slack);
  return early === null ? null : tooEarly(trace, accepted, ceiling, early);
}
