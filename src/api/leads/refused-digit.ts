import { isRefusal, isSuccess } from '../../service/index.js';
import { sentLead } from './leads.js';
import { uniquePhone } from './phone-book.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { confirm, type LeadSession } from './lead-session.js';

/** The last two digits only: those before them may decide which exchange or area a number belongs to. */
const places = [1, 2];

/** Accepted phones of the same plan, without the digit, that a suspicion needs, and refused ones with it. */
const fewest = { accepted: 10, refused: 2 };

/** Fresh leads with the digit, and without it, that confirm a suspicion. */
const confirmations = 4;

/** Draws until a phone has the digit, or lacks it. */
const mostDraws = 2_000;

/** What phones of one plan have in common. */
const planOf = (phone: string): string => `${String(phone.length)} ${phone.slice(0, 2)}`;

/** Phones with a digit that some refused ones of this run have, and no accepted one of the same plan: one for each such digit and its place from the end. */
async function suspectedDigits(check: Check): Promise<readonly (readonly [phone: string, fromEnd: number])[]> {
  const exchanges = await check.run.exchanges();
  const phonesIn = (some: readonly Exchange[]): readonly string[] => [
    ...new Set(some.map((one) => String(sentLead(one)?.['phone'])).filter((phone) => /^\+\d{7,15}$/.test(phone))),
  ];
  const [accepted, refused] = [phonesIn(exchanges.filter(isSuccess)), phonesIn(exchanges.filter(isRefusal))];
  const found = new Map<string, readonly [string, number]>();
  for (const phone of refused)
    for (const fromEnd of places) {
      const has = (other: string): boolean => other.at(-fromEnd) === phone.at(-fromEnd);
      const [others, alike] = [accepted, refused].map((some) => some.filter((one) => planOf(one) === planOf(phone)));
      if (others === undefined || others.length < fewest.accepted || others.some(has)) continue;
      if ((alike ?? []).filter(has).length >= fewest.refused)
        found.set(`${planOf(phone)} ${String(fromEnd)} ${phone.at(-fromEnd) ?? ''}`, [phone, fromEnd]);
    }
  return [...found.values()];
}

/**
 * LEAD-03: no phone is refused because of one of its last digits. A service may refuse some phones, such as those in a register. But if
 * several fresh leads with the digit are all refused, and leads without it are accepted in between, the digit is the cause.
 */
export async function refuseNoDigit(check: Check, session: LeadSession): Promise<void> {
  for (const [like, fromEnd] of (await suspectedDigits(check)).slice(0, 4)) {
    const exchanges: Exchange[] = [];
    const post = async (isWith: boolean): Promise<Exchange> => {
      const lead = await session.fresh();
      let { phone } = lead;
      const isSo = (drawn: string): boolean =>
        planOf(drawn) === planOf(like) && (drawn.at(-fromEnd) === like.at(-fromEnd)) === isWith;
      for (let draws = 0; draws < mostDraws && !isSo(String(phone)); draws += 1)
        phone = await uniquePhone(check, session.form);
      exchanges.push(await session.post({ ...lead, phone }));
      return exchanges.at(-1) as Exchange;
    };
    const again = async (): Promise<Exchange | null> => {
      const exchange = await post(true);
      return isRefusal(exchange) ? exchange : null;
    };
    if ((await confirm(confirmations, again, () => post(false))) !== 'breach') continue;
    check.fail({
      code: 'digit-refused',
      expected: 'phones of one numbering plan and length to be accepted whatever their last digits are',
      actual: `${describe(exchanges[0] as Exchange)}: each of ${String(confirmations)} leads with ${like.at(-fromEnd) ?? ''} as the ${fromEnd === 1 ? 'last' : 'last but one'} digit of the phone was refused, and each of ${String(confirmations)} others was accepted in between`,
      exchanges,
    });
    return;
  }
}
