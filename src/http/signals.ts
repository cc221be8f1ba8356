import { type Remedy, withRemedy } from '../settings/index.js';

/** Thrown out of a check that cannot judge; `remedy` would let it. */
export abstract class UnjudgedSignal extends Error {
  abstract readonly verdict: 'blocked' | 'not-applicable';
  readonly remedy: Remedy | undefined;

  /** The sentence: the reason, its remedy, and what follows that. */
  constructor(reason: string, remedy?: Remedy, rest?: string) {
    super(withRemedy(reason, remedy, rest));
    this.remedy = remedy;
  }
}

/** The verdict is `blocked`, never a breach. */
export class BlockedSignal extends UnjudgedSignal {
  override readonly name = 'BlockedSignal';
  readonly verdict = 'blocked';
}

/** The target does not offer it. */
export class NotApplicableSignal extends UnjudgedSignal {
  override readonly name = 'NotApplicableSignal';
  readonly verdict = 'not-applicable';
}
