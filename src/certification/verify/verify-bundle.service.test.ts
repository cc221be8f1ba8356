import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { loadPacks } from '../../packs.js';
import { fingerprint, parsePublicKey } from '../bundle/keys.js';
import { concludeVerification } from './conclusion.js';
import { describeVerification } from './describe-verification.js';
import { verifyBundle } from './verify-bundle.js';

/** The public half of a key that signed nothing else. */
const key = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA5bcA2Xc1AbIVbHO/mVPYagQpQ0m4LNF5P52dfJ5OTVg=
-----END PUBLIC KEY-----
`;

/**
 * Version 0.1.0 wrote this bundle before a bundle could name a product, a requirement set or a last day, and when its signature was named EdDSA:
 * `certify --seed 7 --requests 5 --only UNIT,PLAN,DEMO,DEAL,LEAD-01,IDEM-01 --allow-incomplete` of the reference service.
 */
const archive = readFileSync(new URL('recorded/before-products.bundle', import.meta.url));

test('a bundle of the format before products is still verified: its signature counts, its evidence gives its verdicts, and another build made it', async () => {
  const signer = parsePublicKey(Buffer.from(key), 'the key');
  const { requirements } = await loadPacks();
  const found = await verifyBundle(archive, { trusted: [signer], checks: requirements });
  expect(found.problems).toEqual([]);
  expect(found.signer).toBe(fingerprint(signer));
  expect(found.manifest).toMatchObject({ suite: { version: '0.1.0' }, standing: 'rehearsal' });
  expect(found.manifest).not.toHaveProperty('product');
  expect(found.today?.results).toHaveLength(25);
  const said = describeVerification(found, true);
  expect(said).toMatch(/^Made with {4}0\.1\.0.*; here it is another, with /m);
  expect(said).not.toContain('; today ');
  expect(said).toContain('this suite asks what that run did not');
  expect(concludeVerification(found).status).toBe(3);
});
