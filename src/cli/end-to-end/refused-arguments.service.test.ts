import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { writeKeyPair } from '../../certification/bundle/keys.js';
import { scratch } from '../../folder.test-kit.js';
import { runInProcess as run, runProcess } from '../run.test-kit.js';

const keys = scratch();
const signer = writeKeyPair(join(keys.folder, 'signer'));
test.afterAll(keys.remove);

/** What is wrong, the words of the command line, and what is said. */
const wrong: readonly (readonly [string, string, RegExp, NodeJS.ProcessEnv?])[] = [
  ['no command', '', /no command/],
  ['an unknown command', 'certfy', /"certfy" is no command \(did you mean certify\?\): expected one of/],
  ['a misspelt flag', 'gate --base-ulr x', /--base-ulr is no flag \(did you mean --base-url\?\): expected the flags/],
  ['an unknown flag', 'gate --bse-url x', /bse-url/],
  ['a flag of another command', 'load --only LIMIT-01', /--only is no flag: expected the flags/],
  ['one value given twice', 'gate --out a --out b', /^--out is given twice: expected it once\.$/m],
  ['a setting given twice', 'gate --tenant a --tenant=b', /^--tenant is given twice: expected it once\.$/m],
  ['an operand of sweep that is none', 'sweep all', /"all" is not understood after sweep: expected \[delete\]/],
  ['a registry that is not named', 'registry check .', /"check \." is not understood after registry: .*check DIR REF/],
  ['an unknown id', 'gate --only UNIT-99', /--only names "UNIT-99", which is none: expected ids or sections/],
  ['an empty selection', 'gate --only ,', /--only is ",": expected one or more, with commas/],
  ['a level that is none', 'gate --require Gold', /"Gold", which is none: .*Core, Demo, Limits, Webhooks/],
  ['an operand', 'gate UNIT-03', /--only UNIT-03/],
  ['a value for a flag that takes none', 'gate --read-only 1', /"1" is not understood .*--read-only, .* take no value/],
  ['a gate without BASE_URL', 'gate', /BASE_URL is missing or empty: .*--embedded/],
  ['a certification with an empty BASE_URL', 'certify', /BASE_URL is missing or empty/, { BASE_URL: '' }],
  ['limits under load without BASE_URL', 'load --scenario burst', /BASE_URL is missing or empty/],
  ['a soak without BASE_URL', 'load --scenario soak', /BASE_URL is missing or empty/],
  ['--embedded beside a BASE_URL', 'gate --embedded --base-url http://127.0.0.1:1', /--embedded is given and/],
  ['a setting that cannot be used', 'gate --base-url https://u:p@example.com', /without credentials/],
  ['a pinned contract that is missing', 'gate --embedded --contract nowhere.json', /CONTRACT names nowhere.json/],
  [
    'a bundle that cannot be written',
    `certify --embedded --bundle /dev/null/x.bundle --key ${signer.privateFile}`,
    /--bundle names \/dev\/null\/x\.bundle, which cannot be written/,
  ],
  ['an output folder that cannot be', 'gate --embedded --out /dev/null/x', /--out names/],
  ['an unknown fault', 'serve --fault gremlin', /--fault names "gremlin"/],
  ['an unknown fault before another', 'serve --fault gremlin --fault bare-401', /--fault names "gremlin"/],
  ['limits that cannot be read', 'serve --limits-demo x', /LIMITS_DEMO/],
  ['a host of another machine', 'serve --host 192.0.2.1', /--host 192.0.2.1 and --port 0 cannot be listened on/],
  ['an unknown option', 'serve --variant colour=red', /"colour=red", which is none: expected option=value/],
  ['a receiver that is no URL', 'serve --webhook localhost:8080', /--webhook is "localhost:8080": expected an http/],
  ['explain of an unknown id', 'explain UNIT-4', /^explain names "UNIT-4"/],
  [
    'a threshold the wrong way round',
    'load --embedded --scenario soak --threshold p95>200ms',
    /the threshold "p95>200ms" cannot be read: expected an upper bound/,
  ],
  ['explain without an id', 'explain', /Nothing is given after explain: expected ID/],
  ['an operand of load', 'load --scenario burst now', /"now" is not understood/],
  ['a replay without its requirement', 'rerun r --path 1', /--path belongs to --only: expected both/],
  ['a waiver without a reason', 'waive r --expires 2026-12-31', /waive needs --reason: expected it/],
  ['keys without a name', 'keygen', /keygen needs --out: expected it/],
  ['a bundle without a key', 'certify --bundle b', /--bundle belongs to --key: expected both/],
  ['a product without a bundle', 'certify --product p', /--product belongs to --bundle: expected both/],
  ['an empty text', 'keygen --out=', /--out is "": expected a text/],
  ['an empty text among others', 'verify b --key a --key=', /--key is "a,": expected a text/],
  ['a file that is no bundle', `verify ${signer.publicFile}`, / is no bundle: expected the file that certify/],
  ['a port that is none', 'serve --port 70000', /--port is "70000": expected a whole number from 0 to 65535/],
  ['a short nonce', 'certify --nonce short', /--nonce is "short": expected 8 to 128 letters/],
  ['no instance to judge', 'load judge', /"judge" is not understood/],
];

for (const [what, words, says, more] of wrong) {
  test(`${what} is refused in one sentence`, async () => {
    const { status, out, err } = await run(words.split(' ').filter(Boolean), more);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(says);
    expect(err).toMatch(/^[^\n]+\n$/);
  });
}

test('the process ends with the status, and with the sentence on stderr alone', async () => {
  for (const args of [[], ['gate']]) {
    const { status, out, err } = await runProcess(args, keys.folder);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(/^[^\n]+\n$/);
  }
});
