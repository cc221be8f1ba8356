import { type DocumentParts, renderDocument } from './html-document.js';
import { type Content, html, type Markup, shown } from './html-markup.js';
import { pageStyle } from './html-style.js';

/** A page with a head; `tone`, a verdict or an outcome, decides its colour. */
export interface PageParts extends Pick<DocumentParts, 'title' | 'scripts' | 'icon'> {
  readonly tone: string;
  readonly kicker: Content;
  readonly heading: Content;
  /** Below the heading. */
  readonly lead: Content;
  readonly main: Content;
  /** Rules of this page alone. */
  readonly style?: string;
}

/** A self-contained page in the design of all pages; what the parts hold as text is escaped. */
export function renderPage({ tone, kicker, heading, lead, main, style = '', ...parts }: PageParts): string {
  const head = html`<header class="hero ${tone}"><div class="wrap"><p class="kicker">${kicker}</p><h1>${heading}</h1>${lead}</div></header>`;
  return renderDocument({ ...parts, style: pageStyle + style, body: html`${head}\n<main>\n${main}\n</main>` });
}

/** Content as wide as text may be. */
export const wrap = (content: Content): Markup => html`<div class="wrap">${content}</div>`;

/** A block with a heading; `sum` stands beside that. */
export const blockMarkup = (id: string, title: Content, content: Content, sum = ''): Markup =>
  html`<section class="block" aria-labelledby="${id}"><h2 id="${id}">${title}${sum === '' ? null : html`<span class="sum">${sum}</span>`}</h2>
${content}</section>`;

export const badge = (tone: string, text: Content): Markup => html`<span class="badge ${tone}">${text}</span>`;

export const link = (address: string, text: Content): Markup => html`<a href="${address}">${text}</a>`;

/** Copies the code that it stands beside, in a `command`; the script for it shows it. */
export const copyButton = (what: string): Markup =>
  html`<button type="button" class="copy" hidden aria-label="Copy the ${what}">Copy</button>`;

/** A line to paste into a shell. */
export const command = (label: string, line: string): Markup =>
  html`<div class="command"><div class="bar"><span>${label}</span>${copyButton(label.toLowerCase())}</div><pre><code>${shown(line, 8_192)}</code></pre></div>`;

/** What a table shows of its items. */
export interface Table<T> {
  /** The cells of an item, by their headings; the first is the heading of the row. */
  readonly columns: Readonly<Record<string, (item: T) => Content>>;
  /** The columns of numbers and days. */
  readonly numbers?: readonly string[];
  /** Classes of a row. */
  readonly kindOf?: (item: T) => string;
  /** Stands beside the heading of its block. */
  readonly sum?: string;
}

/** A table; on a phone each row is a list. */
export function tableMarkup<T>(items: readonly T[], { columns, numbers = [], kindOf = () => '' }: Table<T>): Markup {
  const kind = (name: string): string => (numbers.includes(name) ? 'n' : '');
  const heads = Object.keys(columns).map((name) => html`<th scope="col" class="${kind(name)}">${name}</th>`);
  const row = (item: T): Markup[] =>
    Object.entries(columns).map(([name, cell], at) =>
      at === 0
        ? html`<th scope="row">${cell(item)}</th>`
        : html`<td class="${kind(name)}" data-label="${name}">${cell(item)}</td>`,
    );
  const rows = items.map((item) => html`<tr class="${kindOf(item)}">${row(item)}</tr>`);
  return html`<table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
}

/** A block with a table; nothing where there are no items. */
export const tableBlock = <T>(id: string, title: string, items: readonly T[], table: Table<T>): Markup | null =>
  items.length === 0
    ? null
    : blockMarkup(
        id,
        title,
        html`<div class="sheet scroll" tabindex="0">${tableMarkup(items, table)}</div>`,
        table.sum,
      );

/** Figures and other facts by their names; one that is null is left out. */
export const factsMarkup = (facts: readonly (readonly [string, Content])[]): Markup =>
  html`<dl class="sheet about">${facts.map(([name, value]) => (value === null ? null : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>`;
