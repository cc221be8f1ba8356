import { accessFaults } from './access-faults.js';
import { demoFaults } from './demo-faults.js';
import { documentFaults } from './document-faults.js';
import { envelopeFaults } from './envelope-faults.js';
import type { Fault } from './fault.js';
import { idempotencyFaults } from './idempotency-faults.js';
import { leadFaults } from './lead-faults.js';
import { limitFaults } from './limit-faults.js';
import { productFaults } from './product-faults.js';
import { unitFaults } from './unit-faults.js';
import { webhookFaults } from './webhook-faults.js';

/** Every fault: in the order of the sections, and then those of one operation in one place. */
export const faults: readonly Fault[] = [
  ...documentFaults,
  ...envelopeFaults,
  ...unitFaults,
  ...leadFaults,
  ...idempotencyFaults,
  ...demoFaults,
  ...webhookFaults,
  ...limitFaults,
  ...productFaults,
  ...accessFaults,
];
