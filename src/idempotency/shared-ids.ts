import type { Check } from '../run/index.js';
import { isSuccess, quote } from '../service/index.js';
import { identityOf } from './lead-answer.js';
import { type Entry, home, type Party, type RequestLog } from './request-log.js';

/**
 * Both tenants shown one id under one key, twice, where nothing else tells: no list, and no data in the answers. Ids alone prove nothing where
 * they may follow from the key or the content.
 */
export function judgeSharedIds(check: Check, { entries, traits, other, holds }: RequestLog): void {
  if (!holds || traits.pagesPerWalk > 0 || other === null) return;
  const made = entries.filter(({ body, exchange }) => body.route === 'leads' && isSuccess(exchange));
  const firstOf = (key: string, { name }: Party): Entry | undefined =>
    made.find((one) => one.key === key && one.party.name === name);
  const pairs = [...new Set(made.map(({ key }) => key))].flatMap((key) => {
    const [one, two] = [firstOf(key, home), firstOf(key, other)];
    const id = one === undefined ? null : identityOf(one.exchange);
    return one === undefined || two === undefined || id === null || id !== identityOf(two.exchange)
      ? []
      : [{ one, two, id }];
  });
  const isOfContent = ({ one, id }: (typeof pairs)[number]): boolean =>
    made.some(
      ({ key, body, exchange }) => key !== one.key && body.label === one.body.label && identityOf(exchange) === id,
    );
  const unlike = pairs.filter(({ one, two }) => one.body.label !== two.body.label);
  const shared = (unlike.length > 0 ? (traits.echoes ? [] : unlike) : pairs).filter(
    (pair) => pair.id.toLowerCase() !== pair.one.key && !isOfContent(pair),
  );
  const [pair] = shared;
  if (pair === undefined || shared.length < 2) return;
  check.fail({
    code: 'key-shared',
    expected: `a key that ${home.name} used to make ${other.name} its own lead`,
    actual: `both tenants were shown lead ${quote(pair.id)}, and another such pair`,
    exchanges: shared.flatMap(({ one, two }) => [one.exchange, two.exchange]),
  });
}
