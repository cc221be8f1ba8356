import { randomFrom } from '../../src/run/random.js';
import { faultCases } from '../mutation/cases.js';
import { judgeService } from '../mutation/judge-service.js';

/** The numbers of requests after which is counted. */
const marks = [100, 300, 600, 1_000, 1_500] as const;

/** How many faults are shown after how many requests. */
export interface GateCurve {
  /** In Markdown. */
  readonly table: readonly string[];
  /** SVG. */
  readonly picture: string;
}

/**
 * How many of some drawn faults a whole gate has shown after so many requests: a fault counts as shown with the last exchange
 * that the first failure of its own requirement quotes. One that quotes none is of the document,
 * which is read first. Faults that need a quarter of a minute or more of waiting are left out.
 */
export async function gateCurve(count: number, seed: number, say: (doing: string) => void): Promise<GateCurve> {
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
  const shownBy = (requests: number): number => shownAfter.filter((one) => one <= requests).length;
  const row = (requests: number): string =>
    `| ${requests.toLocaleString('en')} | ${shownBy(requests)} of ${shownAfter.length} |`;
  return {
    table: [
      `| requests of a gate | drawn faults shown (seed ${seed}) |`,
      '| --- | --- |',
      ...[...marks.filter((mark) => mark < most), most].map(row),
    ],
    picture: drawCurve(shownBy, shownAfter.length, most),
  };
}

/** The curve from no request to the last one, in 200 steps, under axes with the marks. */
function drawCurve(shownBy: (requests: number) => number, count: number, most: number): string {
  const [width, height, left, top] = [600, 260, 50, 20];
  const xOf = (requests: number): string => (left + (requests / Math.max(1, most)) * width).toFixed(1);
  const yOf = (shown: number): string => (top + height - (shown / Math.max(1, count)) * height).toFixed(1);
  const points = Array.from({ length: 201 }, (_, at) => (at / 200) * most).map(
    (at) => `${xOf(at)},${yOf(shownBy(at))}`,
  );
  const below = top + height;
  const text = (x: string | number, y: string | number, anchor: string, words: string): string =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 330" font-family="sans-serif" font-size="12" role="img">`,
    '<title>Faults shown by a gate after a number of requests</title>',
    '<rect width="680" height="330" fill="#fff"/>',
    `<path d="M${left} ${top}V${below}H${left + width}" fill="none" stroke="#444"/>`,
    ...[0, 0.25, 0.5, 0.75, 1].map((part) => text(left - 6, Number(yOf(part * count)) + 4, 'end', `${part * 100} %`)),
    ...marks.filter((mark) => mark < most).map((mark) => text(xOf(mark), below + 18, 'middle', String(mark))),
    text(left + width / 2, below + 40, 'middle', 'requests'),
    `<polyline points="${points.join(' ')}" fill="none" stroke="#0b62c4" stroke-width="2"/>`,
    '</svg>\n',
  ].join('\n');
}
