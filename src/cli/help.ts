import { flagOf, settingTable } from '../settings/index.js';

/** A flag with its value, its meaning, and whether it may be given more than once. */
type Flag = readonly [form: string, about: string, repeats?: 'repeatable'];

/** One command: its operands, one sentence, and its flags with their meaning. */
interface CommandHelp {
  readonly usage: string;
  readonly about: string;
  readonly flags: readonly Flag[];
  /** Whether it reads the settings of the service under test. */
  readonly settings?: true;
}

/** Time and requests of a run, measured against the reference service with every key set. README and docs state the same numbers. */
export const runCosts = {
  gate: { time: '5 to 30 s', requests: '1,000 to 2,400', creates: 'about 300 leads and 50 units' },
  certify: { time: '4 to 10 minutes', requests: '43,000 to 80,000', creates: 'about 1,150 leads and 70 units' },
  load: { time: '3 to 9 minutes', requests: '40,000 to 75,000' },
} as const;

/** `Takes 5 to 30 s and 1,000 to 2,400 requests.` */
const costText = ({ time, requests, creates }: { time: string; requests: string; creates?: string }): string =>
  `Takes ${time} and ${requests} requests${creates === undefined ? '' : `, and creates ${creates}`}.`;

const embedded = ['--embedded', 'Judge the embedded reference service, not BASE_URL.'] as const;
const quiet = ['--quiet', 'Print one line at the end.'] as const;
const only = ['--only ID|SECTION[,…]', 'Only these requirements or sections.', 'repeatable'] as const;
const waitReady = ['--wait-ready SECONDS', 'Wait this long for a service that is still starting.'] as const;
const wait = ['--wait SECONDS', 'Wait this long for webhook events that a person triggers.'] as const;
const requests = ['--requests N', 'At most N requests for what is tried at random.'] as const;
const keep = ['--keep', 'Leave the leads and units that the run created.'] as const;
const baseline = ['--baseline DIR|FILE', 'Earlier report: conformance.md says what changed.'] as const;
const run = [
  embedded,
  only,
  ['--require LEVEL|ID', 'Exit 3 unless this is judged: Core, Demo, Limits, Webhooks or an id.', 'repeatable'],
  ['--out DIR', 'Folder for reports and evidence (default: reports).'],
  requests,
  ['--path P', 'Repeat one random try, as a replay line names it; needs --seed, --only.'],
  waitReady,
  wait,
  keep,
  quiet,
] as const;

