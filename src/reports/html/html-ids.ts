import { html, type Markup, shown } from './html-markup.js';

/** Ids that are too long to be read in a sentence. */
const longId = /(?<![\w/-])((?=[\w-]*\d)[\w-]{24,})(?![\w/-])/;

/** The letter of each id, the same for the same one: A, B, … in the order of `text`, then as they are asked for. */
export function letters(text: string): (id: string) => string {
  const ids = text.split(longId).filter((_, at) => at % 2 === 1);
  return (id) => {
    if (!ids.includes(id)) ids.push(id);
    return String.fromCharCode(65 + ([...new Set(ids)].indexOf(id) % 26));
  };
}

/** As `shown`, with letters in the place of long ids; who copies or searches the text finds the ids. */
export function shownShort(text: string, most: number): Markup {
  const letterOf = letters(text);
  const parts = text
    .split(longId)
    .map((part, at) =>
      at % 2 === 1 ? html`<abbr title="${part}" data-letter="${letterOf(part)}">${part}</abbr>` : shown(part, most),
    );
  return html`${parts}`;
}
