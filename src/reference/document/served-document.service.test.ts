import SwaggerParser from '@apidevtools/swagger-parser';
import { expect, test } from '@playwright/test';
import { readBehaviour } from '../behaviour.js';
import { variantOptions } from '../variant-options.js';
import { randomFrom } from '../random.js';
import { servedDocument } from './served-document.js';

/** What swagger-parser, whose schema of OpenAPI 3.1 is of 2021, and Ajv alone refuse. */
const seldom = variantOptions.find((option) => option.name === 'document-details');

/** The ordinary service and others, each with every option turned at random. */
function variants(count: number): Record<string, string>[] {
  const random = randomFrom(7);
  const turned = Array.from({ length: count }, () =>
    Object.fromEntries(
      variantOptions.map((option) => [
        option.name,
        option === seldom
          ? option.default
          : (option.values[Math.floor(random() * option.values.length)] ?? option.default),
      ]),
    ),
  );
  return [{}, ...turned];
}

test('the document is valid OpenAPI under many options', async () => {
  test.setTimeout(120_000);
  for (const variant of [
    ...variants(3),
    ...variantOptions
      .filter((option) => option.name.startsWith('document-') && option !== seldom)
      .flatMap((option) => option.values.map((value) => ({ [option.name]: value }))),
  ]) {
    const document = JSON.parse(servedDocument(readBehaviour([], variant, 1), 'http://127.0.0.1:1')) as never;
    await expect(
      SwaggerParser.validate(document, { resolve: { external: false } }),
      JSON.stringify(variant),
    ).resolves.toBeTruthy();
  }
});
