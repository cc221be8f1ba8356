/** At most `base + perWindow · round(D / windowMs)` acceptances in any closed interval of D milliseconds, D > 0. */
export interface StepEnvelope {
  readonly kind: 'step';
  readonly base: number;
  readonly perWindow: number;
  readonly windowMs: number;
  readonly rounding: 'floor' | 'ceil';
}

/** At most `capacity + perMs · D` acceptances in any closed interval of D milliseconds. */
export interface LineEnvelope {
  readonly kind: 'line';
  readonly capacity: number;
  readonly perMs: number;
}

/** The most that a limiter may accept within a length of time. */
export type Envelope = StepEnvelope | LineEnvelope;

/** The most acceptances in a closed interval of `lengthMs`. */
export function mostAcceptancesWithin(envelope: Envelope, lengthMs: number): number {
  if (envelope.kind === 'line') return envelope.capacity + envelope.perMs * lengthMs;
  const windows = lengthMs / envelope.windowMs;
  const whole = envelope.rounding === 'floor' ? Math.floor(windows) : Math.ceil(windows);
  return envelope.base + envelope.perWindow * whole;
}

/** The uncertainty of the clocks of the trace. */
export interface Slack {
  readonly clockErrorRate: number;
  readonly quantumMs: number;
}

/** A set of certain acceptances that an envelope has no room for. Positions are those of the columns judged. */
export interface Excess {
  readonly first: number;
  readonly last: number;
  readonly accepted: number;
  readonly allowed: number;
  readonly lengthMs: number;
}
