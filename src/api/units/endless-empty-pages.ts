import type { Check } from '../../run/check.js';
import { walk } from './units.js';
import type { Walk, WalkOptions } from './units.js';

/** A few empty pages may stand for records that are gone; so many in a row are looked at again. */
const suspicious = 20;
/** Empty pages in a row after which nobody expects an end any more. */
const hopeless = 60;

/** How many empty pages in a row a walk was given at last, each with a cursor that leads on. */
function trailingEmptyPages(found: Walk): number {
  const from = found.pages.findLastIndex((page) => page.items?.length !== 0 || page.next === null);
  return found.pages.length - 1 - from;
}

/** A list whose last records are followed by empty pages without end, each with a cursor of its own. */
export async function judgeEndlessEmptyPages(check: Check, options: WalkOptions, found: Walk): Promise<void> {
  if (found.complete || trailingEmptyPages(found) < suspicious) return;
  const again = await walk(check, { ...options, limit: 50, maxPages: found.pages.length + hopeless });
  const tail = trailingEmptyPages(again);
  if (again.complete || tail < hopeless) return;
  check.fail({
    expected: 'following nextCursor to end',
    actual: `${tail} empty pages in a row, each with a cursor to the next, after ${again.items.length} records`,
    exchanges: again.pages.slice(-tail - 1, -tail + 3).map((page) => page.exchange),
  });
}
