import { isSuccess } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { openLeadSession } from './lead-session.js';
import { modestSources, sourcesOf, visibleJson } from '../../generators/index.js';

/** LEAD-02: `source` may be left out, and may be given. Which values are allowed is only known where the document lists them. */
export async function judgeLeadSource(check: Check): Promise<void> {
  const session = await openLeadSession(check, { gate: 10, certify: 24 });
  const { schema, base } = session.form;
  const rest = Object.fromEntries(Object.entries(base).filter(([field]) => field !== 'source'));
  // A service may refuse a phone that it knows or does not want: only what is refused with three of them counts.
  const post = async (lead: Record<string, unknown>): Promise<Exchange> => {
    for (let tries = 1; ; tries += 1) {
      const exchange = await session.post(
        await session.withUniqueFields({ lead, field: 'source', label: 'source', strength: 'must' }),
      );
      if (isSuccess(exchange) || tries === 3) return exchange;
    }
  };
  const without = await post(rest);
  const bounds = schema.field('source');
  const listed = bounds.values !== null;
  const candidates = sourcesOf(session.form);
  const declaredAway = candidates.length === 0;
  const tried: { source: string; exchange: Exchange }[] = [];
  for (const source of declaredAway ? modestSources : candidates) {
    if (session.left < 2 || tried.length >= 40) break;
    const exchange = await post({ ...base, source });
    tried.push({ source, exchange });
    if (!listed && isSuccess(exchange)) break;
  }
  const refused = tried.filter((one) => !isSuccess(one.exchange));
  // A value that the document names is a valid source as long as a lead without it is still accepted.
  const isNamed = (source: string): boolean => listed || bounds.examples.includes(source);
  const isOpen = refused.some(({ source }) => isNamed(source)) && isSuccess(await post(rest));
  const taken = tried.length - refused.length;
  if (!isSuccess(without)) {
    if (taken === 0)
      return check.blocked(`no lead is accepted, with or without a source (see LEAD-01): ${describe(without)}`);
    check.fail({
      code: 'no-source-refused',
      expected: 'a lead without source to be accepted',
      actual: `${describe(without)}: ${visibleJson(without.response?.json, 160)}`,
      exchanges: [without],
    });
  }
  let holds = isSuccess(without);
  for (const { source, exchange } of refused) {
    const broken = (exchange.response?.status ?? 500) >= 500;
    const words = {
      code: isNamed(source) ? 'declared-source-refused' : 'source-broken',
      expected: isNamed(source)
        ? `the declared source ${visibleJson(source)} to be accepted`
        : `the source ${visibleJson(source)} to be accepted or refused with 4xx`,
      actual: `${describe(exchange)}: ${visibleJson(exchange.response?.json, 160)}`,
      exchanges: [exchange],
    };
    if (broken || (isNamed(source) && (listed || isOpen))) holds = check.fail(words);
  }
  if (!holds || listed || taken > 0 || refused.length === 0) return;
  const last = refused.at(-1)?.exchange;
  const words = {
    code: 'every-source-refused',
    expected: 'a lead with a source to be accepted',
    actual: `every one of ${refused.map((one) => one.source).join(', ')} was refused`,
    exchanges: last ? [last] : [],
  };
  // With no list declared, a service may have a list of its own that none of the usual words is on.
  // A declared source may follow a pattern that none of the usual words meets: that they are refused proves nothing.
  if (declaredAway && !schema.properties.has('source'))
    check.fail({ ...words, actual: `${words.actual}, and the declared schema allows no source` });
  else check.warn(words);
}
