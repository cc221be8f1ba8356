import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exchange } from '../../http/index.js';
import { createLineReader } from './evidence-line.js';
import { segmentName } from './evidence-writer.js';
import { packedEnding, unpacker } from './packing.js';

const newline = 0x0a;

function cutShort(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
}

/** Opens a segment; a plain one that was packed since it was found, under its packed name. */
async function openSegment(found: string): Promise<[string, FileHandle]> {
  try {
    return [found, await open(found)];
  } catch (error) {
    const packed = `${found}${packedEnding}`;
    if (!isGone(error) || unpacker(found) !== null) throw error;
    return [packed, await open(packed)];
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The bytes of a segment; a packed one that was cut gives what it still holds. */
async function* bytesOf(found: string): AsyncGenerator<Buffer> {
  const [file, handle] = await openSegment(found);
  const source = handle.createReadStream();
  const unpacked = unpacker(file);
  if (unpacked === null) {
    yield* source as AsyncIterable<Buffer>;
    return;
  }
  source.on('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    yield* unpacked as AsyncIterable<Buffer>;
  } catch (error) {
    if (!cutShort(error)) throw error;
  } finally {
    source.destroy();
  }
}

/** Lines with their number and whether they were ended; split at line feeds only (JSON text may hold U+2028). */
async function* linesOf(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ line: string; number: number; ended: boolean }> {
  let held: Buffer[] = [];
  let number = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      number += 1;
      yield { line: Buffer.concat([...held, chunk.subarray(from, at)]).toString(), number, ended: true };
      held = [];
      from = at + 1;
    }
    if (from < chunk.length) held.push(chunk.subarray(from));
  }
  if (held.length > 0) yield { line: Buffer.concat(held).toString(), number: number + 1, ended: false };
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
    for await (const { line, number, ended } of linesOf(bytesOf(join(dir, name)))) {
      let exchange: Exchange;
      try {
        exchange = read(line);
      } catch (error) {
        if (!ended) break;
        throw new Error(`${name}, line ${number}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
      yield exchange;
    }
  }
}
