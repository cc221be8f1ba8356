/** Thrown out of a check that cannot judge; the verdict is `blocked`, never a breach. */
export class BlockedSignal extends Error {
  override readonly name = 'BlockedSignal';
}

/** Thrown out of a check whose subject the target never offered; `reason` names what would enable it. */
export class NotApplicableSignal extends Error {
  override readonly name = 'NotApplicableSignal';
}
