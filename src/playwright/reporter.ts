import type { FullConfig, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { readSettings } from '../cli/read-settings.js';
import { readEvidence } from '../report/evidence-reader.js';
import { clearEvidence } from '../report/evidence-writer.js';
import { writeReports } from '../report/write-reports.js';
import { mergeResults } from '../requirement/merge.js';
import { entryOf } from '../requirement/requirement.js';
import type { CatalogueEntry } from '../requirement/requirement.js';
import type { Observation, RequirementResult } from '../requirement/types.js';
import { composeReport } from '../run/compose-report.js';
import { resultAttachment } from './conformance-test.js';
import { outFolder, sharedSeed } from './shared.js';

/**
 * Every check that the configuration knows, whatever this run selected; null where Playwright cannot list them. Files that a filter leaves out
 * are not loaded in this process, so another one lists them.
 */
function listCatalogue(config: FullConfig | null): CatalogueEntry[] | null {
  if (config?.configFile === undefined) return null;
  const cli = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const projects = ['conformance', 'load', 'envelope'].map((name) => `--project=${name}`);
  const { stdout } = spawnSync(
    process.execPath,
    [cli, 'test', '--list', '--reporter=json', `--config=${config.configFile}`, ...projects],
    { encoding: 'utf8', maxBuffer: 1e8 },
  );
  try {
    const entries = specsOf(JSON.parse(stdout) as ListedSuite).flatMap(
      ({ title, tests }) => entryOf(title, tests[0]?.annotations ?? []) ?? [],
    );
    return entries.length === 0 ? null : entries;
  } catch {
    process.stderr.write(
      'Playwright could not list all checks: the digest of the requirements covers the selected ones only.\n',
    );
    return null;
  }
}

/** What Playwright's own list says, as far as it is read here. */
interface ListedSuite {
  readonly suites?: readonly ListedSuite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly tests: readonly { readonly annotations: Parameters<typeof entryOf>[1] }[];
  }[];
}

function specsOf({ suites = [], specs = [] }: ListedSuite): NonNullable<ListedSuite['specs']> {
  return [...specs, ...suites.flatMap(specsOf)];
}

/** Collects verdicts from Playwright's workers and writes the suite's own reports beside Playwright's. */
export class ConformanceReporter implements Reporter {
  readonly #started = new Date();
  readonly #results: RequirementResult[] = [];
  readonly #observations: Observation[] = [];
  #entries: CatalogueEntry[] = [];
  #config: FullConfig | null = null;

  onBegin(config: FullConfig, suite: Suite): void {
    this.#config = config;
    this.#entries = suite.allTests().flatMap((one) => entryOf(one.title, one.annotations) ?? []);
    if (this.#entries.length > 0) clearEvidence(join(outFolder(), 'evidence'));
  }

  onTestEnd(_test: TestCase, result: TestResult): void {
    for (const attachment of result.attachments) {
      if (attachment.name !== resultAttachment || attachment.body === undefined) continue;
      const told = JSON.parse(attachment.body.toString()) as { result: RequirementResult; observations: Observation[] };
      this.#results.push(told.result);
      this.#observations.push(...told.observations);
    }
  }

  async onEnd(): Promise<void> {
    if (this.#entries.length === 0) return;
    let requests = 0;
    let document: string | null = null;
    for await (const exchange of readEvidence(join(outFolder(), 'evidence'))) {
      requests += 1;
      if (exchange.surface === 'document' && exchange.response?.status === 200)
        document = `sha256:${createHash('sha256').update(exchange.response.body).digest('hex')}`;
    }
    const settings = readSettings({});
    const report = composeReport({
      baseUrl: settings.BASE_URL ?? 'the embedded reference service',
      embedded: settings.BASE_URL === undefined,
      document,
      seed: settings.SEED === undefined ? sharedSeed() : Number(settings.SEED),
      observations: this.#observations,
      catalogue: listCatalogue(this.#config) ?? this.#entries,
      selected: this.#entries,
      results: mergeResults(this.#results),
      started: this.#started,
      requests,
    });
    await writeReports(outFolder(), report);
    process.stdout.write(`\nReport: ${join(outFolder(), 'conformance.html')}\n`);
  }

  printsToStdio(): boolean {
    return false;
  }
}

// Playwright looks a reporter up by its default export.
export { ConformanceReporter as default };
