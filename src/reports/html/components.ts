import { createHash } from 'node:crypto';
import { type Content, html, Markup, shown } from './html-markup.js';
import { pageStyle } from './html-style.js';

/** A page with a head; `tone`, a verdict or an outcome, decides its colour. */
export interface PageParts {
  readonly title: string;
  readonly tone: string;
  readonly kicker: Content;
  readonly heading: Content;
  /** Below the heading. */
  readonly lead: Content;
  readonly main: Content;
  /** Rules of this page alone. */
  readonly style?: string;
  /** Stand at the end of the body. */
  readonly scripts?: readonly string[];
}

const hash = (source: string): string => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;

/**
 * A self-contained page in the design of all pages, light or dark as its reader prefers; what the parts hold as text is escaped. Nothing may be
 * fetched, framed, submitted or run but its style and scripts.
 */
export function renderPage({ title, tone, kicker, heading, lead, main, style = '', scripts = [] }: PageParts): string {
  const allStyle = pageStyle + style;
  const runs =
    scripts.length === 0 ? '' : ` script-src ${scripts.map(hash).join(' ')}; require-trusted-types-for 'script';`;
  const policy = `default-src 'none'; style-src ${hash(allStyle)};${runs} base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(allStyle)}</style>
</head>
<body>
<header class="hero ${tone}"><div class="wrap"><p class="kicker">${kicker}</p><h1>${heading}</h1>${lead}</div></header>
<main>
${main}
</main>
${scripts.map((script) => html`<script>${new Markup(script)}</script>\n`)}</body>
</html>
`.source;
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
