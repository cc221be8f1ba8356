import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exchange } from '../../http/index.js';
import { createLineWriter } from './evidence-line.js';
import { pack, packedEnding } from './packing.js';

/** Names of segments: number, then a mark of the writing process; `.br` (`.gz` in earlier versions) once packed. */
export const segmentName = /^exchanges-(\d{5})-[0-9a-f]{8}\.ndjson(\.br|\.gz)?$/;

/** A segment is packed when it holds this many bytes. */
const segmentBytes = 4 * 1024 * 1024;

/** The files of a run's evidence in a folder, and nothing else. */
export function evidenceFiles(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir).filter(
    (name) => segmentName.test(name.replace(/\.part$/, '')) || /^(recorded-.+|run)\.json(\.part)?$/.test(name),
  );
}

/** Removes an earlier run's evidence from the folder, and nothing else. */
export function clearEvidence(dir: string): void {
  mkdirSync(dir, { recursive: true });
  for (const name of evidenceFiles(dir)) rmSync(join(dir, name));
}

/** A complete packed segment appears under its name or not at all, and only then does the plain one go. */
async function packSegment(plain: string): Promise<void> {
  const part = `${plain}${packedEnding}.part`;
  await writeFile(part, await pack(await readFile(plain)));
  await rename(part, `${plain}${packedEnding}`);
  await rm(plain);
}

/**
 * Streams exchanges to `dir` as NDJSON: the newest segment plain, so that even a killed process leaves what it recorded; full ones packed.
 * Adds to what is there, also beside another process.
 */
export function openEvidence(dir: string) {
  mkdirSync(dir, { recursive: true });
  const numbers = readdirSync(dir).map((name) => Number(segmentName.exec(name)?.[1] ?? 0));
  const mine = randomBytes(4).toString('hex');
  let number = Math.max(0, ...numbers);
  let segment: {
    readonly file: string;
    readonly fd: number;
    readonly write: (exchange: Exchange) => string;
    bytes: number;
  } | null = null;
  let packing: Promise<void> = Promise.resolve();
  let closed = false;

  function finish(): void {
    if (segment === null) return;
    const { file, fd } = segment;
    segment = null;
    closeSync(fd);
    packing = packing.then(() => packSegment(file));
    packing.catch(() => undefined);
  }

  return {
    /** Hands one exchange to the operating system before it returns; throws where the disk refuses it. */
    record(exchange: Exchange): void {
      if (closed) throw new Error('the evidence is closed; this exchange came too late to be recorded');
      if (segment === null) {
        number += 1;
        const file = join(dir, `exchanges-${String(number).padStart(5, '0')}-${mine}.ndjson`);
        segment = { file, fd: openSync(file, 'wx'), write: createLineWriter(), bytes: 0 };
      }
      const line = Buffer.from(segment.write(exchange));
      try {
        for (let at = 0; at < line.length;) at += writeSync(segment.fd, line, at);
      } catch (error) {
        // A half-written line would spoil the next one, and a body known to the writer only could not be referred to.
        ftruncateSync(segment.fd, segment.bytes);
        finish();
        throw error;
      }
      segment.bytes += line.length;
      if (segment.bytes >= segmentBytes) finish();
    },
    /** Packs what is left; further calls wait for the same end. */
    close(): Promise<void> {
      closed = true;
      finish();
      return packing;
    },
  };
}
