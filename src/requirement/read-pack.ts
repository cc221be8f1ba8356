import { settingTable } from '../settings/setting-table.js';
import { levelMeanings } from './explain-source.js';
import type { Pack } from './pack.js';
import { defineRequirement, type RequirementDefinition } from './requirement.js';

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** The error in a member of a requirement, by its name. */
const members: Readonly<Record<string, readonly [isRight: (value: unknown) => boolean, expected: string]>> = {
  id: [(value) => isText(value) && /^[A-Z]+-\d+$/.test(value), 'an id such as OURS-01'],
  level: [(value) => Object.keys(levelMeanings).includes(String(value)), Object.keys(levelMeanings).join(', ')],
  source: [isText, 'the rule that demands it'],
  title: [isText, 'one sentence'],
  needs: [
    (value) =>
      value === undefined ||
      (Array.isArray(value) &&
        value.every((name) => /API_KEY/.test(String(name)) && settingTable.some((one) => one.name === name))),
    'names of settings that hold keys',
  ],
  body: [(value) => typeof value === 'function', 'a function'],
};

/** A pack as somebody else wrote it, completed. Throws with one sentence where it is none. */
export function readPack(value: unknown): Pack {
  const pack = (value ?? {}) as Partial<Pack>;
  if (!isText(pack.name) || !Array.isArray(pack.sections) || !Array.isArray(pack.requirements))
    throw new Error('a pack has a name, sections and requirements');
  for (const { id, title } of pack.sections as Pack['sections'])
    if (!/^[A-Z]+$/.test(id) || !isText(title)) throw new Error('a section has an id such as OURS and a title');
  const requirements = (pack.requirements as RequirementDefinition[]).map((one) => {
    for (const [name, [isRight, expected]] of Object.entries(members))
      if (!isRight(one[name as keyof RequirementDefinition]))
        throw new Error(
          `${name} of the requirement ${one.id} is ${String(one[name as keyof RequirementDefinition])}: expected ${expected}`,
        );
    return defineRequirement(one);
  });
  return { name: pack.name, sections: pack.sections as Pack['sections'], requirements };
}
