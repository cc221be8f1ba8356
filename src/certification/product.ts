import { readInput, SettingsError } from '../settings/index.js';
import { type Accepted, objectOf } from '../typed-schema.js';
import { mostWritten, parseYamlAs } from './schema-file.js';

const line = (maxLength: number) =>
  ({ type: 'string', minLength: 1, maxLength, pattern: '^[^\\p{C}]*\\S[^\\p{C}]*$' }) as const;
const page = { type: 'string', maxLength: 500, pattern: '^https?://[^\\s"\'<>]+$' } as const;

/** JSON Schema (2020-12) of `product.yaml`; the package carries it as `product.schema.json`. */
export const productSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:dealership-conformance:product:1',
  title: 'Product',
  description:
    'vendor, product, version, type (service, gateway or self-hosted), urls (product, api and, if there is one, documentation) and contact, and region and description if wanted',
  ...objectOf(
    {
      vendor: line(100),
      product: line(100),
      version: {
        description: 'A release, no branch.',
        type: 'string',
        maxLength: 50,
        pattern: '^v?[0-9][A-Za-z0-9.+_-]*$',
      },
      type: { enum: ['service', 'gateway', 'self-hosted'] },
      urls: {
        ...objectOf(
          {
            product: page,
            api: {
              description: 'The base URLs at which the product was judged.',
              ...{ type: 'array', minItems: 1, maxItems: 20, items: page },
            },
          },
          { documentation: page },
        ),
        additionalProperties: false,
      },
      contact: {
        description: 'A mail address or a page.',
        type: 'string',
        maxLength: 200,
        pattern: '^(https?://[^\\s"\'<>]+|[^\\s@"\'<>]+@[^\\s@"\'<>]+)$',
      },
    },
    { region: line(60), description: line(500) },
  ),
  additionalProperties: false,
};

/** What a bundle certifies, as `product.yaml` names it. */
export type Product = Accepted<typeof productSchema>;

/** Reads the text of a `product.yaml`; throws SettingsError. */
export const parseProduct = (text: string, shownName: string): Product => parseYamlAs(text, shownName, productSchema);

/** Reads a `product.yaml`; throws SettingsError. */
export function readProduct(file: string): { readonly product: Product; readonly bytes: Buffer } {
  const bytes = readInput({ file, expected: productSchema.description }, mostWritten);
  return { product: parseProduct(bytes.toString('utf8'), file), bytes };
}

/** `Acme Inc.` → `acme-inc`, `東京` → `u6771u4eac`: a letter that only looks like a Latin one gives another name. */
function slugOf(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\P{L}a-z]/gu, (letter) => `u${letter.codePointAt(0)?.toString(16) ?? ''}`);
  return letters.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

/** `v1/acme-inc/dealerhub/2.4.1`. Vendor and product stand apart, so that no vendor's folder can be another's. */
export function pathOf({ vendor, product, version }: Product): string {
  return `v1/${slugOf(vendor)}/${slugOf(product)}/${version}`;
}

/** Whether a product names this address as its own: the same origin. */
export function hasAddress({ urls }: Product, baseUrl: string): boolean {
  return urls.api.some((one) => URL.canParse(one) && new URL(one).origin === new URL(baseUrl).origin);
}

/** Throws SettingsError where a product does not name this address as its own. */
export function assertAddress(product: Product, baseUrl: string): void {
  if (!hasAddress(product, baseUrl))
    throw new SettingsError(
      `the product's /urls/api is ${product.urls.api.join(', ')}, and the run is against ${baseUrl}: expected that address among them.`,
    );
}