/** The commands; a flag that is not here is not read. */
export const commandHelp: Readonly<Record<string, CommandHelp>> = {
  certify: {
    usage: '',
    about: `Judges every requirement, limits and webhooks included. ${costText(runCosts.certify)}`,
    flags: [
      ...run,
      baseline,
      ['--bundle FILE', 'Write a signed archive of the run; badge.svg and certificate.html go to --out.'],
      ['--key PRIVATE', 'Key that signs the bundle; see keygen.'],
      ['--set YYYY-MM', 'Requirement set that decides (default: the newest in force).'],
      [
        '--product FILE',
        'product.yaml: vendor, product and version that the bundle names. programme.yaml of the certifier, beside it, says how long the certificate counts.',
      ],
      ['--nonce WORD', 'Word from the certifier, sent in the User-Agent of every request.'],
      ['--allow-incomplete', 'Also write the bundle of an incomplete run, marked as a rehearsal.'],
    ],
    settings: true,
  },
  gate: {
    usage: '',
    about: `Judges everything that does not wait for rate-limit windows. Use it in CI. ${costText(runCosts.gate)}`,
    flags: [
      ...run,
      baseline,
      ['--waivers FILE', 'Known failures to accept until a date (default: waivers.yaml, if present).'],
      ['--max-time SECONDS', 'Begin no requirement after this time; what is left is blocked.'],
      ['--rate N', 'At most N requests a second.'],
      ['--concurrency N', 'Judge up to N requirements at once (gate: 3, or 12 over a slow network).'],
    ],
    settings: true,
  },
  init: { usage: '', about: 'Writes a .env that explains every setting, to fill in.', flags: [] },
  doctor: {
    usage: '',
    about: 'Checks address, key and document. Says what a run can judge, and its time and requests.',
    flags: [embedded, only, waitReady],
    settings: true,
  },
  load: {
    usage: '[export | judge FILE…]',
    about: `Tests rate limits (all five plans: ${costText(runCosts.load).toLowerCase().slice(0, -1)}) or runs a soak test.`,
    flags: [
      embedded,
      ['--scenario NAME', 'burst, sustained, boundary, recovery, probe or soak.'],
      ['--plan NAME', 'independent, franchise, enterprise, demo or sandbox.'],
      ['--rate N', 'Soak: requests a second (default: 80 % of the plan).'],
      ['--duration TIME', 'Soak: such as 60s, 10m or 1h30m (default: 10m).'],
      ['--mix FILE', 'Soak: JSON file with the operations and their weights.'],
      ['--threshold EXPR', "Soak: such as 'p95<200ms,errors<0.1%'; decides the exit status.", 'repeatable'],
      ['--fail-on WHAT[,…]', 'Soak: status 1 for slower or errors (more errors) than in earlier soaks.', 'repeatable'],
      ['--k6 FILE', 'load export: a script for k6 that tests the limits of --plan.'],
      ['--kubernetes FILE', 'load export: the test of the limits for k6-operator.'],
      ['--parallelism N', 'load export: the number of instances of k6 that try the limits together.'],
      ['--clock-error TIME', 'load judge: how wrong the clock of an instance may be (default: 50ms).'],
      ['--out DIR', 'Folder for reports, and for the history of soaks (default: reports).'],
      keep,
      quiet,
    ],
    settings: true,
  },
  rerun: {
    usage: 'REPORT',
    about: 'Judges failed and blocked requirements of a report again, with the same target, settings and seed.',
    flags: [
      ['--only ID|SECTION[,…]', 'Judge these instead.', 'repeatable'],
      ['--path P', 'Repeat one random try, as a replay line names it; needs --only.'],
      ['--out DIR', 'Folder for reports (default: rerun or replay-ID, beside the report).'],
      requests,
      waitReady,
      wait,
      keep,
      quiet,
    ],
    settings: true,
  },
  sweep: {
    usage: '[delete]',
    about:
      'Lists leads and units of earlier runs, recognised by their names; "sweep delete" deletes them, if the document declares a DELETE.',
    flags: [],
    settings: true,
  },
  serve: {
    usage: '',
    about: 'Runs the reference service and prints the settings to use.',
    flags: [
      ['--host HOST', 'Address to listen on, such as 0.0.0.0 in a container (default: 127.0.0.1).'],
      ['--port N', 'Port (default: a free one).'],
      ['--webhook URL', 'Deliver signed events to this address; {tenant} becomes main or other.'],
      ['--fault ID[,…]', 'Break requirements on purpose.', 'repeatable'],
      ['--variant OPTION=VALUE[,…]', 'Choose among conforming behaviours.', 'repeatable'],
      ['--list', 'Print the values of --fault and --variant.'],
    ],
  },
  list: { usage: '', about: 'Prints the requirements.', flags: [only, ['--json', 'As JSON.']] },
  explain: { usage: 'ID', about: 'Prints one requirement, its source, and examples of a violation.', flags: [] },
  har: {
    usage: 'ID',
    about: 'Prints the exchanges of one requirement as an HTTP Archive (HAR).',
    flags: [['--out DIR', 'Folder of the run (default: reports).']],
  },
  compare: {
    usage: 'A B',
    about: 'Compares two reports, report folders or bundles. Exit status 1 if B is worse.',
    flags: [
      ['--json', 'As JSON.'],
      ['--out DIR', 'Also write compare.html to this folder.'],
    ],
  },
  waive: {
    usage: 'REPORT',
    about: 'Writes waivers for the failures of a report, so that gate accepts them until a date.',
    flags: [
      ['--only ID[,…]', 'Waive only these requirements (default: all that failed).', 'repeatable'],
      ['--reason TEXT', 'Why. Required.'],
      ['--expires YYYY-MM-DD', 'Last day, in UTC. Required.'],
      ['--waivers FILE', 'File to add to (default: waivers.yaml).'],
    ],
  },
  keygen: { usage: '', about: 'Writes an Ed25519 key pair.', flags: [['--out PREFIX', 'Prefix of the file names.']] },
  verify: {
    usage: 'BUNDLE',
    about: 'Verifies a bundle offline: contents, and every verdict again.',
    flags: [
      ['--key PUBLIC', 'A public key that you trust; one of them must have signed.', 'repeatable'],
      ['--json', 'As JSON.'],
    ],
  },
  registry: {
    usage: 'init DIR | check DIR REF | build DIR',
    about:
      'Keeps certificates: writes a repository for them, judges the commit in a checkout that is submitted to the branch REF (such as origin/main), builds the site.',
    flags: [
      ['--json', 'check: as JSON.'],
      ['--out DIR', 'build: folder of the site (default: site).'],
    ],
  },
};

const width = 80;

/** Wraps a text into lines of 80 characters minus the indent. */
function wrap(text: string, indent = 0): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    const joined = `${lines[last] ?? ''} ${word}`.trimStart();
    if (indent + joined.length > width && lines[last] !== '') lines.push(word);
    else lines[last] = joined;
  }
  return lines;
}

/** A term and its text in two columns. */
function row(term: string, text: string, indent = 28): string[] {
  const [first = '', ...others] = wrap(text, indent);
  const start = `  ${term}`.padEnd(indent);
  const head =
    start.length > indent || !start.endsWith(' ') ? [start, `${' '.repeat(indent)}${first}`] : [`${start}${first}`];
  return [...head, ...others.map((line) => `${' '.repeat(indent)}${line}`)];
}

const statuses = [
  'Exit status: 0 conformant, 1 not conformant, 2 wrong settings or usage,',
  '             3 incomplete, 4 the suite itself failed.',
];

/** The text of `--help`: for one command, or for all where none is named. */
export function help(command: string): string {
  const one = commandHelp[command];
  const lines =
    one === undefined
      ? [
          'dealership-conformance: judges whether a service conforms to the dealership',
          'platform public API.',
          '',
          'Commands ("npx dealership-conformance COMMAND --help" lists the flags of one)',
          ...Object.entries(commandHelp).flatMap(([name, { usage, about }]) => row(`${name} ${usage}`, about, 20)),
          '',
          'Settings: flags, environment variables (BASE_URL) and .env; flags win',
          ...settingTable.flatMap(({ name, about }) => row(flagOf(name), about)),
          '',
          ...statuses,
        ]
      : [
          `Usage: npx dealership-conformance ${command} ${one.usage}`.trimEnd(),
          '',
          ...wrap(one.about),
          ...(one.flags.length > 0
            ? [
                '',
                'Flags',
                ...one.flags.flatMap(([form, about, repeats]) => row(form, repeats ? `${about} Repeatable.` : about)),
              ]
            : []),
          ...(one.settings === true
            ? [
                '',
                'Settings such as BASE_URL and API_KEY are read from .env, the environment and',
                'flags (--base-url); "npx dealership-conformance --help" lists them.',
              ]
            : []),
          ...(one.settings === true || command === 'compare' ? ['', ...statuses] : []),
        ];
  return `${lines.join('\n')}\n`;
}
