import { flagOf, settingTable } from '../target/setting-table.js';

/** What `--help` prints. */
export function help(): string {
  const settings = settingTable.map(({ name, about }) => `  ${flagOf(name).padEnd(28)} ${about}`);
  return [
    "dealership-conformance: says whether a service really is the dealership platform's public API.",
    '',
    'Commands',
    '  certify         judges everything: specification, properties, limits, webhooks',
    '  gate            judges what needs no waiting for limit windows; for CI',
    '  load            load scenarios and nightly runs: --plan, --scenario, --rate, --duration',
    '  serve           runs the reference service: --port N, --fault ID[,ID], --variant dial=value[,…], --list',
    '  list            prints the requirements: --json',
    '  explain ID      prints one requirement, its source and the faults that prove it',
    '  rerun REPORT    judges again what failed or was blocked, with the same seed',
    '  compare A B     tells two reports or bundles apart: --json, --html FILE',
    '  keygen          writes an Ed25519 key pair: --out PREFIX',
    '  verify BUNDLE   judges a bundle again, offline: --key PUBLIC, --json',
    '  badge BUNDLE    writes a badge and a page to print: --out DIR',
    '',
    'Flags of certify and gate',
    '  --only ID|SECTION[,…]        judges these alone',
    '  --out DIR                    where reports go (default: reports)',
    '  --requests N                 most requests that the property checks may spend',
    '  --path P                     replays one failure of a property, with --seed and --only',
    '  --wait SECONDS               waits for webhook events that a person causes',
    '  --waivers FILE               gate: breaches that are known and waived (default: waivers.yaml, where there is one)',
    '  --bundle FILE                certify: writes a signed archive of the run; with --key PRIVATE, --nonce N, --allow-incomplete',
    '  --quiet                      one line at the end',
    '',
    'Settings: .env, then the environment, then these flags; the later wins',
    ...settings,
    '',
    'Exit status: 0 conformant, 1 not conformant, 2 settings or usage wrong, 3 incomplete, 4 the suite itself failed.',
    '',
  ].join('\n');
}
