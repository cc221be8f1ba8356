/** One file of an archive; names are relative and use forward slashes. */
export interface ArchiveFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Bytes of a header, and the unit of content. */
const block = 512;

/** The checksum of a header (POSIX ustar); its own eight bytes count as blanks. */
const checksumOf = (header: Buffer): number =>
  header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')} `;

/** A header of a plain file without times and owners. */
function headerOf({ name, bytes }: ArchiveFile): Buffer {
  const header = Buffer.alloc(block);
  // A name of more than 100 bytes is in two parts.
  const cut = name.length > 100 ? name.indexOf('/') : -1;
  for (const [at, text] of [
    [0, name.slice(cut + 1)],
    [100, octal(0o644, 6)],
    [108, octal(0, 6)],
    [116, octal(0, 6)],
    [124, octal(bytes.length, 11)],
    [136, octal(0, 11)],
    [156, '0'],
    [257, 'ustar\0' + '00'],
    [329, octal(0, 6)],
    [337, octal(0, 6)],
    [345, name.slice(0, Math.max(cut, 0))],
  ] as const)
    header.write(text, at, 'latin1');
  header.write(octal(checksumOf(header), 6), 148, 'latin1');
  return header;
}

/** Packs files as an uncompressed tar in the given order; equal files give equal bytes. The evidence in it is packed already. */
export function packArchive(files: readonly ArchiveFile[]): Buffer {
  const padding = ({ bytes }: ArchiveFile): Buffer => Buffer.alloc(-bytes.length & (block - 1));
  return Buffer.concat([
    ...files.flatMap((file) => [headerOf(file), file.bytes, padding(file)]),
    Buffer.alloc(2 * block),
  ]);
}

/** Far more than the segments of any run: each costs time, and none of them bytes. */
const mostFiles = 10_000;

const earlyEnd = 'it ends early, as an incomplete download does';

/** Takes an archive apart; throws where it is none, or no bundle could hold so many files. Nothing is written to disk. */
export function unpackArchive(archive: Buffer): ArchiveFile[] {
  const files: ArchiveFile[] = [];
  for (let at = 0; ;) {
    const header = archive.subarray(at, at + block);
    const isEmpty = header.every((byte) => byte === 0);
    if (header.length < block || (isEmpty && archive.length < at + 2 * block)) throw new Error(earlyEnd);
    if (isEmpty) return files;
    const textAt = (from: number, to: number): string => header.toString('latin1', from, to).split('\0', 1)[0] ?? '';
    const size = /^[0-7]+ ?$/.test(textAt(124, 136)) ? parseInt(textAt(124, 136), 8) : NaN;
    if (parseInt(textAt(148, 156), 8) !== checksumOf(header) || Number.isNaN(size))
      throw new Error(`the header of file ${files.length + 1} is wrong`);
    at += block + size;
    if (at > archive.length) throw new Error(earlyEnd);
    const name = [textAt(345, 500), textAt(0, 100)].filter(Boolean).join('/');
    files.push({ name, bytes: archive.subarray(at - size, at) });
    if (files.length > mostFiles) throw new Error(`it holds more than ${mostFiles} files`);
    at += -size & (block - 1);
  }
}
