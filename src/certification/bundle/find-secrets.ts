import { createRedactor } from '../../http/redactor.js';
import { unpacked } from '../../reports/evidence/packing.js';
import { secretsIn } from '../../settings/secrets-in.js';
import type { RawSettings } from '../../settings/setting-table.js';
import type { ArchiveFile } from './archive.js';

const shortest = 8;

/** Lists the configured secrets found in files, in any usual encoding, and those too short to distinguish from ordinary text; one sentence each. */
export function findSecrets(files: readonly ArchiveFile[], settings: RawSettings): string[] {
  const set = secretsIn(settings);
  const said = set
    .filter(([, value]) => value.length < shortest)
    .map(([name]) => `${name} is shorter than ${shortest} characters, so it cannot be kept out of what is written`);
  for (const [name, value] of set) {
    if (value.length < shortest) continue;
    const redactor = createRedactor();
    redactor.add(name, value);
    for (const file of files) {
      const bytes = unpacked(file.name, file.bytes);
      if (!redactor.bytes(bytes).equals(bytes)) said.push(`the value of ${name} is in ${file.name}`);
    }
  }
  return said;
}
