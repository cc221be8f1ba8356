import { pathOf, type Product } from '../certification/index.js';

/** Files of a submission and their bounds, in bytes. */
export const submissionFiles: ReadonlyMap<string, number> = new Map([
  ['product.yaml', 256 * 1024],
  ['README.md', 256 * 1024],
  ['bundle.tar', 1 << 30],
]);

const slug = '[a-z0-9]+(?:-[a-z0-9]+)*';
const folder = new RegExp(`^(submissions/(v1/(${slug})/${slug}/v?[0-9][A-Za-z0-9.+_-]*))(?:/[^/]+)?$`);

/** A version of a product: `submissions/v1/acme/dealerhub/2.4.1`. */
export interface SubmissionFolder {
  readonly folder: string;
  /** The folder below `submissions`, which is also that of its pages. */
  readonly name: string;
  readonly vendor: string;
}

/** The submission that a folder, or a file directly in it, belongs to; null for any other path. */
export function submissionAt(path: string): SubmissionFolder | null {
  const [, found, name, vendor] = folder.exec(path) ?? [];
  return found === undefined || name === undefined || vendor === undefined ? null : { folder: found, name, vendor };
}

/** The folder in which a product belongs. */
export function folderOf(product: Product): string {
  return `submissions/${pathOf(product)}`;
}
