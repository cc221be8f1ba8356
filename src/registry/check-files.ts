import { parseProduct, type Product } from '../certification/index.js';
import { SettingsError } from '../settings/index.js';
import { folderOf, submissionAt, submissionFiles, type SubmissionFolder } from './layout.js';
import type { Repository, TreeFile } from './repository.js';
import type { Row } from './rows.js';

/** A submission whose files have the right names, kinds and sizes. */
export interface Submission extends SubmissionFolder {
  readonly product: Product;
  readonly bundle: TreeFile;
}

/** Finds out which submission the changes are, and judges its files. `submission` is null where nothing more can be judged. */
export function checkFiles(
  repository: Repository,
  base: string,
  head: string,
): { readonly rows: readonly Row[]; readonly submission: Submission | null } {
  const changed = repository.changes(base, head);
  const folders = [...new Set(changed.flatMap((path) => submissionAt(path)?.folder ?? []))];
  const others = changed.filter((path) => submissionAt(path) === null);
  const rows: Row[] = [
    {
      what: 'one submission',
      ok: folders.length === 1,
      expected: 'changes in one folder submissions/v1/VENDOR/PRODUCT/VERSION',
      seen: folders.join(', ') || 'no such folder is changed',
      fix:
        folders.length === 0
          ? 'Commit the files of a submission into such a folder; what is not committed does not count.'
          : 'Make one pull request for each version of a product.',
    },
    {
      what: 'nothing else',
      ok: others.length === 0,
      expected: 'no change outside of it: the certifier alone changes keys, policy and workflows',
      seen: others.join(', ') || 'no other change',
      fix: 'Take these files out of this pull request.',
    },
  ];
  const at = folders.length === 1 ? submissionAt(folders[0] ?? '') : null;
  if (at === null) return { rows, submission: null };
  const files = repository.filesIn(head, at.folder);
  const faults = faultsOf(files, at.folder);
  rows.push({
    what: 'files',
    ok: faults.length === 0,
    expected: 'plain files README.md, product.yaml and bundle.tar (at most 1 GiB)',
    seen: faults.join('; ') || files.map(({ path }) => path.slice(at.folder.length + 1)).join(', '),
    fix: 'Put these files into the folder, and no others.',
  });
  return faults.length > 0 ? { rows, submission: null } : readFiles(repository, at, files, rows);
}

function faultsOf(files: readonly TreeFile[], folder: string): string[] {
  const named = files.map((file) => ({ ...file, name: file.path.slice(folder.length + 1) }));
  const missing = ['README.md', 'product.yaml', 'bundle.tar'].filter((one) => !named.some(({ name }) => name === one));
  return [
    ...missing.map((name) => `${name} is missing`),
    ...named.flatMap(({ name, kind, bytes }) => {
      const most = submissionFiles.get(name);
      if (most === undefined) return [`${name} does not belong here`];
      if (kind !== 'file') return [`${name} is a ${kind}`];
      return (bytes ?? Infinity) > most ? [`${name} has ${(bytes ?? 0).toLocaleString('en')} bytes`] : [];
    }),
  ];
}

/** The value, or the sentence of the SettingsError. */
function attempt<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
}

function readFiles(
  repository: Repository,
  at: SubmissionFolder,
  files: readonly TreeFile[],
  rows: Row[],
): ReturnType<typeof checkFiles> {
  const file = (name: string): TreeFile | undefined => files.find(({ path }) => path === `${at.folder}/${name}`);
  const yaml = file('product.yaml');
  const text = yaml === undefined ? '' : repository.read(yaml).toString('utf8');
  const product = attempt(() => parseProduct(text, 'product.yaml'));
  rows.push({
    what: 'schema',
    ok: typeof product !== 'string',
    expected: 'product.yaml as product.schema.json describes it',
    seen: typeof product === 'string' ? product : 'as described',
    fix: 'Correct the file.',
  });
  const bundle = file('bundle.tar');
  if (typeof product === 'string' || bundle === undefined) return { rows, submission: null };
  const due = folderOf(product);
  rows.push({
    what: 'folder',
    ok: due === at.folder,
    expected: `the folder of the product that product.yaml names: ${due}`,
    seen: at.folder,
    fix: 'Move the folder, or correct vendor, product and version in product.yaml.',
  });
  return { rows, submission: due === at.folder ? { ...at, product, bundle } : null };
}
