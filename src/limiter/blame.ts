import type { Contradiction } from './contradiction.js';
import type { ReadingVerdict } from './judge-trace.js';

/** One requirement that a trace breaks. */
export interface Blame {
  readonly id: 'LIMIT-01' | 'LIMIT-02' | 'LIMIT-03';
  readonly expected: string;
  readonly actual: string;
  /** The same for the vendor, without the trace. */
  readonly plain?: string;
  /** The `index` of the records concerned. */
  readonly records: readonly number[];
}

type BlameId = Blame['id'];

const expectations: Readonly<Record<BlameId, string>> = {
  'LIMIT-01': 'nothing within the limits is refused',
  'LIMIT-02': 'what exceeds the burst limit is refused',
  'LIMIT-03': 'what exceeds the sustained limit is refused',
};

/**
 * Turns the contradictions of readings, none of which explains the trace, into the requirements broken. The reading that is wrong about
 * the fewest requirements is taken to be meant, but for those that would be wrong whatever the numbers were; among equals, one whose
 * limit is exceeded rather than one that refuses too much, as a missing limit looks to other readings like refusals without reason. But
 * where windows explain all that was let in, a limit exceeded under some other reading is none, unless that is a log, which explains
 * every refusal and lets in too much. Where nothing at all was refused there is no reading to prefer, and every limit exceeded is named.
 */
export function blame(readings: readonly ReadingVerdict[], anyRefused: boolean): readonly Blame[] {
  const meant = readings.filter((reading) => !reading.contradictions.some((one) => one.whateverNumbers));
  const suspects = (meant.length > 0 ? meant : readings).map((reading) => ({ reading, ids: idsOf(reading) }));
  const weight = (ids: readonly BlameId[]): number => 2 * ids.length + (ids.includes('LIMIT-01') ? 1 : 0);
  const windowed = suspects.filter(({ reading }) => reading.name === 'fixed' || reading.name === 'mixed');
  const onlyTooStrict = windowed.every(({ ids }) => ids.length === 1 && ids[0] === 'LIMIT-01');
  const [nearest] = [...suspects].sort((a, b) => weight(a.ids) - weight(b.ids));
  const logged = suspects.find(
    ({ reading, ids }) => reading.name === 'sliding' && ids.length === 1 && ids[0] !== 'LIMIT-01',
  );
  const best = (onlyTooStrict ? (logged ?? windowed[0]) : undefined) ?? nearest;
  if (best === undefined) return [];
  const ids = anyRefused ? best.ids : [...new Set(suspects.flatMap((suspect) => suspect.ids))].sort();
  return ids.flatMap((id) => {
    const preferred = [best, ...suspects].map((suspect) => contradictionFor(suspect.reading, id));
    const found = preferred.find((each) => each !== undefined);
    if (found === undefined) return [];
    const plain = found.plain === undefined ? {} : { plain: found.plain };
    return [{ id, expected: expectations[id], actual: found.sentence, ...plain, records: found.records }];
  });
}

function contradictionFor(reading: ReadingVerdict, id: BlameId): Contradiction | undefined {
  return reading.contradictions.find((contradiction) => idOf(contradiction) === id);
}

function idOf(contradiction: Contradiction): BlameId {
  if (contradiction.part === 'refusal') return 'LIMIT-01';
  return contradiction.part === 'sustained' ? 'LIMIT-03' : 'LIMIT-02';
}

function idsOf(reading: ReadingVerdict): BlameId[] {
  return [...new Set(reading.contradictions.map(idOf))].sort();
}
