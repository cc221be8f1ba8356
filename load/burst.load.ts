import { blockWhereWeak, nameOf, quoteRecord, reportBlames, triedLimits } from '../src/traffic/report-limits.js';
import { gatewayAnswers } from '../src/traffic/refusals.js';
import { requirement, test } from '../src/suite.js';

test(
  'what exceeds the burst limit is refused',
  requirement('LIMIT-02', 'MUST', '§8', { slow: true }),
  async ({ check }) => {
    const found = await triedLimits(check);
    for (const verdict of found.verdicts) {
      if (verdict.uncounted !== null)
        check.breach({
          expected: `${nameOf(verdict)}: one limit for all requests of a key`,
          actual: verdict.uncounted,
        });
    }
    await reportBlames(check, ['LIMIT-02']);
  },
);

test(
  'a refusal is a 429 with a failure envelope',
  requirement('LIMIT-04', 'MUST', '§7, §2 Envelope', { slow: true }),
  async ({ check }) => {
    const found = await triedLimits(check);
    let refusals = 0;
    for (const verdict of found.verdicts) {
      const refused = verdict.trace.conducted.records.filter((record) => record.outcome === 'refused');
      refusals += refused.length;
      for (const status of verdict.refusals.filter((one) => one !== 429)) {
        const so = refused.filter((record) => record.status === status);
        check.breach({
          expected: `${nameOf(verdict)}: 429 for what exceeds the limit`,
          actual: `${quoteRecord(verdict, so[0]?.index ?? -1)}; so were ${so.length - 1} more`,
        });
      }
      const other = verdict.trace.conducted.records.filter(
        (record) => record.asked === undefined && record.outcome === 'other' && (record.status ?? 0) >= 500,
      );
      if (other[0] !== undefined) {
        check.caution({
          expected: `${nameOf(verdict)}: 429 rather than a server error under load`,
          actual: `${quoteRecord(verdict, other[0].index)}; so were ${other.length - 1} more`,
        });
      }
      // The demo and the sandbox owe no envelope; with a key every failure has one, whatever its status. A gateway's own answers are not the service's.
      const { conducted, subject } = verdict.trace;
      const away = verdict.refusals.some((status) => status >= 500) ? [] : gatewayAnswers(conducted.records);
      const bare =
        subject.keyName === null
          ? []
          : conducted.records.filter(
              (record) => record.asked === undefined && record.hasEnvelope === false && !away.includes(record),
            );
      if (bare[0] !== undefined) {
        check.breach({
          expected: `${nameOf(verdict)}: {ok: false, error} in what is not accepted`,
          actual: `${quoteRecord(verdict, bare[0].index)} without it; so were ${bare.length - 1} more`,
        });
      }
    }
    blockWhereWeak(check, found);
    if (refusals === 0) return check.blocked('nothing was refused, however much was sent (see LIMIT-02)');
  },
);
