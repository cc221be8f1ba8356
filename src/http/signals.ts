/** Thrown out of a check that cannot judge; the verdict is `blocked`, never a breach. */
export class BlockedSignal extends Error {
  override readonly name = 'BlockedSignal';
}

/** Thrown by a check of something that the target does not offer; `reason` names the setting that would enable it. */
export class NotApplicableSignal extends Error {
  override readonly name = 'NotApplicableSignal';
}
