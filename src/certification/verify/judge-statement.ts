import { renderHtml, renderJUnit } from '../../reports/index.js';
import { countsOf, outcomeOf, type Report, type Requirement, type Section } from '../../requirement/index.js';
import type { RunFile } from '../../run/index.js';
import { renderBadge } from '../badge.js';
import { bundleNames, tracesFile } from '../bundle/bundle-names.js';
import { renderCertificate } from '../certificate-page.js';
import { drivenRequests } from './judged-plans.js';
import { digestOf, statementOf, type Manifest } from '../bundle/manifest.js';
import type { OpenedBundle, Problem } from '../bundle/open-bundle.js';
import { firstSet, requirementSets } from '../requirement-sets.js';
import type { Regraded } from './regrade.js';

/** A bundle whose bytes are as signed, and what its evidence gave. */
export interface StatementParts {
  readonly opened: OpenedBundle;
  readonly manifest: Manifest;
  readonly report: Report;
  readonly run: RunFile;
  readonly graded: Regraded;
  readonly sameSuite: boolean;
  /** What is judged here, packs included; `samePacks`: the bundle was judged by the same ones. */
  readonly checks: readonly Requirement[];
  readonly samePacks: boolean;
  readonly sections?: readonly Section[] | undefined;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Whether the parts of a bundle say the same: one who signs may state what the evidence does not bear out. */
export function judgeStatement(parts: StatementParts): Problem[] {
  return [
    ...judgeReport(parts),
    ...judgeEvidence(parts),
    ...judgeManifest(parts),
    ...(parts.sameSuite ? judgePages(parts) : []),
  ];
}

function judgeReport({ opened, report, run, graded, ...parts }: StatementParts): Problem[] {
  const problems: Problem[] = [];
  const say = (what: string): number => problems.push({ where: bundleNames.report, what });
  if (!same({ ...countsOf([]), ...report.counts }, countsOf(report.requirements)))
    say('its counts are not those of its verdicts');
  if (report.outcome !== outcomeOf(report.requirements))
    say(`its outcome is ${report.outcome}, and its verdicts give ${outcomeOf(report.requirements)}`);
  if (report.suite.version !== run.suite.version || report.suite.catalogue !== run.suite.catalogue)
    say('it names another suite than evidence/run.json');
  const levelOf = (id: string): string | undefined => parts.sections?.find((one) => one.id === id)?.level;
  const restated = parts.sameSuite && report.sections?.find(({ id, level }) => level !== levelOf(id));
  if (restated) say(`it states another level of a certificate for ${restated.id} than its pack`);
  if (report.seed !== run.seed || report.started !== run.started) say('it is of another run than evidence/run.json');
  const driven = drivenRequests(opened.files.get(tracesFile));
  const held = graded.exchanges.length + (driven ?? 0);
  if (driven === null ? report.requests < held : report.requests !== held)
    say(`it counts ${report.requests} requests, and the evidence holds ${held}`);
  const { document, version = graded.served.version } = report.target;
  if (document !== graded.served.document || version !== graded.served.version)
    say('it states another OpenAPI document than the evidence holds');
  if (report.target.baseUrl !== graded.baseUrl) say('it names another base URL than evidence/run.json');
  if (report.target.embedded !== run.embedded)
    say('it states otherwise than evidence/run.json whether the embedded service was judged');
  const owed = owedIds(run, parts);
  const judged = report.requirements.map(({ id }) => id);
  const missing = [...new Set([...run.order, ...owed])].filter((id) => !judged.includes(id));
  if (missing.length > 0) say(`it leaves out ${missing.join(', ')}`);
  const notRun = [...new Set([...judged, ...owed])].filter((id) => !run.order.includes(id));
  if (notRun.length > 0) problems.push({ where: bundleNames.run, what: `it leaves out ${notRun.join(', ')}` });
  return problems;
}

/** The requirements that a whole run owes: a level asks for all of them, and whoever signs may leave out one that failed. */
function owedIds(
  { only, set = firstSet }: RunFile,
  { checks, samePacks }: Pick<StatementParts, 'checks' | 'samePacks'>,
): string[] {
  const sets = requirementSets();
  const isOwn = (id: string): boolean => sets.some(({ requirements }) => id in requirements);
  return only === null
    ? checks.filter(({ id, since = '' }) => since <= set && (samePacks || isOwn(id))).map(({ id }) => id)
    : [];
}

function judgeEvidence({ graded, manifest }: StatementParts): Problem[] {
  const problems: Problem[] = [];
  const at = graded.exchanges.findIndex((exchange, index) => exchange.seq !== index + 1);
  if (at !== -1) problems.push({ where: 'evidence', what: `exchange ${at + 1} is missing or there twice` });
  if (manifest.nonce !== null) {
    const silent = graded.exchanges.find(
      ({ request }) =>
        !request.headers.some(
          ([name, value]) => name === 'user-agent' && value.includes(`nonce=${manifest.nonce ?? ''})`),
        ),
    );
    if (silent !== undefined)
      problems.push({
        where: 'evidence',
        what: `exchange ${silent.seq} was sent without the nonce that the manifest states`,
      });
  }
  return problems;
}

function judgeManifest({ opened, manifest, report, run, graded, checks, sameSuite }: StatementParts): Problem[] {
  const { files: _files, ...rest } = manifest;
  // An earlier bundle may state digests as well, of its code and of its set.
  const { version, catalogue } = rest.suite;
  const set = rest.set === undefined ? {} : { set: { name: rest.set.name } };
  const stated = { ...rest, suite: { version, catalogue }, ...set };
  const due = statementOf({
    run,
    report,
    checks,
    files: opened.files,
    nonce: manifest.nonce,
    firstSentAtMs: graded.exchanges[0]?.sentAtMs ?? null,
    validUntil: manifest.validUntil ?? null,
  });
  const names = [...new Set([...Object.keys(stated), ...Object.keys(due)])] as (keyof typeof due)[];
  // How levels are drawn from verdicts, and how reasons are worded, may be another way in another suite.
  const free: readonly string[] = sameSuite ? [] : ['levels', 'reasons'];
  return names
    .filter((name) => !free.includes(name) && !same(stated[name], due[name]))
    .map((name) => ({
      where: bundleNames.manifest,
      what: `its "${name}" is not what the report and the evidence give`,
    }));
}

/** The suite that wrote the pages can write them again. */
function judgePages({ opened, manifest, report, graded }: StatementParts): Problem[] {
  const { files: _files, ...statement } = manifest;
  const byName = new Map(graded.exchanges.map((exchange) => [String(exchange.seq), exchange]));
  const due = new Map([
    [bundleNames.page, renderCertificate(statement, opened.signer ?? '')],
    [bundleNames.badge, renderBadge(statement)],
    [bundleNames.junit, renderJUnit(report)],
    [bundleNames.reportPage, renderHtml(report, (name) => byName.get(name))],
  ] as const);
  return [...due].flatMap(([name, text]) => {
    const found = opened.files.get(name);
    return found !== undefined && digestOf(found) === digestOf(text)
      ? []
      : [{ where: name, what: `it does not show what ${bundleNames.report} says` }];
  });
}
