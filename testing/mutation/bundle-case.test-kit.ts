import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differencesOf } from '../../src/certification/compare/differences.js';
import { runInto } from '../../src/certification/run.test-kit.js';
import { verifyBundle } from '../../src/certification/verify/verify-bundle.js';
import { writeBundle } from '../../src/certification/bundle/write-bundle.js';
import { loadPacks } from '../../src/packs.js';
import type { RequirementResult } from '../../src/requirement/types.js';
import type { Case } from './judge-service.js';
import { scratch } from '../../src/folder.test-kit.js';

/** What came of grading one case's bundle again: plain data, so that it can cross processes. */
export interface Regrading {
  readonly name: string;
  readonly requirement: string | null;
  readonly requests: number;
  readonly seconds: number;
  /** Everything in which the grading of the bundle differs from the run, as sentences. */
  readonly problems: readonly string[];
}

/**
 * Findings without the requests that a check counts, as what was sent while something was recorded is not sent again, and without replay
 * lines, as no command started the second grading.
 */
const shown = (result: RequirementResult | undefined): string =>
  JSON.stringify(result?.findings.map((finding) => ({ ...finding, replay: null })) ?? null);

/** Runs a case into a bundle, closes its service, and grades every requirement again out of the bundle. */
export async function regradeCase(one: Case): Promise<Regrading> {
  const startedMs = performance.now();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const all = (await loadPacks()).requirements;
  const { sections, depth, seed, pacingBudgetMs } = one.options;
  const checks = all.filter((check) => sections?.includes(check.section) ?? check.section !== 'LIMIT');
  const place = scratch();
  const service = await one.start();
  try {
    const report = await runInto(place.folder, service.settings, checks, {
      embedded: true,
      register: service.register,
      seed,
      depth,
      pacingBudgetMs: pacingBudgetMs ?? 3000,
    });
    const file = join(place.folder, 'case.bundle');
    const parts = { out: place.folder, file, privateKey, nonce: null, checks, allowIncomplete: true };
    await writeBundle({ ...parts, settings: service.settings });
    await service.close();
    const archive = readFileSync(file);
    const found = await verifyBundle(archive, { trusted: [publicKey], checks });
    const again = found.today?.results ?? [];
    // Who knows the webhook secrets has the signatures computed again.
    const knowing = one.requirement?.startsWith('HOOK')
      ? await verifyBundle(archive, { trusted: [publicKey], checks, known: service.settings })
      : null;
    return {
      name: one.name,
      requirement: one.requirement,
      requests: report.requests,
      seconds: (performance.now() - startedMs) / 1000,
      problems: [
        ...found.problems.map(({ where, what }) => `${where}: ${what}`),
        ...(again.length === report.requirements.length
          ? []
          : [`${report.requirements.length} verdicts, and ${again.length} graded again`]),
        ...differencesOf(report.requirements, again)
          .concat(found.differences.filter((difference) => difference.kind === 'observation'))
          .map((two) => `${two.id} ${two.kind}: "${two.stated}", graded again "${two.found}"`),
        ...report.requirements.flatMap((result) => {
          const other = again.find((each) => each.id === result.id);
          return shown(result) === shown(other)
            ? []
            : [`${result.id} findings: ${shown(result)}, graded again ${shown(other)}`];
        }),
        ...(knowing?.differences ?? []).map((two) => `${two.id}, with the secrets: "${two.stated}", "${two.found}"`),
        ...(knowing?.takenAsRecorded ?? []).map((name) => `${name} were not computed again with the secrets`),
        ...found.notGradedAgain.map((id) => `${id} was not graded again`),
      ],
    };
  } finally {
    await service.close().catch(() => undefined);
    place.remove();
  }
}
