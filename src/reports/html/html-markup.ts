import { clip, spelled, unseen } from '../../visible.js';

/** Finished HTML; only `html` makes it, so whatever else is put into a page is escaped. */
export class Markup {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** A value in a template: text and numbers are escaped, markup is inserted unchanged, nothing is dropped. */
export type Content = string | number | Markup | null | readonly Content[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Text with what HTML and XML reserve written as references. */
export function escape(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] ?? '');
}

function render(content: Content): string {
  if (content === null) return '';
  if (content instanceof Markup) return content.source;
  if (typeof content === 'object') return content.map(render).join('');
  return escape(String(content).replace(unseen, spelled));
}

/** A template whose values are escaped for elements and quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(strings.reduce((out, part, index) => out + render(values[index - 1] ?? null) + part));
}

/** Text for an element, clipped visibly, with everything unseen written out and marked; `lines` keeps line feeds and tabs. */
export function shown(text: string, most: number, lines = false): Markup {
  const cut = clip(text, most);
  const parts: Content[] = [];
  let from = 0;
  for (const { index, 0: character } of cut.text.matchAll(unseen)) {
    if (lines && (character === '\n' || character === '\t')) continue;
    parts.push(cut.text.slice(from, index), html`<span class="unseen">${spelled(character)}</span>`);
    from = index + character.length;
  }
  parts.push(cut.text.slice(from));
  const out = parts.map((part) => (typeof part === 'string' ? escape(part) : render(part))).join('');
  return new Markup(
    cut.left === 0 ? out : `${out}<span class="cut">… ${cut.left.toLocaleString('en')} more characters</span>`,
  );
}
