import { asObject, isRefusal, isSuccess, paths } from '../../service/index.js';
import { uniquePhone } from './phone-book.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import type { LeadSession } from './lead-session.js';
import type { Lead } from '../../generators/index.js';

/** A digit at a place of phones, counted from their end. */
interface Digit {
  readonly fromEnd: number;
  readonly digit: string;
  /** Phones that agree in length and country. */
  readonly plan: string;
}

/** The last two digits only: those before them may decide which exchange or area a number belongs to. */
const places = [1, 2];

/** Accepted phones of the same plan, without the digit, that a suspicion needs, and refused ones with it. */
const fewest = { accepted: 10, refused: 2 };

/** Fresh leads with the digit, and without it, that confirm a suspicion. */
const confirmations = 4;

/** Draws until a phone has the digit, or lacks it. */
const mostDraws = 2_000;

const planOf = (phone: string): string => `${String(phone.length)} ${phone.slice(0, 2)}`;

const has = ({ fromEnd, digit }: Digit, phone: string): boolean => phone.at(-fromEnd) === digit;

/** Phones of the leads that the run has sent so far, by how they were answered. */
async function sentPhones(check: Check): Promise<Readonly<Record<'accepted' | 'refused', ReadonlySet<string>>>> {
  const sent = { accepted: new Set<string>(), refused: new Set<string>() };
  for (const exchange of await check.run.exchanges()) {
    const { method, path, body } = exchange.request;
    if (method !== 'POST' || path.split('?')[0] !== paths.leads || body === null || body.length > 4_096) continue;
    const phone = phoneIn(body);
    if (phone === null) continue;
    if (isSuccess(exchange)) sent.accepted.add(phone);
    else if (isRefusal(exchange)) sent.refused.add(phone);
  }
  return sent;
}

function phoneIn(body: Buffer): string | null {
  try {
    const phone = asObject(JSON.parse(body.toString('utf8')))?.['phone'];
    return typeof phone === 'string' && /^\+\d{7,15}$/.test(phone) ? phone : null;
  } catch {
    return null;
  }
}

/** Digits that some refused phones have, and no accepted one of the same plan. */
async function suspectedDigits(check: Check): Promise<readonly Digit[]> {
  const { accepted, refused } = await sentPhones(check);
  const found = new Map<string, Digit>();
  for (const phone of refused)
    for (const fromEnd of places) {
      const one: Digit = { fromEnd, digit: phone.at(-fromEnd) ?? '', plan: planOf(phone) };
      const others = [...accepted].filter((other) => planOf(other) === one.plan);
      const alike = [...refused].filter((other) => planOf(other) === one.plan && has(one, other));
      if (others.length < fewest.accepted || alike.length < fewest.refused) continue;
      if (!others.some((other) => has(one, other))) found.set(`${one.plan} ${String(fromEnd)} ${one.digit}`, one);
    }
  return [...found.values()];
}

/** A plain lead with a phone of the plan that has the digit, or lacks it; null where none is drawn. */
async function drawLead(check: Check, session: LeadSession, one: Digit, isWith: boolean): Promise<Lead | null> {
  const lead = await session.fresh();
  for (let draws = 0; draws < mostDraws; draws += 1) {
    const phone = await uniquePhone(check, session.form);
    if (planOf(phone) === one.plan && has(one, phone) === isWith) return { ...lead, phone };
  }
  return null;
}

/**
 * LEAD-03: no phone is refused because of one of its last digits. A service may refuse some phones, such as those in a register. But if
 * several fresh leads with the digit are all refused, and leads without it are accepted in between, the digit is the cause.
 */
export async function judgeRefusedDigits(check: Check, session: LeadSession): Promise<void> {
  for (const one of (await suspectedDigits(check)).slice(0, 4)) {
    const exchanges: Exchange[] = [];
    for (let round = 0; round < confirmations; round += 1) {
      const [refused, accepted] = [
        await drawLead(check, session, one, true),
        await drawLead(check, session, one, false),
      ];
      if (refused === null || accepted === null) break;
      const answers = [await session.post(refused), await session.post(accepted)] as const;
      if (!isRefusal(answers[0]) || !isSuccess(answers[1])) break;
      exchanges.push(...answers);
    }
    const [first] = exchanges;
    if (first === undefined || exchanges.length < 2 * confirmations) continue;
    check.fail({
      code: 'digit-refused',
      expected: 'phones of one numbering plan and length to be accepted whatever their last digits are',
      actual: `${describe(first)}: each of ${String(confirmations)} leads with ${one.digit} as the ${one.fromEnd === 1 ? 'last' : 'last but one'} digit of the phone was refused, and each of ${String(confirmations)} others was accepted in between`,
      exchanges,
    });
    return;
  }
}
