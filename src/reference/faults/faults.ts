import { authenticationFaults } from './authentication-faults.js';
import { dealFaults, demoFaults } from './deal-faults.js';
import { documentFaults } from './document-faults.js';
import { envelopeFaults } from './envelope-faults.js';
import type { Fault } from './fault.js';
import { idempotencyFaults } from './idempotency-faults.js';
import { leadFaults } from './lead-faults.js';
import { limitFaults, versionFaults } from './limit-faults.js';
import { unitFaults } from './unit-faults.js';
import { webhookFaults } from './webhook-faults.js';

const all = [
  ...documentFaults,
  ...envelopeFaults,
  ...unitFaults,
  ...leadFaults,
  ...idempotencyFaults,
  ...dealFaults,
  ...demoFaults,
  ...authenticationFaults,
  ...webhookFaults,
  ...limitFaults,
  ...versionFaults,
] as const;

/** The id of a fault that the service knows. */
export type FaultId = (typeof all)[number]['id'];

/** Every fault, in the order of the requirements. */
export const faults: readonly Fault<FaultId>[] = all;
