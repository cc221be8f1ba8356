import { brief } from '../../visible.js';

/** Longer runs of backticks end no code span in cmark, so they are counted instead. */
const mostBackticks = 9;

/** The longest run of backticks in a text, in characters. */
function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

/** Any text as a code span on one line: in it nothing is markup, a link, an image or a mention. */
export function code(text: string, most = 300): string {
  const line = brief(text, most).replace(/`+/g, (run) =>
    run.length > mostBackticks ? `[${run.length} backticks]` : run,
  );
  const fence = '`'.repeat(longestRun(line) + 1);
  // One space on each side does not show.
  const space = line.trim() === '' || /^[` ]|[` ]$/.test(line) ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** One line as a code block. */
export function fenced(line: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(line) + 1));
  return [`${fence}${language}`, brief(line, 8_000), fence].join('\n');
}

/** Text of the suite as prose: nothing in it is markup, and an address or a mention becomes no link. */
export function prose(text: string, most = 300): string {
  return brief(text, most)
    .replace(/[\\`*_[\]~|#]|:(?=\/\/)|(?<=www)\./g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@&#8203;');
}
