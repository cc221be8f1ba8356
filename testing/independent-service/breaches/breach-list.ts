import { documentBreaches } from './document-breaches.js';
import { recordBreaches } from './record-breaches.js';
import { serviceBreaches } from './service-breaches.js';

/** Every breach. */
export const breachList = [...documentBreaches, ...recordBreaches, ...serviceBreaches];

export type BreachId = (typeof breachList)[number]['id'];
