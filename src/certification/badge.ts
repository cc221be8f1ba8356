import { html, type Markup } from '../reports/index.js';
import { grantedText, type Statement } from './statement.js';

const colours = { granted: '#17693f', withheld: '#a81d15', rehearsal: '#6b7280' } as const;

/** Widths of the usual badge typeface (11 px Verdana and its like), close enough with `textLength`. */
function widthOf(text: string): number {
  return Math.round(
    Array.from(text).reduce(
      (sum, one) => sum + (/[ijl.,:|!'() ]/.test(one) ? 4 : /[mwMW@]/.test(one) ? 10 : /[A-Z]/.test(one) ? 7.6 : 6.6),
      0,
    ),
  );
}

/** A badge as SVG: what was granted, or that it is a rehearsal. It carries nothing from the target. */
export function renderBadge(statement: Pick<Statement, 'levels' | 'standing'>): string {
  const granted = grantedText(statement);
  if (statement.standing === 'rehearsal') return drawBadge('rehearsal: certifies nothing', 'rehearsal');
  return granted === '' ? drawBadge('no level granted', 'withheld') : drawBadge(granted, 'granted');
}

/** A badge whose right half says `right`. */
export function drawBadge(right: string, tone: keyof typeof colours): string {
  const parts = ['dealership API', right.replaceAll('·', '|')].map((text) => ({ text, width: widthOf(text) }));
  const [first, second] = parts as [(typeof parts)[number], (typeof parts)[number]];
  const at = first.width + 14;
  const whole = at + second.width + 14;
  const label = `${first.text}: ${second.text}`;
  const word = (x: number, { text, width }: typeof first): Markup =>
    html`<text x="${x}" y="14" textLength="${width}" lengthAdjust="spacingAndGlyphs">${text}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${whole}" height="20" viewBox="0 0 ${whole} 20" role="img" aria-label="${label}">
<title>${label}</title>
<rect width="${whole}" height="20" rx="3" fill="#32363d"/><path d="M${at} 0h${second.width + 11}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${second.width + 11}z" fill="${colours[tone]}"/>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">${word(7, first)}${word(at + 7, second)}</g>
</svg>
`.source;
}
