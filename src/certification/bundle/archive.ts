import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract, pack, type Headers } from 'tar-stream';

/** One file of an archive; names are relative and use forward slashes. */
export interface ArchiveFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Packs files as an uncompressed tar in the given order; equal files give equal bytes (no times, no owners). The evidence in it is packed already. */
export async function packArchive(files: readonly ArchiveFile[]): Promise<Buffer> {
  const stream = pack();
  const header = { mode: 0o644, uid: 0, gid: 0, mtime: new Date(0), type: 'file' } as const;
  for (const { name, bytes } of files) stream.entry({ ...header, name, size: bytes.length }, bytes);
  stream.finalize();
  return buffer(stream as AsyncIterable<Buffer>);
}

/** Far more than the segments of any run: each costs time, and none of them bytes. */
const mostFiles = 10_000;

/** Takes an archive apart; throws where it is none, or no bundle could hold so many files. Nothing is written to disk. */
export async function unpackArchive(archive: Buffer): Promise<ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  const stream = extract();
  // In pieces, so that a huge archive is not held twice by the stream.
  const pieces = Readable.from(piecesOf(archive));
  pieces.on('error', (error) => stream.destroy(error));
  pieces.pipe(stream);
  for await (const entry of stream as AsyncIterable<AsyncIterable<Buffer> & { readonly header: Headers }>) {
    files.push({ name: entry.header.name, bytes: await buffer(entry) });
    if (files.length > mostFiles) throw new Error(`it holds more than ${mostFiles} files`);
  }
  return files;
}

function* piecesOf(archive: Buffer): Generator<Buffer> {
  for (let at = 0; at < archive.length; at += 1 << 20) yield archive.subarray(at, at + (1 << 20));
}

/** The first difference of two archives, in words; null if they are equal. `files` are those of the second. */
export function firstDifference(found: Buffer, expected: Buffer, files: readonly ArchiveFile[]): string | null {
  if (found.equals(expected)) return null;
  const most = Math.min(found.length, expected.length);
  let at = 0;
  while (at < most && found[at] === expected[at]) at += 1;
  let from = 0;
  for (const { name, bytes } of files) {
    const end = from + 512 + Math.ceil(bytes.length / 512) * 512;
    if (at < end)
      return `byte ${at}, ${at < from + 512 ? `in the header of ${name}` : `beside the content of ${name}`}`;
    from = end;
  }
  return `byte ${at}, after the last file`;
}
