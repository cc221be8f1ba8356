import type { Check } from '../../run/index.js';
import { walk, type Walk, type WalkOptions } from '../../service/index.js';

/** A few empty pages may come from deleted records; this many in a row are read again. */
const suspicious = 20;
/** This many empty pages in a row are reported as an endless list. */
const hopeless = 60;

/** The number of empty pages at the end of a walk that each have a next cursor. */
function trailingEmptyPages(found: Walk): number {
  const from = found.pages.findLastIndex((page) => page.items?.length !== 0 || page.next === null);
  return found.pages.length - 1 - from;
}

/** A list whose last records are followed by empty pages without end, each with a cursor of its own; returns whether it ends. */
export async function judgeEndlessEmptyPages(check: Check, options: WalkOptions, found: Walk): Promise<boolean> {
  if (found.complete || trailingEmptyPages(found) < suspicious) return true;
  const again = await walk(check, { ...options, limit: 50, maxPages: found.pages.length + hopeless });
  const tail = trailingEmptyPages(again);
  if (again.complete || tail < hopeless) return true;
  return check.fail({
    code: 'endless',
    expected: 'following nextCursor to end',
    actual: `${tail} empty pages in a row, each with a cursor to the next, after ${again.items.length} records`,
    exchanges: again.pages.slice(-tail - 1, -tail + 3).map((page) => page.exchange),
  });
}
