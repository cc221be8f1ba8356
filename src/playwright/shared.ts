import { randomBytes } from 'node:crypto';

/** Settles seed and nonce in the environment, which workers inherit; called once, where the configuration is read. */
export function settleSharedValues(): void {
  process.env['DEALERSHIP_CONFORMANCE_NONCE'] ??= randomBytes(12).toString('hex');
  process.env['DEALERSHIP_CONFORMANCE_SEED'] ??= String(randomBytes(4).readUInt32BE(0));
}

/** The nonce of this Playwright run. */
export function sharedNonce(): string {
  return process.env['DEALERSHIP_CONFORMANCE_NONCE'] ?? randomBytes(12).toString('hex');
}

/** The seed of this Playwright run, where SEED sets none. */
export function sharedSeed(): number {
  return Number(process.env['DEALERSHIP_CONFORMANCE_SEED'] ?? 0);
}

/** Where reports go under Playwright. */
export function outFolder(): string {
  return process.env['DEALERSHIP_CONFORMANCE_OUT'] ?? 'reports';
}
