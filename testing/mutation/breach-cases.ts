import { type Breach, breachList, startIndependentService } from '../independent-service/index.js';
import type { Case } from './judge-service.js';

const everything = ['DOC', 'UNIT', 'LEAD', 'IDEM', 'DEAL', 'PLAN', 'DEMO', 'AUTH', 'HOOK', 'VER', 'ENV'];

/** Real limits take minutes to judge: 600 a minute become 120 in six seconds. */
const scale = { count: 5, minute: 6, second: 0.5 };

/** ENV judges the traffic of all sections. */
function sectionsOf(ids: readonly string[]): readonly string[] {
  const sections = new Set(ids.map((id) => id.replace(/-.*/, '')));
  return ids[0]?.startsWith('ENV') === true ? everything : [...sections.add('ENV')];
}

async function startBreach({ id, requirement: [main] }: Breach): ReturnType<Case['start']> {
  const limited = main.startsWith('LIMIT');
  const service = await startIndependentService({ breach: id, ...(limited ? { scale } : {}) });
  // The larger plans cost most requests and are judged only where they are broken.
  const unused = [
    ...(id.includes('enterprise') ? [] : ['LIMITS_ENTERPRISE']),
    ...(!limited || /franchise/.test(id) ? [] : ['API_KEY_FRANCHISE']),
  ];
  const used = Object.entries(service.settings).filter(([name]) => !unused.includes(name));
  return { ...service, settings: Object.fromEntries(used) };
}

/** Every breach of the independent service, each on its own. */
export function breachCases(): Case[] {
  return breachList.map((entry: Breach): Case => {
    const { id, requirement, warns = false, missed = null } = entry;
    const limited = requirement[0].startsWith('LIMIT');
    return {
      kind: 'breach',
      name: id,
      requirement: requirement[0],
      alternatives: requirement.slice(1),
      warns,
      waits: limited,
      missed,
      options: limited
        ? { seed: 1, depth: 'certify', sections: ['LIMIT'] }
        : { seed: 1, depth: 'gate', sections: sectionsOf(requirement) },
      start: () => startBreach(entry),
    };
  });
}
