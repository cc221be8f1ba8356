import { type Check, describe, type Match, placeOf } from '../run/index.js';
import type { Exchange } from '../http/index.js';
import type { Contract } from '../openapi/index.js';
import { fingerprintOf, mostFindings, type Row, row } from '../requirement/index.js';

/** What a rule judges: an exchange, or a part of one beside the exchange that shows it. */
export interface Subject {
  readonly exchange: Exchange;
}

/** Selects from all exchanges of the run so far; sends nothing. */
export type Selector<T extends Subject> = (check: Check) => Promise<readonly T[]>;

/** Selects the exchanges for which `isJudged` holds. */
export function exchanges(isJudged: (exchange: Exchange, check: Check) => boolean): Selector<Subject> {
  return async (check) =>
    (await check.run.exchanges()).filter((one) => isJudged(one, check)).map((exchange) => ({ exchange }));
}

/**
 * A rule, in words, over every exchange of the run so far, whichever check caused it: judges whatever `select` finds by `rule`. No other client may be able to explain a breach: a rule sees one answer, or only what all answers
 * together never show. Findings with the same fingerprint are reported once. Without any subject the requirement is not applicable for the
 * reason `unless`, if that is given.
 */
export function invariant<T extends Subject>(
  says: string,
  select: Selector<T>,
  rule: (subject: T, contract: Contract) => Match | readonly Match[],
  unless?: string,
): Row {
  return row(says, async (check) => {
    const found = new Set<string>();
    const { contract } = await check.contract();
    const subjects = await select(check);
    for (const subject of subjects)
      for (const { pass, soft, ...words } of [rule(subject, contract)].flat()) {
        if (pass) continue;
        const { exchange } = subject;
        const actual = `${describe(exchange)}: ${words.actual}`;
        const breach = { ...words, actual, exchanges: [exchange] };
        const place = placeOf({ ...breach, way: undefined }, (text) => text);
        const fingerprint = `${fingerprintOf(check.entry.id, { ...breach, place })} ${String(soft)}`;
        if (found.has(fingerprint)) continue;
        check[soft ? 'warn' : 'fail'](breach);
        if (found.add(fingerprint).size >= mostFindings) return;
      }
    if (subjects.length === 0 && unless !== undefined) check.notApplicable(unless);
  });
}
