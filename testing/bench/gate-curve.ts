import { randomFrom } from '../../src/run/random.js';
import { faultCases } from '../mutation/cases.js';
import { judgeService } from '../mutation/judge-service.js';

/** The numbers of requests after which is counted. */
const marks = [100, 300, 600, 1_000, 1_500] as const;

/**
 * How many of some drawn faults a whole gate has shown after so many requests, in Markdown: a fault counts as shown with the last exchange
 * that the first failure of its own requirement quotes. One that quotes none is of the document,
 * which is read first. Faults that need a quarter of a minute or more of waiting are left out.
 */
export async function gateCurve(count: number, seed: number, say: (doing: string) => void): Promise<string[]> {
  const random = randomFrom(seed);
  const faults = faultCases('all').filter(({ waits, warns, options }) => options.depth === 'gate' && !waits && !warns);
  const shownAfter: number[] = [];
  const totals: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const [one] = faults.splice(Math.floor(random() * faults.length), 1);
    if (one === undefined) break;
    say(`fault ${at + 1} of ${count}: ${one.name}`);
    const { results, requests } = await judgeService(await one.start(), one.options);
    const own = results.find(({ id }) => id === one.requirement);
    const failures = own?.verdict === 'fail' || own?.verdict === 'warn' ? own.findings : [];
    const lastOf = ({ exchanges }: (typeof failures)[number]): number => Math.max(1, ...exchanges.map(Number));
    totals.push(requests);
    shownAfter.push(Math.min(Infinity, ...failures.map(lastOf)));
  }
  const most = Math.max(0, ...totals);
  const row = (requests: number): string =>
    `| ${requests.toLocaleString('en')} | ${shownAfter.filter((one) => one <= requests).length} of ${shownAfter.length} |`;
  return [
    `| requests of a gate | drawn faults shown (seed ${seed}) |`,
    '| --- | --- |',
    ...[...marks.filter((mark) => mark < most), most].map(row),
  ];
}
