import { randomFrom, seedFor } from '../run/random.js';
import { isSuccess } from '../api/envelope.js';
import { quote } from '../api/json.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { freshBody } from './lead-body.js';
import { identityOf } from './lead-answer.js';
import { openLedger, subject } from './subject.js';
import { allowance } from './spending.js';

/** Places in a UUID where one character can change and leave a version 4 UUID: all but the hyphens and the version. */
const places = Array.from({ length: 36 }, (_, at) => at).filter((at) => ![8, 13, 14, 18, 23].includes(at));

/** Places that each tell a different way of cutting a key short, most telling first. */
const telling = [35, 9, 0, 7, 20, 19, 24, 12, 31, 17, 15];

/** The key with one character changed at `place`, still a version 4 UUID. */
export function changedAt(key: string, place: number, pick: number): string {
  const alphabet = place === 19 ? '89ab' : '0123456789abcdef';
  const others = [...alphabet].filter((one) => one !== key[place]);
  return key.slice(0, place) + (others[Math.floor(pick * others.length)] ?? '0') + key.slice(place + 1);
}

/** Creates leads under keys that differ in one character: each makes its own. */
export async function judgeNearKeys(check: Check): Promise<void> {
  const known = await subject(check);
  if (known.sameId !== null) {
    check.breach({ expected: 'two leads with different keys and bodies to be two leads', actual: `both were shown as lead ${quote(known.sameId.id)}`, exchanges: known.sameId.exchanges });
    return;
  }
  const { ledger } = await openLedger(check);
  const random = randomFrom(seedFor(check.run.seed, 'near keys'));
  const base = check.fresh('base key');
  const body = await freshBody(check, 'the lead of the base key');
  const first = await ledger.settle(base, body);
  if (!isSuccess(first)) check.blocked(`the first lead could not be created: ${describe(first)}`);
  const order = [...telling, ...places.filter((place) => !telling.includes(place))].slice(0, allowance(check).nearKeys);
  for (const place of order) {
    const key = changedAt(base, place, random());
    const own = await freshBody(check, `the lead of the key changed at ${place + 1}`);
    const answer = await ledger.settle(key, own);
    const expected = `a key that differs from a used one only in character ${place + 1} to make its own lead`;
    if (!isSuccess(answer)) {
      // Only where an ordinary create still works is the key to blame.
      const control = await ledger.settle(check.fresh('control key'), await freshBody(check, `a control lead ${place + 1}`));
      if (!isSuccess(control)) check.blocked(`creates stopped working: ${describe(control)}`);
      check.breach({ expected, actual: `${describe(answer)}: ${quote(answer.response?.json)}`, exchanges: [first, answer] });
      return;
    }
    if (!ledger.judge(expected)) return;
  }
  ledger.judge('every key to show its own lead', {});
  check.observe('In how many places of the key was one character changed?', `${order.length} of ${places.length}`);
  const twin = await ledger.settle(check.fresh('twin key'), body);
  const [one, two] = [identityOf(first), identityOf(twin)];
  if (known.shows === 'id' && one !== null && one === two) {
    check.caution({ expected: 'different keys with equal bodies to make different leads', actual: `both show lead ${quote(one)}`, exchanges: [first, twin] });
  }
  if (known.shows === 'no id' && !known.echoes) check.blocked('it cannot be observed: the answers show nothing of the lead');
}
