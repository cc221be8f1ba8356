import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exchange } from '../../http/index.js';
import { errorCode } from '../../settings/index.js';
import { createLineReader } from './evidence-line.js';
import { segmentName } from './evidence-writer.js';
import { packedEnding, unpacked } from './packing.js';

/** The lines of a segment, or of the packed one that took its place since it was found. */
async function linesOf(dir: string, found: string): Promise<string[]> {
  const packed = `${found}${packedEnding}`;
  const [name, bytes] = await readFile(join(dir, found)).then(
    (whole) => [found, whole] as const,
    async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      return [packed, await readFile(join(dir, packed))] as const;
    },
  );
  return unpacked(name, bytes).toString('utf8').split('\n');
}

/** Segments in order. Where packing stopped before its last step, both files exist, and the packed one counts. */
async function segmentsOf(dir: string): Promise<string[]> {
  const names = (await readdir(dir)).filter((name) => segmentName.test(name));
  return names.filter((name) => !names.includes(`${name}${packedEnding}`)).sort();
}

/**
 * Every exchange recorded in `dir`, in order, bodies byte for byte. A last line that a crash cut is left out;
 * anything else that is no exchange throws, naming file and line.
 */
export async function* readEvidence(dir: string): AsyncGenerator<Exchange> {
  for (const name of await segmentsOf(dir)) {
    const read = createLineReader();
    const lines = await linesOf(dir, name);
    for (const [at, line] of lines.entries()) {
      const isLast = at === lines.length - 1;
      if (isLast && line === '') break;
      let exchange: Exchange;
      try {
        exchange = read(line);
      } catch (error) {
        if (isLast) break;
        throw new Error(`${name}, line ${at + 1}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
      yield exchange;
    }
  }
}
