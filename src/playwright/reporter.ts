import type { FullConfig, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { readSettings } from '../cli/index.js';
import { traceIdOf } from '../http/index.js';
import { loadPacks } from '../packs.js';
import { clearEvidence, readEvidence, writeReports } from '../reports/index.js';
import type { Observation, RequirementResult } from '../requirement/index.js';
import { composeReport } from '../run/index.js';
import { outFolder, resultAttachment, sharedNonce, sharedSeed } from './shared.js';

/** Collects verdicts from Playwright's workers and writes the suite's own reports beside Playwright's. */
export class ConformanceReporter implements Reporter {
  readonly #started = new Date();
  readonly #results = new Map<string, RequirementResult>();
  readonly #observations: Observation[] = [];
  /** Ids of the selected requirements, as tags. */
  readonly #selected = new Set<string>();

  onBegin(_config: FullConfig, suite: Suite): void {
    for (const one of suite.allTests())
      if (one.parent.project()?.name === 'conformance') for (const tag of one.tags) this.#selected.add(tag);
    if (this.#selected.size > 0) clearEvidence(join(outFolder(), 'evidence'));
  }

  onTestEnd(_test: TestCase, result: TestResult): void {
    for (const attachment of result.attachments) {
      if (attachment.name !== resultAttachment || attachment.body === undefined) continue;
      const attached = JSON.parse(attachment.body.toString()) as {
        result: RequirementResult;
        observations: Observation[];
      };
      // Of a test that ran more than once, a failure stands.
      if (this.#results.get(attached.result.id)?.verdict !== 'fail')
        this.#results.set(attached.result.id, attached.result);
      this.#observations.push(...attached.observations);
    }
  }

  async onEnd(): Promise<void> {
    if (this.#selected.size === 0) return;
    let requests = 0;
    let document: string | null = null;
    for await (const exchange of readEvidence(join(outFolder(), 'evidence'))) {
      requests += 1;
      if (exchange.surface === 'document' && exchange.response?.status === 200)
        document = `sha256:${createHash('sha256').update(exchange.response.body).digest('hex')}`;
    }
    const settings = readSettings({});
    const { requirements, sections } = await loadPacks(settings.PACKS);
    const report = composeReport({
      baseUrl: settings.BASE_URL ?? 'the embedded reference service',
      embedded: settings.BASE_URL === undefined,
      document,
      traceId: traceIdOf(sharedNonce()),
      seed: settings.SEED === undefined ? sharedSeed() : Number(settings.SEED),
      observations: this.#observations,
      catalogue: requirements,
      sections,
      selected: requirements.filter(({ id }) => this.#selected.has(`@${id}`)),
      results: [...this.#results.values()],
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
