import { paths } from '../api/paths.js';
import type { Check } from '../run/check.js';

/** Opens as many connections as will be raced on, so that no handshake spreads the arrivals. */
export async function openConnections(check: Check, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => check.send({ path: paths.units, query: [['limit', '1']] })));
}
