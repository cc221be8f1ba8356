import { planNames } from '../settings/index.js';
import {
  daySeconds,
  flag,
  joined,
  type Kind,
  like,
  list,
  number,
  oneOf,
  someOf,
  text,
  texts,
  time,
  url,
  whole,
} from './kinds.js';

/** Time and requests of a run, measured against the reference service with every key set. README and docs state the same numbers. */
export const runCosts = {
  gate: { time: '5 to 30 s', requests: '1,000 to 2,400', creates: 'about 300 leads and 50 units' },
  certify: { time: '4 to 10 minutes', requests: '43,000 to 80,000', creates: 'about 1,150 leads and 70 units' },
  load: { time: '3 to 9 minutes', requests: '40,000 to 75,000' },
} as const;

/** `Takes 5 to 30 s and 1,000 to 2,400 requests.` */
const costText = ({ time, requests, creates }: { time: string; requests: string; creates?: string }): string =>
  `Takes ${time} and ${requests} requests${creates === undefined ? '' : `, and creates ${creates}`}.`;

/** Scenarios whose checks judge limits, one file each in `load/`. */
export const limitScenarios = ['burst', 'sustained', 'boundary', 'recovery', 'probe'] as const;
/** A scenario that judges limits. */
export type LimitScenario = (typeof limitScenarios)[number];

const failOns = ['slower', 'errors'] as const;
/** A difference from earlier nights that `--fail-on` makes a failure. */
export type FailOn = (typeof failOns)[number];

/** Every flag of the commands, beside those of the settings. */
export const optionTable = {
  'allow-incomplete': flag('Also write the bundle of an incomplete run, marked as a rehearsal.'),
  baseline: text('DIR|FILE', 'Earlier report: reports begin with what changed.'),
  bundle: text('FILE', 'Write a signed archive of the run; badge.svg and certificate.html go to --out.'),
  'clock-error': time('TIME', 0, 'load judge: how wrong the clock of an instance may be (default: 50ms).'),
  concurrency: whole('N', 1, 64, 'Judge up to N requirements at once (gate: 3, or 12 over a slow network).'),
  duration: time('TIME', 1, 'Soak: such as 60s, 10m or 1h30m (default: 10m).'),
  embedded: flag('Judge the embedded reference service, not BASE_URL.'),
  'embedded-if-unset': flag('For npm scripts: --embedded where BASE_URL is not set.'),
  expires: text('YYYY-MM-DD', 'Last day, in UTC.'),
  'fail-on': someOf('WHAT[,…]', failOns, 'Soak: status 1 for slower or errors (more errors) than in earlier soaks.'),
  fault: list('ID[,…]', 'Break requirements on purpose.'),
  help: flag('Print this help.'),
  host: text('HOST', 'Address to listen on, such as 0.0.0.0 in a container (default: 127.0.0.1).'),
  json: flag('As JSON.'),
  k6: text('FILE', 'load export: a script for k6 that tests the limits of --plan.'),
  keep: flag('Leave the leads and units that the run created.'),
  key: texts('PUBLIC', 'A public key that you trust; one of them must have signed.'),
  kubernetes: text('FILE', 'load export: the test of the limits for k6-operator.'),
  list: flag('Print the values of --fault and --variant.'),
  'max-time': whole('SECONDS', 0, daySeconds, 'Begin no requirement after this time; what is left is blocked.'),
  mix: text('FILE', 'Soak: JSON file with the operations and their weights.'),
  nonce: like(
    'WORD',
    /^[A-Za-z0-9._~-]{8,128}$/,
    '8 to 128 letters, digits, ".", "_", "~" or "-", as the certifier gave them',
    'Word from the certifier, sent in the User-Agent of every request.',
  ),
  only: joined('ID|SECTION[,…]', 'Only these requirements or sections.'),
  out: text('DIR', 'Folder for reports and evidence (default: reports).'),
  parallelism: whole('N', 1, 64, 'load export: the number of instances of k6 that try the limits together.'),
  path: text('P', 'Repeat one random try, as a replay line names it; needs --seed, --only.'),
  plan: oneOf('NAME', planNames, 'independent, franchise, enterprise, demo or sandbox.'),
  port: whole('N', 0, 65_535, 'Port (default: a free one).'),
  product: text(
    'FILE',
    'product.yaml: vendor, product and version that the bundle names. programme.yaml of the certifier, beside it, says how long the certificate counts.',
  ),
  quiet: flag('Print one line at the end.'),
  rate: number('N', 0.1, 20_000, 'At most N requests a second.', 'requests a second'),
  reason: text('TEXT', 'Why.'),
  requests: whole('N', 0, 1_000_000, 'At most N requests for what is tried at random.'),
  require: texts('LEVEL|ID', 'Exit 3 unless this is judged: Core, Demo, Limits, Webhooks or an id.'),
  scenario: oneOf('NAME', [...limitScenarios, 'soak'] as const, 'burst, sustained, boundary, recovery, probe or soak.'),
  set: text('YYYY-MM', 'Requirement set that decides (default: the newest in force).'),
  statements: flag('Every statement of the specification, and the requirements that test it.'),
  threshold: joined('EXPR', "Soak: such as 'p95<200ms,errors<0.1%'; decides the exit status."),
  variant: list('OPTION=VALUE[,…]', 'Choose among conforming behaviours.'),
  version: flag('Print the version.'),
  wait: whole('SECONDS', 0, daySeconds, 'Wait this long for webhook events that a person triggers.'),
  'wait-ready': whole('SECONDS', 0, daySeconds, 'Wait this long for a service that is still starting.'),
  waivers: text('FILE', 'Known failures to accept until a date (default: waivers.yaml, if present).'),
  webhook: url('URL', 'Deliver signed events to this address; {tenant} becomes main or other.'),
} as const satisfies Readonly<Record<string, Kind<unknown>>>;

