import type { Check } from '../../run/index.js';
import { type Exchange, ownWords } from '../../http/index.js';
import { type KeyName, toSet } from '../../settings/index.js';
import { liveOperations, type ScopedOperation } from '../operations.js';

/** Why a key seems to be a wrong setting: each of these operations, the live ones unless said, answers it 401, in the words that a key that nobody has gets. Null where not. */
export function whyUnknown(
  check: Check,
  name: KeyName,
  operations?: readonly ScopedOperation[],
): Promise<string | null> {
  return check.once(`why ${name} is unknown`, async () => {
    const unknown = { name: 'an unknown key', authorization: `Bearer ${check.fresh('unknown key')}` };
    let words = '';
    for (const operation of operations ?? (await liveOperations(check))) {
      const own = await operation.attempt({ as: name });
      words = ownWords(own);
      if (own.response?.status !== 401 || ownWords(await operation.attempt({ as: unknown })) !== words) return null;
    }
    return `the service does not know ${name}: it answers "${words}" to every operation, as to a key that nobody has`;
  });
}

/** Blocks a check that judges by keys that the service does not know. */
export async function blockUnknown(check: Check, names: readonly KeyName[]): Promise<void> {
  const reasons = await Promise.all(names.map((name) => whyUnknown(check, name)));
  if (names.length > 0) check.blocked(reasons.join('; '), toSet(...names), ' to a key of this service and tenant');
}

/** Blocks a check of two tenants where the answer refuses the second key, for one reason whatever was asked. */
export function blockRefusedKey(check: Check, exchange: Exchange): void {
  if (![401, 403].includes(exchange.response?.status ?? 0)) return;
  const { otherTenant } = check.target;
  check.blocked(
    `OTHER_API_KEY${otherTenant === null ? '' : ' with OTHER_TENANT'} is refused with "${ownWords(exchange)}": is it a full-access key of this service${otherTenant === null ? '' : ' and of that tenant'}?`,
  );
}
