import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

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

/** Why the envelope cannot be judged as a whole where Playwright splits a run, or null; each part sees its own answers. */
export function splitReason(config: { readonly shard: { readonly total: number } | null }): string | null {
  if ((config.shard?.total ?? 1) === 1) return null;
  return 'the envelope is judged over every answer of a run, and this run is split over shards: run ENV without --shard';
}

/** The name of the attachment that carries a test's verdict to the reporter. */
export const resultAttachment = 'conformance-result';

/** The output folder under Playwright. */
export function outFolder(): string {
  return process.env['DEALERSHIP_CONFORMANCE_OUT'] ?? 'reports';
}

/** The rooms of the suite, where what a requirement states is carried out. */
const rooms = fileURLToPath(new URL('..', import.meta.url));

/** A stack that begins where the requirement states what it expects, in its body or its row, so that Playwright shows that line. */
export function fromRequirement(message: string, stack: string, inside = rooms): string {
  const frames = stack.split('\n').filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line));
  const stated = frames.findIndex(
    (line) => ![inside, '(node:', '/node_modules/playwright'].some((one) => line.includes(one)),
  );
  return [`Error: ${message}`, ...frames.slice(Math.max(0, stated))].join('\n');
}