export type OptionName = keyof typeof optionTable;

/** The flags of a command line with their values. */
export type Options = {
  readonly [Name in OptionName]?: ((typeof optionTable)[Name] extends Kind<infer T> ? T : never) | undefined;
};

/** A flag of a command; `about` and `form` where they are other than in the table. */
type OwnOption = OptionName | readonly [name: OptionName, about: string, form?: string, once?: 'once'];

/** One command: its operands, one sentence, and its flags. */
interface Command {
  readonly usage?: string;
  readonly about: string;
  readonly options: readonly OwnOption[];
  /** Flags that it cannot do without, where this is its first operand; '' stands for any other. */
  readonly required?: Readonly<Partial<Record<string, readonly OptionName[]>>>;
  /** What must stand beside a flag: another flag, one with a value (`--scenario soak`), or the first operand. */
  readonly beside?: Readonly<Partial<Record<OptionName, string>>>;
  /** Whether it reads the settings of the service under test. */
  readonly settings?: true;
}

const run = ['embedded', 'only', 'require', 'out', 'requests', 'path', 'wait-ready', 'wait', 'keep', 'quiet'] as const;

const besides = (names: readonly OptionName[], what: string): Command['beside'] =>
  Object.fromEntries(names.map((name) => [name, what]));

const table = {
  certify: {
    about: `Judges every requirement, limits and webhooks included. ${costText(runCosts.certify)}`,
    options: [
      ...run,
      'baseline',
      'bundle',
      ['key', 'Key that signs the bundle; see keygen.', 'PRIVATE', 'once'],
      'set',
      'product',
      'nonce',
      'allow-incomplete',
    ],
    beside: { bundle: '--key', key: '--bundle', product: '--bundle' },
    settings: true,
  },
  gate: {
    about: `Judges everything that does not wait for rate-limit windows. Use it in CI. ${costText(runCosts.gate)}`,
    options: [...run, 'baseline', 'waivers', 'max-time', 'rate', 'concurrency'],
    settings: true,
  },
  init: { about: 'Writes a .env that explains every setting, to fill in.', options: [] },
  doctor: {
    about: 'Checks address, key and document. Says what a run can judge, and its time and requests.',
    options: ['embedded', 'only', 'wait-ready'],
    settings: true,
  },
  load: {
    usage: '[export | judge FILE…]',
    about: `Tests rate limits (all five plans: ${costText(runCosts.load).toLowerCase().slice(0, -1)}) or runs a soak test.`,
    options: [
      'embedded',
      'scenario',
      'plan',
      ['rate', 'Soak: requests a second (default: 80 % of the plan).'],
      'duration',
      'mix',
      'threshold',
      'fail-on',
      'k6',
      'kubernetes',
      'parallelism',
      'clock-error',
      ['out', 'Folder for reports, and for the history of soaks (default: reports).'],
      'keep',
      'quiet',
    ],
    beside: {
      ...besides(['rate', 'duration', 'mix', 'threshold', 'fail-on'], '--scenario soak'),
      ...besides(['k6', 'kubernetes', 'parallelism'], 'export'),
      'clock-error': 'judge',
    },
    required: { export: ['parallelism', 'plan'] },
    settings: true,
  },
  rerun: {
    usage: 'REPORT',
    about: 'Judges failed and blocked requirements of a report again, with the same target, settings and seed.',
    options: [
      ['only', 'Judge these instead.'],
      ['path', 'Repeat one random try, as a replay line names it; needs --only.'],
      ['out', 'Folder for reports (default: rerun or replay-ID, beside the report).'],
      'requests',
      'wait-ready',
      'wait',
      'keep',
      'quiet',
    ],
    beside: { path: '--only' },
    settings: true,
  },
  sweep: {
    usage: '[delete]',
    about:
      'Lists leads and units of earlier runs, recognised by their names; "sweep delete" deletes them, if the document declares a DELETE.',
    options: [],
    settings: true,
  },
  serve: {
    about: 'Runs the reference service and prints the settings to use.',
    options: ['host', 'port', 'webhook', 'fault', 'variant', 'list'],
  },
  list: { about: 'Prints the requirements.', options: ['only', 'statements', 'json'] },
  explain: {
    usage: 'ID',
    about: 'Prints one requirement, its source, and examples of a violation.',
    options: ['json'],
  },
  har: {
    usage: 'ID',
    about: 'Prints the exchanges of one requirement as an HTTP Archive (HAR).',
    options: [['out', 'Folder of the run (default: reports).']],
  },
  compare: {
    usage: 'A B',
    about: 'Compares two reports, report folders or bundles. Exit status 1 if B is worse.',
    options: ['json', ['out', 'Also write compare.html to this folder.']],
  },
  waive: {
    usage: 'REPORT',
    about: 'Writes waivers for the failures of a report, so that gate accepts them until a date.',
    options: [
      ['only', 'Waive only these requirements (default: all that failed).', 'ID[,…]'],
      'reason',
      'expires',
      ['waivers', 'File to add to (default: waivers.yaml).'],
    ],
    required: { '': ['reason', 'expires'] },
  },
  keygen: {
    about: 'Writes an Ed25519 key pair.',
    options: [['out', 'Prefix of the file names.', 'PREFIX']],
    required: { '': ['out'] },
  },
  verify: {
    usage: 'BUNDLE',
    about: 'Verifies a bundle offline: contents, and every verdict again.',
    options: ['key', 'json'],
  },
  registry: {
    usage: 'init DIR | check DIR REF | build DIR',
    about:
      'Keeps certificates: writes a repository for them, judges the commit in a checkout that is submitted to the branch REF (such as origin/main), builds the site.',
    options: [
      ['json', 'check: as JSON.'],
      ['out', 'build: folder of the site (default: site).'],
    ],
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof table;

/** The commands; a flag that is not here is not read. */
export const commandTable: Readonly<Record<CommandName, Command>> = table;

export const commandNames = Object.keys(table) as CommandName[];

export const isCommand = (name: string): name is CommandName => Object.hasOwn(table, name);

/** A flag as one command has it. */
export interface CommandOption {
  readonly name: OptionName;
  /** `--out DIR`. */
  readonly form: string;
  readonly about: string;
  readonly repeats: boolean;
}

export const optionsOf = (command: CommandName): CommandOption[] =>
  commandTable[command].options.map((own) => {
    const [name, about, form, once] = typeof own === 'string' ? ([own] as const) : own;
    const kind: Kind<unknown> = optionTable[name];
    return {
      name,
      form: `--${name} ${form ?? kind.form}`.trimEnd(),
      about: `${about ?? kind.about}${commandTable[command].required?.['']?.includes(name) ? ' Required.' : ''}`,
      repeats: kind.repeats === true && once === undefined,
    };
  });
