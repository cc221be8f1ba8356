import { type RawSettings, settingTable } from '../settings/index.js';

/** Whether at most `edits` lead from one name to the other: a character more, less or another, or two neighbours swapped. */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b) return true;
  if (edits === 0) return false;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const [x, y] = [a.slice(at), b.slice(at)];
  return (
    isNear(x.slice(1), y, edits - 1) ||
    isNear(x, y.slice(1), edits - 1) ||
    isNear(x.slice(1), y.slice(1), edits - 1) ||
    (x[0] === y[1] && x[1] === y[0] && isNear(x.slice(2), y.slice(2), edits - 1))
  );
}

/** The first of these names that a misspelt one may have meant: a very short name has no mistake, a short one has one, a longer one two. */
export const nearest = <T extends string>(given: string, names: readonly T[]): T | undefined =>
  names.find((name) => name === given) ??
  names.find((name) => isNear(given, name, name.length < 4 ? 0 : name.length < 8 ? 1 : 2));

/** A sentence for each line of `.env` that is neither NAME=value nor a comment, and so is not used. What it holds is not shown. */
export function strayLines(text: string): string[] {
  // A value in quotes may go over several lines.
  const lines = text
    .replace(/[=:][ \t]*('[^']*'|"[^"]*"|`[^`]*`)/g, (whole) => whole.replaceAll('\n', '\n#'))
    .split('\n');
  return lines.flatMap((line, at) =>
    /^\s*(#|$)|=|: /.test(line) ? [] : [`.env, line ${at + 1}: expected NAME=value, found no "="; it is not used.`],
  );
}

/** A sentence for each name in `.env` that is no setting, and for each in the environment that looks like a setting that is not set. */
export function misspeltSettings(
  settings: RawSettings,
  file: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
): string[] {
  const names = settingTable.map(({ name }) => name);
  const unset = names.filter((name) => settings[name] === undefined);
  const said = [...new Set([...Object.keys(file), ...Object.keys(environment)])]
    .filter((given) => !(names as readonly string[]).includes(given) && !given.startsWith('OTEL_'))
    // Other tools read FTP_PROXY and all_proxy.
    .filter((given) => given in file || !/_proxy$/i.test(given))
    .map((given) => {
      const name = nearest(given.toUpperCase(), unset);
      if (name !== undefined) return `${given}: did you mean ${name}?`;
      return given in file ? `${given} in .env is no setting of this suite and is not used.` : '';
    });
  return said.filter(Boolean);
}
