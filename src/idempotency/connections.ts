import { paths } from '../service/index.js';
import type { Check } from '../run/index.js';

/** Opens `count` connections in advance, so that no handshake delays one of the concurrent requests. */
export async function openConnections(check: Check, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => check.send({ path: paths.units, query: [['limit', '1']] })));
}
